"""SDML against a convex solver and its closed forms; well posed whatever the pairs."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from nearkin.learners.constraint.sdml import SDML
from nearkin.supervision.label_pairs import balanced_pairs

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4)) @ RNG.normal(size=(4, 4))
CODES = (X[:, 0] + X[:, 1] > 0).astype(int)
PAIRS = balanced_pairs(CODES, 60, np.random.RandomState(1))
GIVEN = {"pairs": np.c_[PAIRS.left, PAIRS.right], "similar": PAIRS.similar}


def mean_outer(V, weight):
    return np.einsum("t,td,te->de", weight / weight.sum(), V, V)


def by_cvxpy(balance, sparsity, start, weight):
    V = X[PAIRS.left] - X[PAIRS.right]
    K = mean_outer(V[PAIRS.similar], weight[PAIRS.similar])
    K -= mean_outer(V[~PAIRS.similar], weight[~PAIRS.similar])
    root = np.linalg.inv(np.linalg.cholesky(start))
    C = start + balance / np.linalg.norm(root @ K @ root.T, 2) * K
    off = 1 - np.eye(4)
    price = sparsity * np.abs(C[off > 0]).mean()
    M = cp.Variable((4, 4), PSD=True)
    cost = cp.trace(C @ M) - cp.log_det(M) + price * cp.sum(cp.multiply(off, cp.abs(M)))
    problem = cp.Problem(cp.Minimize(cost))
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    return problem.value, M.value


@pytest.mark.parametrize("balance", [0.3, 0.95])
@pytest.mark.parametrize("sparsity", [0.0, 0.1, 1.0])
def test_agrees_with_a_convex_solver(balance, sparsity):
    weight = RNG.uniform(0.5, 2, size=60)
    prior = np.linalg.inv(np.cov(X.T))
    learner = SDML(balance, sparsity, prior=prior, euclid_share=0.0).fit(X, **GIVEN, constraint_weight=weight)
    value, M = by_cvxpy(balance, sparsity, np.linalg.inv(prior), weight)
    assert learner.objective_ == pytest.approx(value, rel=1e-6, abs=1e-6)
    np.testing.assert_allclose(learner.get_mahalanobis_matrix(), M, atol=1e-3 * np.abs(M).max())


@pytest.mark.parametrize("balance", [0.1, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("sparsity", [0.1, 1.0])
@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_the_gap_is_below_the_tolerance(balance, sparsity, load):
    rows, labels = load(return_X_y=True)
    for prior in ("identity", "covariance"):
        learner = SDML(balance, sparsity, prior=prior, euclid_share=0.0).fit(rows, labels)
        assert learner.gap_ <= 1e-6
        assert (np.linalg.eigvalsh(learner.get_mahalanobis_matrix()) > 0).all()


def test_a_high_price_leaves_a_diagonal_metric():
    learner = SDML(sparsity=100.0, euclid_share=0.0).fit(X, CODES)
    assert learner.sparsity_ == 1
    M = learner.get_mahalanobis_matrix()
    np.testing.assert_allclose(M, np.diag(np.diag(M)), atol=1e-12)
    assert SDML(sparsity=0.0, euclid_share=0.0).fit(X, CODES).sparsity_ == 0


def test_one_feature_has_a_closed_form():
    rows, labels = X[:, :1], CODES
    left, right = np.triu_indices(40, 1)
    squares, same = (rows[left, 0] - rows[right, 0]) ** 2, labels[left] == labels[right]
    K = squares[same].mean() - squares[~same].mean()
    M = SDML(0.5, euclid_share=0.0).fit(rows, labels).get_mahalanobis_matrix()
    assert M[0, 0] == pytest.approx(1 / (1 + 0.5 * np.sign(K)))


def test_a_light_balance_leaves_the_prior():
    np.testing.assert_allclose(
        SDML(1e-9, euclid_share=0.0).fit(X, CODES).get_mahalanobis_matrix(), np.eye(4), atol=1e-7
    )


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale):
    plain = SDML(euclid_share=0.0).fit(X, CODES).get_mahalanobis_matrix()
    np.testing.assert_allclose(
        SDML(euclid_share=0.0).fit(scale * X, CODES).get_mahalanobis_matrix(), plain, atol=1e-6
    )
    plain = SDML(prior="covariance", tol=1e-9, euclid_share=0.0).fit(X, CODES).get_mahalanobis_matrix()
    scaled = (
        SDML(prior="covariance", tol=1e-9, euclid_share=0.0).fit(scale * X, CODES).get_mahalanobis_matrix()
    )
    np.testing.assert_allclose(scaled * scale**2, plain, rtol=1e-5, atol=1e-6)


def test_more_features_than_rows():
    rows = RNG.normal(size=(12, 40))
    for prior in ("identity", "covariance"):
        assert SDML(prior=prior, euclid_share=0.0).fit(rows, CODES[:12]).gap_ <= 1e-6


@pytest.mark.parametrize(
    ("setting", "value"), [("balance", 1.0), ("balance", 0), ("sparsity", -1), ("prior", "no")]
)
def test_settings_that_cannot_be_meant_are_refused(setting, value):
    with pytest.raises(ValueError, match=setting):
        SDML(**{setting: value}, euclid_share=0.0).fit(X, CODES)
