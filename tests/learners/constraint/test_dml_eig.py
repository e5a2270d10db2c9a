"""DML-eig against a convex solver, its certificate, limits and invariances."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from nearkin.learners.constraint.dml_eig import DMLEig, smoothed_minimum
from nearkin.learners.constraint.similar_scatter import mean_scatter
from nearkin.supervision.label_pairs import nearest_pairs

X, y = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
ROWS = np.sort(RNG.choice(150, 50, replace=False))
PAIRS = nearest_pairs(X[ROWS], y[ROWS], 3, 3)
SMALL = X[ROWS]
GIVEN = {"pairs": np.c_[PAIRS.left, PAIRS.right], "similar": PAIRS.similar}


def setting():
    """Mean scatter of similar pairs, differences of dissimilar ones, and the unit of mu."""
    similar, dissimilar = PAIRS.split()
    S = mean_scatter(SMALL, similar)
    V = SMALL[dissimilar.left] - SMALL[dissimilar.right]
    return S, V, np.mean(np.einsum("td,de,te->t", V, np.linalg.inv(S), V)) / 4


def by_cvxpy(mu, weight=None):
    """The problem in the original coordinates, without any whitening."""
    S, V, unit = setting()
    weight = np.ones(len(V)) if weight is None else weight
    M = cp.Variable((4, 4), PSD=True)
    p = cp.sum(cp.multiply(V @ M, V), axis=1) / (mu * unit)
    value = -mu * unit * (cp.log_sum_exp(-p + np.log(weight / weight.sum())))
    problem = cp.Problem(cp.Maximize(value), [cp.trace(S @ M) == 1])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value, M.value


@pytest.mark.parametrize("mu", [0.01, 0.1, 1.0])
def test_agrees_with_a_convex_solver(mu):
    learner = DMLEig(mu, ridge=0, tol=1e-7, euclid_share=0.0).fit(SMALL, **GIVEN)
    value, M = by_cvxpy(mu)
    assert learner.objective_ == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(learner.get_mahalanobis_matrix(), M, atol=3e-3 * np.abs(M).max())


def test_weights_count():
    weight = np.where(np.arange(len(PAIRS)) % 2 == 0, 5.0, 1.0)
    learner = DMLEig(1.0, ridge=0, tol=1e-7, euclid_share=0.0)
    assert learner.fit(SMALL, **GIVEN, constraint_weight=weight).objective_ != pytest.approx(
        by_cvxpy(1.0)[0], 1e-3
    )
    only_dissimilar = np.where(PAIRS.similar, 1.0, weight)
    value, _ = by_cvxpy(1.0, only_dissimilar[~PAIRS.similar])
    assert learner.fit(SMALL, **GIVEN, constraint_weight=only_dissimilar).objective_ == pytest.approx(
        value, rel=1e-6
    )


def test_a_small_mu_comes_near_the_largest_minimum():
    S, V, _ = setting()
    M, least = cp.Variable((4, 4), PSD=True), cp.Variable()
    problem = cp.Problem(
        cp.Maximize(least), [cp.trace(S @ M) == 1, cp.sum(cp.multiply(V @ M, V), axis=1) >= least]
    )
    problem.solve(solver=cp.CLARABEL)
    learner = DMLEig(1e-4, ridge=0, tol=1e-5, euclid_share=0.0).fit(SMALL, **GIVEN)
    distances = np.square(learner.pair_distances(SMALL, GIVEN["pairs"][~PAIRS.similar]))
    assert distances.min() == pytest.approx(problem.value, rel=1e-2)
    similar = np.square(learner.pair_distances(SMALL, GIVEN["pairs"][PAIRS.similar]))
    assert similar.mean() == pytest.approx(1, rel=1e-4)


def test_the_certified_gap_covers_the_true_one():
    loose = DMLEig(0.01, ridge=0, tol=0.3, euclid_share=0.0).fit(SMALL, **GIVEN)
    true = by_cvxpy(0.01)[0] / loose.objective_ - 1
    assert 1e-7 < true <= loose.gap_ <= 0.3


@pytest.mark.parametrize("mu", [0.01, 0.1, 1.0])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_the_gap_is_below_the_tolerance(mu, load):
    rows, labels = load(return_X_y=True)
    assert DMLEig(mu, euclid_share=0.0).fit(rows, labels).gap_ <= 1e-6


def test_no_invertible_map_changes_a_distance_without_a_ridge():
    change = RNG.normal(size=(4, 4)) * [1e-3, 1, 1, 1e3]
    settings = {"ridge": 0, "tol": 1e-7}
    plain = DMLEig(**settings, euclid_share=0.0).fit(SMALL, **GIVEN).pair_distances(SMALL, GIVEN["pairs"])
    changed = (
        DMLEig(**settings, euclid_share=0.0)
        .fit(SMALL @ change, **GIVEN)
        .pair_distances(SMALL @ change, GIVEN["pairs"])
    )
    np.testing.assert_allclose(changed, plain, rtol=1e-2, atol=1e-3)


def test_solutions_have_few_directions():
    rows, labels = load_wine(return_X_y=True)
    rows = rows / rows.std(axis=0)
    assert DMLEig(euclid_share=0.0).fit(rows, labels).components_.shape[0] < 7
    assert DMLEig(euclid_share=0.1).fit(rows, labels).components_.shape == (13, 13)
    assert DMLEig(n_components=2, euclid_share=0.0).fit(rows, labels).components_.shape == (2, 13)


def test_what_its_directions_are_blind_to_is_never_left_out_by_default():
    rows, labels = load_wine(return_X_y=True)
    assert DMLEig().fit(rows / rows.std(axis=0), labels).euclid_share_ > 0


def test_slopes_are_those_of_the_value():
    p, gain = RNG.uniform(1, 2, 6), smoothed_minimum(0.3, RNG.uniform(1, 2, 6))
    numerical = [(gain(p + step)[0] - gain(p - step)[0]) / 2e-6 for step in 1e-6 * np.eye(6)]
    np.testing.assert_allclose(gain(p)[1], numerical, rtol=1e-6)


def test_directions_without_similar_spread_need_a_ridge():
    rows = np.c_[X, np.ones(150)]
    assert DMLEig(euclid_share=0.0).fit(rows, y).gap_ <= 1e-6
    with pytest.raises(ValueError, match="raise ridge=0"):
        DMLEig(ridge=0, euclid_share=0.0).fit(rows, y)
