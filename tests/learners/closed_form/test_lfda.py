"""LFDA: the problem it solves, its scalings and invariances, and its kernel form."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from nearkin import KNNClassifier
from nearkin.learners.closed_form.lfda import LFDA
from nearkin.maps import KernelMap
from nearkin.numerics.linear_metric import ridged
from nearkin.numerics.local_scatter import local_scatters

X, y = load_wine(return_X_y=True)
X = scale(X)
WITHIN, BETWEEN = local_scatters(X, y, 7)
WITHIN = ridged(WITHIN)


def test_plain_directions_solve_the_generalised_eigenproblem():
    learner = LFDA(scaling="plain", euclid_share=0.0).fit(X, y)
    A = learner.components_
    np.testing.assert_allclose(A @ WITHIN @ A.T, np.eye(13), atol=1e-9)
    np.testing.assert_allclose(A @ BETWEEN @ A.T, np.diag(learner.eigenvalues_), atol=1e-9)
    assert np.all(np.diff(learner.eigenvalues_) <= 0)


@pytest.mark.parametrize("scaling", ["weighted", "plain", "orthonormal"])
def test_objective_is_the_largest_ratio_of_scatters_whatever_the_scaling(scaling):
    def ratio(A):
        return np.trace(np.linalg.solve(A @ WITHIN @ A.T, A @ BETWEEN @ A.T))

    learner = LFDA(n_components=3, scaling=scaling, euclid_share=0.0).fit(X, y)
    assert learner.objective_ == pytest.approx(ratio(learner.components_))
    rng = np.random.default_rng(0)
    assert max(ratio(rng.normal(size=(3, 13))) for _ in range(500)) < learner.objective_


def test_weights_are_square_roots_of_the_eigenvalues():
    plain, weighted = LFDA(scaling="plain", euclid_share=0.0).fit(X, y), LFDA(euclid_share=0.0).fit(X, y)
    expected = np.sqrt(np.maximum(plain.eigenvalues_, 0))[:, None] * plain.components_
    np.testing.assert_allclose(weighted.components_, expected)


def test_orthonormal_directions_span_the_same():
    plain, orthonormal = (
        LFDA(3, scaling=scaling, euclid_share=0.0).fit(X, y) for scaling in ("plain", "orthonormal")
    )
    L = orthonormal.components_
    np.testing.assert_allclose(L @ L.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(plain.components_ @ L.T @ L, plain.components_, atol=1e-9)


def test_neither_unit_nor_rotation_matters():
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(13, 13)))[0]
    plain = LFDA(euclid_share=0.0).fit(X, y).distance_.pairwise(X[:9], X)
    for moved in (1e6 * X, 1e-6 * X, X @ Q, X + 100):
        found = LFDA(euclid_share=0.0).fit(moved, y).distance_.pairwise(moved[:9], moved)
        np.testing.assert_allclose(found, plain, rtol=1e-5, atol=1e-8)


def test_parts_of_a_class_may_stay_apart():
    # One class on both sides of the other: discriminants of whole classes see no difference of means.
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 0, 1], 60)
    rows = np.c_[np.repeat([-5.0, 5.0, 0.0], 60), np.zeros(180)] + rng.normal(size=(180, 2)) * [0.5, 3]
    first = LFDA(n_components=1, euclid_share=0.0).fit(rows, labels).components_[0]
    assert abs(first[0]) > 10 * abs(first[1])


def test_the_linear_kernel_changes_nothing():
    plain, linear = (
        LFDA(shrinkage=1e-2, euclid_share=0.0).fit(X, y),
        LFDA(kernel="linear", euclid_share=0.0).fit(X, y),
    )
    found, expected = (learner.distance_.pairwise(X[:9], X) for learner in (linear, plain))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert not hasattr(linear, "components_")


@pytest.mark.parametrize(
    "kernel", ["rbf", KernelMap(kernel="polynomial", degree=2)], ids=["rbf", "polynomial"]
)
def test_a_kernel_parts_what_no_line_can(kernel):
    # A ball and what surrounds it.
    rows = np.random.default_rng(0).normal(size=(400, 6))
    outside = (rows**2).sum(axis=1) > 5

    def score(kernel):
        model = KNNClassifier(LFDA(kernel=kernel, random_state=0, euclid_share=0.0), n_neighbors=3)
        return model.fit(rows[::2], outside[::2]).score(rows[1::2], outside[1::2])

    assert score(kernel) > score(None) + 0.08


def test_rows_that_coincide_leave_the_directions_as_they_are():
    with pytest.warns(UserWarning, match="not weighted"):
        learner = LFDA(euclid_share=0.0).fit(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])
    assert np.isfinite(learner.components_).all()


def test_clear_errors():
    for settings, name in [
        ({"n_components": 14}, "n_components"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"scaling": "none"}, "scaling"),
        ({"shrinkage": 2}, "shrinkage"),
        ({"kernel": "rbff"}, "kernel"),
    ]:
        with pytest.raises(ValueError, match=name):
            LFDA(**settings, euclid_share=0.0).fit(X, y)
