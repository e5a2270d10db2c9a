"""LSML against a convex solver, its limits and invariances."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from nearkin.learners.constraint.lsml import LSML, residual_loss

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) @ np.diag([1.0, 2.0, 0.5])
CODES = (X[:, 0] + 0.3 * RNG.normal(size=40) > 0).astype(int)
QUADRUPLETS = RNG.integers(40, size=(50, 4))
QUADRUPLETS = QUADRUPLETS[(QUADRUPLETS[:, 0] != QUADRUPLETS[:, 1]) & (QUADRUPLETS[:, 2] != QUADRUPLETS[:, 3])]


def by_cvxpy(quadruplets, strength, weight):
    """(sqrt a - sqrt c)_+^2 is the least of a + t - 2 sqrt(a t) over 0 <= t <= c."""
    near, far = (X[quadruplets[:, k]] - X[quadruplets[:, k + 1]] for k in (0, 2))
    price = weight / weight.mean() * strength * 3 / np.mean(np.r_[(near**2).sum(1), (far**2).sum(1)])
    M, t = cp.Variable((3, 3), PSD=True), cp.Variable(len(near), nonneg=True)
    a, c = (cp.sum(cp.multiply(V @ M, V), axis=1) for V in (near, far))
    roots = cp.hstack([cp.geo_mean(cp.hstack([a[q], t[q]])) for q in range(len(near))])
    cost = cp.sum(cp.multiply(price / len(near), a + t - 2 * roots))
    problem = cp.Problem(cp.Minimize(cp.trace(M) - cp.log_det(M) - 3 + cost), [t <= c])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value, M.value


@pytest.mark.parametrize("strength", [0.1, 1.0, 10.0])
def test_agrees_with_a_convex_solver(strength):
    weight = RNG.uniform(0.5, 2, size=len(QUADRUPLETS))
    learner = LSML(strength, tol=1e-9, euclid_share=0.0).fit(
        X, quadruplets=QUADRUPLETS, constraint_weight=weight
    )
    value, M = by_cvxpy(QUADRUPLETS, strength, weight)
    assert learner.objective_ == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(learner.get_mahalanobis_matrix(), M, atol=1e-3 * np.abs(M).max())


def test_slopes_are_those_of_the_value():
    price, p = RNG.uniform(0.5, 2, 6), RNG.uniform(0.5, 2, 12)
    loss = residual_loss(price)
    steps = 1e-6 * np.eye(12)
    numerical = [(loss(p + step)[0] - loss(p - step)[0]) / 2e-6 for step in steps]
    np.testing.assert_allclose(loss(p)[1], numerical, atol=1e-8)
    assert (loss(p)[1] != 0).any()


@pytest.mark.parametrize("strength", [0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_gap_is_below_the_tolerance(strength, load):
    rows, labels = load(return_X_y=True)
    assert LSML(strength, euclid_share=0.0).fit(rows, labels).gap_ <= 1e-6


def test_triplets_are_quadruplets_from_one_anchor():
    triplets = QUADRUPLETS[:, :3]
    triplets = triplets[(triplets[:, 0] != triplets[:, 1]) & (triplets[:, 0] != triplets[:, 2])]
    quadruplets = triplets[:, [0, 1, 0, 2]]
    np.testing.assert_array_equal(
        LSML(euclid_share=0.0).fit(X, triplets=triplets).components_,
        LSML(euclid_share=0.0).fit(X, quadruplets=quadruplets).components_,
    )


def test_labels_turned_into_quadruplets_by_hand_give_the_same_metric():
    learner = LSML(euclid_share=0.0).fit(X, CODES)
    made = learner._constraints_of_labels(X, CODES)
    assert (CODES[made.near_left] == CODES[made.near_right]).all()
    assert (CODES[made.far_left] != CODES[made.far_right]).all()
    rows = np.c_[made.near_left, made.near_right, made.far_left, made.far_right]
    np.testing.assert_array_equal(
        LSML(euclid_share=0.0).fit(X, quadruplets=rows).components_, learner.components_
    )


def test_comparisons_that_hold_leave_the_prior():
    M = (
        LSML(100.0, euclid_share=0.0)
        .fit([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]], triplets=[[0, 1, 2]])
        .get_mahalanobis_matrix()
    )
    np.testing.assert_allclose(M, np.eye(2), atol=1e-12)


def test_a_strong_comparison_is_obeyed_and_its_contrary_takes_it_back():
    rows, wanted = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]]), [[0, 1, 2]]
    near, far = LSML(1e4, euclid_share=0.0).fit(rows, triplets=wanted).pair_distances(rows, [[0, 1], [0, 2]])
    assert near == pytest.approx(far, rel=1e-2)
    both = LSML(1e4, euclid_share=0.0).fit(rows, triplets=[[0, 1, 2], [0, 2, 1]])
    assert both.gap_ <= 1e-6
    assert np.isfinite(both.components_).all()


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale):
    M = LSML(tol=1e-10, euclid_share=0.0).fit(X, CODES).get_mahalanobis_matrix()
    scaled = LSML(tol=1e-10, euclid_share=0.0).fit(scale * X, CODES).get_mahalanobis_matrix()
    np.testing.assert_allclose(scaled, M, rtol=1e-4, atol=1e-5)


def test_turned_rows_give_the_turned_metric():
    turn = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    M = LSML(tol=1e-10, euclid_share=0.0).fit(X, CODES).get_mahalanobis_matrix()
    turned = LSML(tol=1e-10, euclid_share=0.0).fit(X @ turn.T, CODES).get_mahalanobis_matrix()
    np.testing.assert_allclose(turned, turn @ M @ turn.T, atol=1e-4)


def test_with_the_covariance_prior_no_invertible_map_matters():
    change = RNG.normal(size=(3, 3)) * [1e-6, 1, 1e6]
    settings = {"prior": "covariance", "tol": 1e-10}
    pairs = QUADRUPLETS[:, :2]
    plain = LSML(**settings, euclid_share=0.0).fit(X, quadruplets=QUADRUPLETS).pair_distances(X, pairs)
    changed = (
        LSML(**settings, euclid_share=0.0)
        .fit(X @ change, quadruplets=QUADRUPLETS)
        .pair_distances(X @ change, pairs)
    )
    np.testing.assert_allclose(changed, plain, rtol=1e-4)


def test_pairs_of_equal_rows_are_survived():
    rows = np.r_[X, X[:1]]
    near_equal, far_equal = [0, 40, 1, 2], [1, 2, 0, 40]
    assert LSML(euclid_share=0.0).fit(rows, quadruplets=[near_equal]).objective_ == 0
    learner = LSML(euclid_share=0.0).fit(rows, quadruplets=[far_equal, [3, 4, 5, 6]])
    assert learner.gap_ <= 1e-6
    np.testing.assert_allclose(
        LSML(euclid_share=0.0).fit(np.ones((4, 2)), triplets=[[0, 1, 2]]).components_, np.eye(2)[::1]
    )


@pytest.mark.parametrize("rows", [X[:, :1], X[:6] @ RNG.normal(size=(3, 20)), np.c_[X, np.ones(40)]])
@pytest.mark.parametrize("prior", ["identity", "covariance"])
def test_thin_wide_and_constant_data(rows, prior):
    learner = LSML(prior=prior, euclid_share=0.0).fit(rows.astype(np.float32), CODES[: len(rows)])
    assert learner.gap_ <= 1e-6
    assert learner.components_.dtype == np.float32


def test_what_cannot_teach_is_refused():
    with pytest.raises(ValueError, match="one class"):
        LSML(euclid_share=0.0).fit(X, np.zeros(40))
    with pytest.raises(ValueError, match="single row"):
        LSML(euclid_share=0.0).fit(X, np.arange(40))
    with pytest.raises(ValueError, match="names row 40"):
        LSML(euclid_share=0.0).fit(X, quadruplets=[[0, 1, 2, 40]])
    with pytest.raises(ValueError, match="strength"):
        LSML(-1, euclid_share=0.0).fit(X, CODES)
    with pytest.raises(ValueError, match="n_comparisons"):
        LSML(n_comparisons=0.5, euclid_share=0.0).fit(X, CODES)
