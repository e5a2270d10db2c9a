import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from nearkin.learners.gradient import MEGM
from nearkin.learners.gradient.minimising import minimise_exactly, minimise_from_sample
from nearkin.learners.gradient.policy import CoarsePolicy, FitPolicy
from nearkin.losses import MEGMLoss
from nearkin.maps import LinearMap
from nearkin.objective import Objective
from nearkin.solvers import LBFGS


def problem(n=400, d=5):
    rng = np.random.RandomState(0)
    X = rng.standard_normal((n, d)) * np.array([1, 1, 3, 3, 3])[:d]
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


#: Even a few hundred rows are sampled.
SMALL = CoarsePolicy(smallest_sampled=100)


class SmallMEGM(MEGM):
    fit_policy = FitPolicy(coarse=SMALL)


@pytest.fixture
def objective():
    X, y = problem()
    return Objective(LinearMap(init="identity"), MEGMLoss(), X, y, np.eye(5).ravel())


@pytest.mark.slow
def test_ends_as_well_as_without_a_sample(objective):
    theta = np.eye(5).ravel()
    plain = minimise_exactly(LBFGS(200, 1e-7), objective, theta, lambda *_: False)
    coarse = minimise_from_sample(LBFGS(200, 1e-7), objective, theta, lambda *_: False, SMALL)
    assert coarse.value == pytest.approx(objective.exact(coarse.theta)[0])
    assert coarse.value <= 1.1 * plain.value + 1e-3
    assert coarse.n_iter == len(coarse.history) - 1


class NotedMEGM(MEGMLoss):
    """Notes how many rows each evaluation sees."""

    def __init__(self):
        super().__init__()
        self.sizes = []

    def value_and_grad(self, Z, state, *, exact=False):
        self.sizes.append(len(Z))
        return super().value_and_grad(Z, state, exact=exact)


def test_first_steps_see_a_sample_only():
    X, y = problem()
    loss = NotedMEGM()
    noted = Objective(LinearMap(init="identity"), loss, X, y, np.eye(5).ravel())
    minimise_from_sample(LBFGS(30), noted, np.eye(5).ravel(), lambda *_: False, SMALL)
    assert loss.sizes[0] == 100
    assert loss.sizes[-1] == 400
    assert loss.sizes == sorted(loss.sizes)


def test_all_rows_go_on_with_what_the_sample_taught(objective):
    begun_with = []

    class Noted(LBFGS):
        def minimise(self, fun, theta0, callback=None):
            begun_with.append(0 if self.learned is None else len(self.learned.pairs))
            return super().minimise(fun, theta0, callback)

    minimise_from_sample(Noted(30, 0.0), objective, np.eye(5).ravel(), lambda *_: False, SMALL)
    assert begun_with[0] == 0
    assert begun_with[1] >= 3


@pytest.mark.parametrize("budget", [1, 2, 4, 20])
def test_budget_covers_both_parts(objective, budget):
    seen = []
    result = minimise_from_sample(
        LBFGS(budget, 0.0), objective, np.eye(5).ravel(), lambda theta, value: seen.append(value), SMALL
    )
    assert result.n_iter == len(seen) <= budget
    assert result.value == pytest.approx(objective.exact(result.theta)[0])


def test_a_callback_may_stop_on_the_sample(objective):
    result = minimise_from_sample(LBFGS(30), objective, np.eye(5).ravel(), lambda *_: True, SMALL)
    assert result.n_iter == 1
    assert result.converged
    assert result.value == pytest.approx(objective.exact(result.theta)[0])


def test_narrow_neighbourhoods_need_no_sample(objective):
    theta = 30 * np.eye(5).ravel()
    plain = minimise_exactly(LBFGS(5, 0.0), objective, theta, lambda *_: False)
    same = minimise_from_sample(LBFGS(5, 0.0), objective, theta, lambda *_: False, SMALL)
    np.testing.assert_array_equal(same.theta, plain.theta)


def test_megm_warns_when_the_budget_ran_out_on_the_sample():
    X, y = problem()
    with pytest.warns(ConvergenceWarning):
        SmallMEGM(max_iter=1, early_stopping=False).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        assert SmallMEGM(max_iter=300, tol=1e-3, early_stopping=False).fit(X, y).objective_ < 0.3
