"""Distances to prototypes and the errors of their ratios against naive sums."""

import numpy as np
import pytest

from nearkin.numerics.prototypes import nearest_same_and_other, prototype_distances, ratio_errors

METRIC_SIZES = {"weights": (6, 4), "factors": (6, 4, 4), "low rank": (6, 2, 4)}


@pytest.mark.parametrize("shape", METRIC_SIZES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_distances_equal_the_naive_ones(shape, dtype):
    rng = np.random.default_rng(0)
    X, prototypes, metrics = (
        rng.normal(size=(30, 4)),
        rng.normal(size=(6, 4)),
        rng.normal(size=METRIC_SIZES[shape]),
    )
    factors = metrics if metrics.ndim == 3 else np.stack([np.diag(w) for w in metrics])
    expected = [[np.sum((L @ (x - p)) ** 2) for p, L in zip(prototypes, factors)] for x in X]
    D = prototype_distances(*(part.astype(dtype) for part in (X, prototypes, metrics)))
    assert D.dtype == dtype
    np.testing.assert_allclose(D, expected, rtol=200 * np.finfo(dtype).eps, atol=100 * np.finfo(dtype).eps)


def test_errors_are_the_sigmoid_of_the_ratio():
    same, other = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 1.0])
    np.testing.assert_allclose(ratio_errors(same, other, 4.0, 0.0), 1 / (1 + np.exp(4 * (1 - same / other))))


def test_a_point_on_two_prototypes_is_undecided():
    assert ratio_errors(np.zeros(1), np.zeros(1), 3.0, 1e-12)[0] == 0.5


def test_no_ratio_is_too_large():
    errors = ratio_errors(np.array([1e300, 0.0]), np.array([1e-300, 1.0]), 10.0, 1e-310)
    np.testing.assert_allclose(errors, [1.0, 0.0], atol=1e-4)


def test_nearest_are_found_on_either_side():
    D = np.array([[3.0, 1.0, 2.0, 0.5]])
    same, other = nearest_same_and_other(D, np.array([[True, True, False, False]]))
    assert (same[0], other[0]) == (1, 3)
