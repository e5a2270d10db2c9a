"""ITML against a convex solver, its authors' projections, and its limits and invariances."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from nearkin.learners.constraint.itml import ITML, prior_bounds
from nearkin.supervision.label_pairs import balanced_pairs

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) @ np.diag([1.0, 2.0, 0.5])
CODES = (X[:, 0] + 0.3 * RNG.normal(size=40) > 0).astype(int)
PAIRS = balanced_pairs(CODES, 60, np.random.RandomState(1))
GIVEN = {"pairs": np.c_[PAIRS.left, PAIRS.right], "similar": PAIRS.similar}


def differences():
    return X[PAIRS.left] - X[PAIRS.right]


def by_cvxpy(gamma, bounds, weight=1.0):
    """The original problem with its slacks, as a conic program."""
    V = differences()
    A, xi = cp.Variable((3, 3), PSD=True), cp.Variable(len(PAIRS), nonneg=True)
    p = cp.sum(cp.multiply(V @ A, V), axis=1)
    b = np.where(PAIRS.similar, *np.square(bounds))
    cost = cp.sum(cp.multiply(weight, xi / b - cp.log(xi / b) - 1))
    sides = [p[PAIRS.similar] <= xi[PAIRS.similar], p[~PAIRS.similar] >= xi[~PAIRS.similar]]
    problem = cp.Problem(cp.Minimize(cp.trace(A) - cp.log_det(A) - 3 + gamma * cost), sides)
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value, A.value


def by_projections(gamma, bounds, sweeps):
    """The algorithm of the authors' program: one pair after the other."""
    V, signs = differences(), np.where(PAIRS.similar, 1.0, -1.0)
    A, multipliers = np.eye(3), np.zeros(len(V))
    xi = np.where(PAIRS.similar, *np.square(bounds))
    for _ in range(sweeps):
        for c, (v, sign) in enumerate(zip(V, signs)):
            p = v @ A @ v
            alpha = min(multipliers[c], sign * gamma / (gamma + 1) * (1 / p - 1 / xi[c]))
            multipliers[c] -= alpha
            beta = sign * alpha / (1 - sign * alpha * p)
            xi[c] = 1 / (1 / xi[c] + sign * alpha / gamma)
            A += beta * np.outer(A @ v, A @ v)
    return A


@pytest.mark.parametrize("gamma", [0.1, 1.0, 10.0])
def test_agrees_with_a_convex_solver(gamma):
    learner = ITML(gamma, tol=1e-9, euclid_share=0.0).fit(X, **GIVEN)
    value, A = by_cvxpy(gamma, learner.bounds_)
    assert learner.objective_ * 60 == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(learner.get_mahalanobis_matrix(), A, atol=1e-4 * np.abs(A).max())


def test_weights_are_prices():
    weight = RNG.uniform(0.5, 2, size=60)
    learner = ITML(tol=1e-9, euclid_share=0.0).fit(X, **GIVEN, constraint_weight=weight)
    value, _ = by_cvxpy(1.0, learner.bounds_, weight / weight.mean())
    assert learner.objective_ * 60 == pytest.approx(value, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("gamma", [0.5, 1.0])
def test_the_authors_projections_lead_to_the_same_metric(gamma):
    learner = ITML(gamma, tol=1e-10, euclid_share=0.0).fit(X, **GIVEN)
    A = by_projections(gamma, learner.bounds_, sweeps=3000)
    np.testing.assert_allclose(learner.get_mahalanobis_matrix(), A, rtol=1e-3, atol=1e-4)


def test_the_certified_gap_covers_the_true_one():
    loose = ITML(10.0, tol=1e-2, euclid_share=0.0).fit(X, **GIVEN)
    value, _ = by_cvxpy(10.0, loose.bounds_)
    true = loose.objective_ * 60 / value - 1
    assert 1e-6 < true <= loose.gap_ <= 1e-2


@pytest.mark.parametrize("gamma", [0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_the_gap_is_below_the_tolerance(gamma, load):
    rows, labels = load(return_X_y=True)
    assert ITML(gamma, euclid_share=0.0).fit(rows, labels).gap_ <= 1e-6


def test_without_a_price_the_prior_stays():
    prior = np.array([[2.0, 0.3, 0], [0.3, 1.0, 0], [0, 0, 0.5]])
    M = ITML(1e-9, prior=prior, euclid_share=0.0).fit(X, CODES).get_mahalanobis_matrix()
    np.testing.assert_allclose(M, prior, atol=1e-5)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale):
    M = ITML(tol=1e-10, euclid_share=0.0).fit(X, CODES).get_mahalanobis_matrix()
    np.testing.assert_allclose(
        ITML(tol=1e-10, euclid_share=0.0).fit(scale * X, CODES).get_mahalanobis_matrix(),
        M,
        rtol=1e-4,
        atol=1e-5,
    )


def test_turned_rows_give_the_turned_metric():
    turn = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    M = ITML(tol=1e-10, euclid_share=0.0).fit(X, CODES).get_mahalanobis_matrix()
    turned = ITML(tol=1e-10, euclid_share=0.0).fit(X @ turn.T, CODES).get_mahalanobis_matrix()
    np.testing.assert_allclose(turned, turn @ M @ turn.T, atol=1e-4)


def test_with_the_covariance_prior_no_invertible_map_matters():
    change = RNG.normal(size=(3, 3)) * [1e-6, 1, 1e6]
    settings = {"prior": "covariance", "tol": 1e-10}
    pairs = np.c_[PAIRS.left, PAIRS.right]
    plain = ITML(**settings, euclid_share=0.0).fit(X, **GIVEN).pair_distances(X, pairs)
    changed = ITML(**settings, euclid_share=0.0).fit(X @ change, **GIVEN).pair_distances(X @ change, pairs)
    np.testing.assert_allclose(changed, plain, rtol=1e-4)


def test_the_prior_holds_off_the_span_of_the_pairs():
    rows = RNG.normal(size=(30, 4))
    rows[:2, 2:] = 1.0  # the only pair differs in the first two features alone
    M = (
        ITML(bounds=(0.1, 1), euclid_share=0.0)
        .fit(rows, pairs=[[0, 1]], similar=[True])
        .get_mahalanobis_matrix()
    )
    np.testing.assert_allclose(M[2:], np.eye(4)[2:], atol=1e-7)
    assert np.abs(M[:2, :2] - np.eye(2)).max() > 0.1


def test_more_features_than_rows_change_no_distance_between_rows():
    few = X[:12]
    wide = few @ np.linalg.qr(RNG.normal(size=(50, 3)))[0].T
    pairs = np.array([[i, j] for i in range(12) for j in range(i)])
    narrow = ITML(tol=1e-10, euclid_share=0.0).fit(few, CODES[:12]).pair_distances(few, pairs)
    np.testing.assert_allclose(
        ITML(tol=1e-10, euclid_share=0.0).fit(wide, CODES[:12]).pair_distances(wide, pairs), narrow, rtol=1e-4
    )


@pytest.mark.parametrize("selection", ["balanced", "random", "nearest"])
def test_selections_of_pairs_teach(selection):
    rows, labels = load_wine(return_X_y=True)
    learner = ITML(selection=selection, prior="covariance", n_pairs=712, euclid_share=0.0).fit(rows, labels)
    left, right = np.triu_indices(len(rows), 1)
    distances = learner.pair_distances(rows, np.c_[left, right])
    same = labels[left] == labels[right]
    before = (
        ITML(1e-9, prior="covariance", euclid_share=0.0)
        .fit(rows, labels)
        .pair_distances(rows, np.c_[left, right])
    )
    assert distances[same].mean() / distances.mean() < before[same].mean() / before.mean()
    assert learner.n_pairs_ == 712


def test_components_are_the_longest_of_all():
    rows, labels = load_wine(return_X_y=True)
    whole, part = (
        ITML(euclid_share=0.0).fit(rows, labels),
        ITML(n_components=3, euclid_share=0.0).fit(rows, labels),
    )
    np.testing.assert_allclose(part.components_, whole.components_[:3])
    assert part.transform(rows).shape == (178, 3)


def test_bounds_are_percentiles_of_distances():
    rows = RNG.normal(size=(50, 2))
    distances = [np.linalg.norm(rows[i] - rows[j]) for i in range(50) for j in range(i)]
    np.testing.assert_allclose(prior_bounds(rows, None), np.percentile(distances, [5, 95]))
    many = RNG.normal(size=(2000, 2))
    gap = np.linalg.norm(many[:1000] - many[1000:], axis=1)
    np.testing.assert_allclose(
        prior_bounds(many, np.random.RandomState(0)), np.percentile(gap, [5, 95]), rtol=0.1
    )


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("gamma", 0),
        ("prior", "euclid"),
        ("prior", np.eye(2)),
        ("prior", np.diag([1.0, 1.0, 0.0])),
        ("prior", np.triu(np.ones((3, 3)))),
        ("bounds", (1.0,)),
        ("bounds", (0.0, 1.0)),
        ("selection", "all"),
        ("n_pairs", 0),
        ("n_components", 4),
        ("tol", 0),
        ("max_iter", 0),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(setting, value):
    with pytest.raises(ValueError, match=setting):
        ITML(**{setting: value}, euclid_share=0.0).fit(X, CODES)
