"""MMC against a convex solver, full and diagonal, its limits and invariances."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from nearkin.learners.constraint.mmc import MMC, mean_root
from nearkin.supervision.label_pairs import balanced_pairs

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) @ RNG.normal(size=(3, 3))
CODES = (X[:, 0] + X[:, 1] + 0.3 * RNG.normal(size=40) > 0).astype(int)
PAIRS = balanced_pairs(CODES, 80, np.random.RandomState(1))
GIVEN = {"pairs": np.c_[PAIRS.left, PAIRS.right], "similar": PAIRS.similar}


def by_cvxpy(diagonal, weight=None):
    V = X[PAIRS.left] - X[PAIRS.right]
    weight = np.ones(len(V)) if weight is None else weight
    S = np.einsum("t,td,te->de", weight[PAIRS.similar] / weight[PAIRS.similar].sum(), *2 * [V[PAIRS.similar]])
    V, weight = V[~PAIRS.similar], weight[~PAIRS.similar]
    w = cp.Variable(3, nonneg=True)
    M = cp.diag(w) if diagonal else cp.Variable((3, 3), PSD=True)
    roots = cp.sqrt(cp.sum(cp.multiply(V @ M, V), axis=1))
    problem = cp.Problem(cp.Maximize(weight / weight.sum() @ roots), [cp.trace(S @ M) <= 1])
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value, M.value


@pytest.mark.parametrize("diagonal", [False, True])
def test_agrees_with_a_convex_solver(diagonal):
    learner = MMC(diagonal=diagonal, ridge=0, euclid_share=0.0).fit(X, **GIVEN)
    value, M = by_cvxpy(diagonal)
    assert learner.objective_ == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(learner.get_mahalanobis_matrix(), M, atol=3e-3 * np.abs(M).max())


def test_weights_count():
    weight = RNG.uniform(0.2, 3, size=80)
    learner = MMC(ridge=0, euclid_share=0.0).fit(X, **GIVEN, constraint_weight=weight)
    assert learner.objective_ == pytest.approx(by_cvxpy(False, weight)[0], rel=1e-6)


def test_the_metric_found_has_the_value_it_reports():
    learner = MMC(ridge=0, tol=1e-8, euclid_share=0.0).fit(X, **GIVEN)
    distances = learner.pair_distances(X, GIVEN["pairs"])
    assert distances[~PAIRS.similar].mean() == pytest.approx(learner.objective_, rel=1e-4)
    assert np.square(distances[PAIRS.similar]).mean() == pytest.approx(1, rel=1e-4)


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_the_gap_is_below_the_tolerance(diagonal, load):
    rows, labels = load(return_X_y=True)
    assert MMC(diagonal=diagonal, euclid_share=0.0).fit(rows, labels).gap_ <= 1e-6


def test_labels_stand_for_all_similar_pairs():
    made = MMC(euclid_share=0.0)._constraints_of_labels(X, CODES)
    sizes = np.bincount(CODES)
    assert made.similar.sum() == (sizes * (sizes - 1) // 2).sum()
    assert (~made.similar).sum() == 6 * 40
    np.testing.assert_array_equal(made.similar, CODES[made.left] == CODES[made.right])


def test_no_invertible_map_changes_a_distance_without_a_ridge():
    change = RNG.normal(size=(3, 3)) * [1e-3, 1, 1e3]
    plain = MMC(ridge=0, euclid_share=0.0).fit(X, **GIVEN).pair_distances(X, GIVEN["pairs"])
    changed = (
        MMC(ridge=0, euclid_share=0.0).fit(X @ change, **GIVEN).pair_distances(X @ change, GIVEN["pairs"])
    )
    np.testing.assert_allclose(changed, plain, rtol=1e-2, atol=2e-3)


def test_weights_of_features_do_not_depend_on_their_units_without_a_ridge():
    units = np.array([1e-6, 1.0, 1e6])
    plain = MMC(diagonal=True, ridge=0, euclid_share=0.0).fit(X, **GIVEN).get_mahalanobis_matrix()
    scaled = MMC(diagonal=True, ridge=0, euclid_share=0.0).fit(X * units, **GIVEN).get_mahalanobis_matrix()
    np.testing.assert_allclose(scaled * np.outer(units, units), plain, rtol=1e-3, atol=1e-4)
    assert (plain == np.diag(np.diag(plain))).all()


def test_solutions_have_very_few_directions():
    rows, labels = load_iris(return_X_y=True)
    assert MMC(euclid_share=0.0).fit(rows, labels).components_.shape == (1, 4)


def test_draws_are_the_same_every_time_unless_asked():
    first, again, other = (
        MMC(euclid_share=0.0).fit(X, CODES),
        MMC(euclid_share=0.0).fit(X, CODES),
        MMC(random_state=5, euclid_share=0.0).fit(X, CODES),
    )
    np.testing.assert_array_equal(first.components_, again.components_)
    assert (first.components_ != other.components_).any()
    nearest = MMC(n_random=0, euclid_share=0.0).fit(X, CODES).components_
    np.testing.assert_array_equal(
        MMC(n_random=0, random_state=5, euclid_share=0.0).fit(X, CODES).components_, nearest
    )


def test_slopes_are_those_of_the_value():
    p, gain = RNG.uniform(1, 2, 6), mean_root(RNG.uniform(1, 2, 6))
    numerical = [(gain(p + step)[0] - gain(p - step)[0]) / 2e-6 for step in 1e-6 * np.eye(6)]
    np.testing.assert_allclose(gain(p)[1], numerical, rtol=1e-6)


def test_no_dissimilar_pair_is_refused():
    with pytest.raises(ValueError, match="n_random=0"):
        MMC(0, 0, euclid_share=0.0).fit(X, CODES)
    assert MMC(0, 2, euclid_share=0.0).fit(X, CODES).gap_ <= 1e-6
