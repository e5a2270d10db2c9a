import numpy as np
import pytest

from nearkin.solvers import LBFGS, all_solvers
from nearkin.solvers.coordinates import Coordinates, minimise_in, whitening

RNG = np.random.RandomState(0)
FEATURES = RNG.standard_normal((60, 5)) * np.geomspace(1, 8, 5) @ np.linalg.qr(RNG.standard_normal((5, 5)))[0]


def test_whitened_features_are_uncorrelated_and_of_like_variance():
    whitened = FEATURES @ whitening(FEATURES).matrix
    covariance = whitened.T @ whitened
    np.testing.assert_allclose(covariance, covariance[0, 0] * np.eye(5), atol=1e-8 * covariance[0, 0])


def test_variances_too_small_to_matter_are_not_blown_up():
    F = np.diag([1.0, 1e-6])
    scales = np.diag(whitening(F).matrix)
    assert scales[1] / scales[0] == pytest.approx(10)


def test_features_that_never_vary_are_left_alone():
    np.testing.assert_array_equal(whitening(np.zeros((3, 2))).matrix, np.eye(2))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_there_and_back_again(dtype):
    theta = RNG.standard_normal(15)
    coordinates = whitening(FEATURES.astype(dtype))
    np.testing.assert_allclose(
        coordinates.theta(coordinates.of(theta)), theta, rtol=200 * np.finfo(dtype).eps, atol=1e-5
    )


def stretched(theta):
    """Mean squared error of a linear map of the stretched features: smallest at all ones."""
    errors = FEATURES @ (theta.reshape(2, 5) - 1).T
    return float((errors**2).sum()), (2 * errors.T @ FEATURES).ravel()


@pytest.mark.parametrize("solver", [solver(2000, 1e-10) for solver in all_solvers().values()])
def test_the_minimum_is_the_same(solver):
    seen = []
    result = minimise_in(
        whitening(FEATURES), solver, stretched, np.zeros(10), lambda theta, value: seen.append((theta, value))
    )
    np.testing.assert_allclose(result.theta, 1, atol=1e-3)
    # Callbacks see parameters, not coordinates.
    for theta, value in seen:
        assert stretched(theta)[0] == pytest.approx(value)


def test_fewer_steps_are_needed():
    round_, plain = (
        minimise_in(coordinates, LBFGS(500, 1e-10), stretched, np.zeros(10), lambda theta, value: None).n_iter
        for coordinates in (whitening(FEATURES), Coordinates(np.eye(5), np.eye(5)))
    )
    assert 2 * round_ < plain
