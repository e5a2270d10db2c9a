"""A loss and a solver written to the letter of CONTRIBUTING, and nothing more, work everywhere."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nearkin.learners.gradient import LMNN, MEGM, NCA, MetricLearner, MoLMNN
from nearkin.learners.gradient.policy import CoarsePolicy, FitPolicy
from nearkin.losses import DriftLoss, Loss, MEGMLoss, NCALoss, TotalLoss
from nearkin.maps import DiagonalMap
from nearkin.solvers import LBFGS, Solver, SolverResult

X, y = load_iris(return_X_y=True)


class Plain(Solver):
    """Steps of a fixed length down the gradient, halved where they lead up."""

    def minimise(self, fun, theta0, callback=None):
        theta, step = np.array(theta0, dtype=np.float64), 0.1
        value, gradient = fun(theta)
        history, evaluations = [value], 1
        while len(history) <= self.max_iter and step > 1e-8:
            ahead = theta - step * gradient
            value, new_gradient = fun(ahead)
            evaluations += 1
            if value >= history[-1]:
                step /= 2
                continue
            theta, gradient = ahead, new_gradient
            history.append(value)
            if callback is not None and callback(theta, value):
                break
        return SolverResult(theta, history[-1], len(history) - 1, evaluations, True, "done", history)


class CentroidLoss(Loss):
    """Mean squared distance to the mean of the row's class, over that to the mean of all."""

    def prepare(self, X, y, *, start=None, sample_weight=None):
        return np.eye(y.max() + 1)[y] / np.bincount(y)

    def value_and_grad(self, Z, state, *, exact=False):
        own, all_ = Z - (state > 0) @ (state.T @ Z), Z - Z.mean(axis=0)
        within, total = float((own**2).sum()), float((all_**2).sum())
        gradient = 2 * own / total - 2 * within / total**2 * all_
        return within / total, gradient.astype(Z.dtype, copy=False)


class SampledMEGM(MEGM):
    """Takes its first steps on a sample of even so few rows."""

    fit_policy = FitPolicy(coarse=CoarsePolicy(smallest_sampled=50, rows_per_sample=3, narrow=1))


def megm_at_the_start():
    loss = MEGMLoss()
    return loss.value_and_grad(X, loss.prepare(X, y))[0]


@pytest.mark.parametrize(
    "learner",
    [
        NCA(solver=Plain(20)),
        LMNN(solver=Plain(20)),  # in whitened coordinates
        LMNN(solver=Plain(20), n_init=2, refresh_targets=1, random_state=0),
        MEGM(solver=Plain(20)),
        SampledMEGM(solver=Plain(20), early_stopping=False),
        SampledMEGM(solver=Plain(20), early_stopping=False, penalty=0.1),
        MoLMNN(solver=Plain(5), n_components=2, max_iter=2, tol=1.0, random_state=0),
    ],
    ids=lambda learner: f"{type(learner).__name__}",
)
def test_a_solver_of_ones_own_serves_every_learner(learner):
    fitted = learner.fit(X, y)
    # The history of a sampled start begins with values of the sample.
    start = fitted.history_[0] if not isinstance(learner, SampledMEGM) else megm_at_the_start()
    assert fitted.objective_ < start


@pytest.mark.parametrize(
    "loss", [CentroidLoss(), TotalLoss([(1.0, CentroidLoss()), (0.1, NCALoss()), (0.1, DriftLoss())])]
)
@pytest.mark.parametrize("solver", ["lbfgs", Plain(20)])
def test_a_loss_of_ones_own_serves_with_every_part(loss, solver):
    fitted = MetricLearner(DiagonalMap(), loss, solver, tol=1e-3, n_init=2, random_state=0).fit(X, y)
    assert fitted.objective_ < fitted.history_[0]


def test_a_sampled_start_without_a_loss_that_can_be_narrowed_is_a_plain_one():
    class OwnLoss(SampledMEGM):
        def _loss(self):
            return CentroidLoss()

    fitted = OwnLoss(early_stopping=False, max_iter=5, tol=1e-1).fit(X, y)
    assert fitted.objective_ < fitted.history_[0]


def test_continuing_is_optional():
    solver = Plain(3)
    first = solver.minimise(lambda t: (float(t @ t), 2 * t), np.ones(2))
    assert solver.continued(first) is solver
    limited = LBFGS(9).limited(2)
    assert (limited.max_iter, type(limited)) == (2, LBFGS)
