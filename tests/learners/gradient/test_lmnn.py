import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from nearkin.learners.euclid_share import SharePolicy
from nearkin.learners.gradient import LMCA, LMNN, MetricLearner
from nearkin.learners.gradient.lmnn import LARGE_MARGIN_DESCENT
from nearkin.learners.gradient.policy import FitPolicy, RefreshPolicy
from nearkin.losses import LargeMarginLoss
from nearkin.maps import GatedMap, LinearMap
from nearkin.objective import Objective
from nearkin.supervision.targets import target_neighbours

X, y = load_iris(return_X_y=True)
X = scale(X)


def convex_optimum(X, y, n_targets, mu, steps=4000):
    """Projected subgradients on M itself, with Polyak-like decreasing steps; best value seen.

    Shares nothing with the library but the choice of targets.
    """
    n, d = X.shape
    targets = target_neighbours(X, y, n_targets)
    i = np.repeat(np.arange(n), targets.shape[1])
    pull = X[i] - X[targets.ravel()]
    rows, others = np.nonzero(y[:, None] != y)
    push = X[rows] - X[others]
    bounds = np.searchsorted(rows, np.arange(n + 1))
    M, best = np.eye(d), np.inf
    base = (1 - mu) * pull.T @ pull / n
    for step in range(steps):
        d_pull = np.einsum("ij,jk,ik->i", pull, M, pull).reshape(n, -1)
        d_push = np.einsum("ij,jk,ik->i", push, M, push)
        violated = np.zeros(len(push))
        pulled = np.zeros(d_pull.shape)
        value = (1 - mu) * d_pull.sum() / n
        for row in range(n):
            part = slice(bounds[row], bounds[row + 1])
            hinges = np.maximum(1 + d_pull[row][:, None] - d_push[None, part], 0)
            value += mu * hinges.sum() / n
            violated[part] = (hinges > 0).sum(axis=0)
            pulled[row] = (hinges > 0).sum(axis=1)
        best = min(best, value)
        G = base + mu / n * ((pull * pulled.ravel()[:, None]).T @ pull - (push * violated[:, None]).T @ push)
        M = M - 1.0 / np.sqrt(step + 1) * G / np.linalg.norm(G)
        values, vectors = np.linalg.eigh((M + M.T) / 2)
        M = (vectors * np.maximum(values, 0)) @ vectors.T
    return best


def test_optimum_is_that_of_the_convex_problem():
    data, labels = X[::3], y[::3]
    fitted = LMNN(n_targets=2, tol=1e-9, max_iter=2000, refresh_targets=0, euclid_share=0.0).fit(data, labels)
    expected = convex_optimum(data, labels, 2, 0.5, steps=1200)
    # Subgradients come close from above; no start may do better than the convex optimum.
    assert fitted.objective_ == pytest.approx(expected, rel=1e-3)


def test_optimum_does_not_depend_on_the_start():
    settings = {"tol": 1e-9, "max_iter": 2000, "refresh_targets": 0, "euclid_share": 0.0}
    values = [
        LMNN(init=init, random_state=3, **settings).fit(X, y).objective_
        for init in ("identity", "random", "pca")
    ]
    np.testing.assert_allclose(values, values[0], rtol=1e-3)


def test_no_impostors_is_a_normal_case():
    data = np.concatenate([np.random.RandomState(0).standard_normal((20, 2)), 1e3 + np.zeros((20, 2))])
    fitted = LMNN(init=10 * np.eye(2), refresh_targets=0).fit(data, np.repeat([0, 1], 20))
    assert np.isfinite(fitted.components_).all()
    assert fitted.objective_ <= fitted.history_[0]


def test_mixture_with_one_open_gate_is_lmca():
    data, labels = load_wine(return_X_y=True)
    data = scale(data)
    start = LinearMap(2, "pca").start(data, labels, np.random.RandomState(0))
    gated = GatedMap(1, "softmax", 2)
    theta = np.concatenate([start, np.zeros(14)])
    plain = Objective(LinearMap(2), LargeMarginLoss(), data, labels, start)
    mixed = Objective(gated, LargeMarginLoss(), data, labels, theta)
    assert mixed(theta)[0] == pytest.approx(plain(start)[0], rel=1e-12)
    np.testing.assert_allclose(mixed(theta)[1][:26], plain(start)[1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(mixed(theta)[1][26:], 0, atol=1e-12)
    learned = LMCA(2).fit(data, labels)
    same = MetricLearner(gated, LargeMarginLoss(), max_iter=200).fit(data, labels)
    assert same.objective_ == pytest.approx(learned.objective_, rel=1e-3)


def test_refreshed_targets_are_those_of_the_learned_distance():
    fitted = LMNN(refresh_targets=20, random_state=0, euclid_share=0.0).fit(X, y)
    Z = fitted.transform(X)
    objective = LargeMarginLoss()
    renewed = objective.value_and_grad(Z, objective.prepare(Z, y))[0]
    # Only the last targets are served to the last digit, which may change one of them.
    assert renewed == pytest.approx(fitted.objective_, rel=1e-3)


def test_whether_targets_are_chosen_again_has_a_threshold_of_its_own():
    class Never(LMNN):
        fit_policy = FitPolicy(refresh=RefreshPolicy(never_from=len(X)))

    class NoShare(LMNN):
        share_policy = SharePolicy(auto_below=len(X))

    usual, never, no_share = (learner(tol=1e-3).fit(X, y) for learner in (LMNN, Never, NoShare))
    once = LMNN(tol=1e-3, refresh_targets=0).fit(X, y)
    np.testing.assert_array_equal(never.parameters_, once.parameters_)
    np.testing.assert_array_equal(no_share.parameters_, usual.parameters_)
    assert not np.array_equal(usual.parameters_, once.parameters_)


@pytest.mark.parametrize("solver", ["lbfgs", "cg", "gd"])
def test_the_first_step_is_a_share_of_the_start(solver):
    assert LMNN(solver=solver)._solver().policy is LARGE_MARGIN_DESCENT


def test_lmca_takes_half_of_the_features_unless_told():
    assert LMCA(euclid_share=0.0).fit(X, y).components_.shape == (2, 4)
    assert LMCA(3).fit(X, y).components_.shape == (3, 4)


@pytest.mark.parametrize(
    "settings", [{"mu": -0.1}, {"mu": 2}, {"n_targets": 0}, {"n_targets": 2.5}, {"refresh_targets": -1}]
)
def test_impossible_settings_are_named(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        LMNN(**settings).fit(X, y)
