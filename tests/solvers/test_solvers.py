import numpy as np
import pytest
from scipy.optimize import rosen, rosen_der

from nearkin.solvers import LBFGS, SOLVERS, ConjugateGradient, GradientDescent
from nearkin.solvers.line_search import DECREASE, Point, strong_wolfe


def rosenbrock(theta):
    return float(rosen(theta)), rosen_der(theta)


def bowl(theta):
    scales = np.arange(1.0, theta.size + 1)
    return float(scales @ theta**2), 2 * scales * theta


@pytest.mark.parametrize("solver", [LBFGS(500, 1e-12), ConjugateGradient(2000, 1e-12)])
def test_finds_the_bottom_of_a_curved_valley(solver):
    result = solver.minimise(rosenbrock, np.array([-1.2, 1.0, -0.5]))
    np.testing.assert_allclose(result.theta, 1, atol=1e-3)
    assert result.converged


@pytest.mark.parametrize("solver", [solver(500, 1e-10) for solver in SOLVERS.values()])
def test_finds_the_bottom_of_a_bowl_and_tells_the_way(solver):
    seen = []
    result = solver.minimise(bowl, np.ones(6), lambda theta, value: seen.append((theta.copy(), value)))
    np.testing.assert_allclose(result.theta, 0, atol=1e-3)
    assert result.converged
    assert result.n_iter == len(seen) == len(result.history) - 1
    assert result.history[0] == bowl(np.ones(6))[0]
    assert np.all(np.diff(result.history) <= 0)
    for theta, value in seen:
        assert bowl(theta)[0] == pytest.approx(value)
    assert result.value == pytest.approx(bowl(result.theta)[0])


@pytest.mark.parametrize("solver", [solver(2, 0.0) for solver in SOLVERS.values()])
def test_says_so_when_the_budget_runs_out(solver):
    result = solver.minimise(rosenbrock, np.array([-1.2, 1.0]))
    assert not result.converged
    assert result.n_iter == 2


@pytest.mark.parametrize("solver", [solver() for solver in SOLVERS.values()])
def test_callback_can_stop_it(solver):
    result = solver.minimise(rosenbrock, np.array([-1.2, 1.0]), lambda theta, value: True)
    assert result.n_iter == 1
    assert result.converged


@pytest.mark.parametrize("solver", [solver() for solver in SOLVERS.values()])
def test_stays_at_an_optimum(solver):
    result = solver.minimise(bowl, np.zeros(3))
    assert result.converged
    np.testing.assert_array_equal(result.theta, 0)


def test_conjugate_gradients_beat_plain_descent():
    plain = GradientDescent(2000, 1e-9).minimise(bowl, np.ones(60))
    conjugate = ConjugateGradient(2000, 1e-9).minimise(bowl, np.ones(60))
    assert conjugate.n_evaluations < plain.n_evaluations


@pytest.mark.parametrize("first_step", [1e-6, 1e-2, 1.0, 1e4])
@pytest.mark.parametrize("curvature", [0.1, 0.9])
def test_line_search_meets_the_strong_wolfe_conditions(first_step, curvature):
    theta = np.array([-1.2, 1.0])
    value, gradient = rosenbrock(theta)
    direction = -gradient
    start = Point(0.0, value, float(gradient @ direction), theta, gradient)
    point, _ = strong_wolfe(rosenbrock, start, direction, first_step, curvature=curvature, budget=60)
    assert point.value <= value + DECREASE * point.step * start.slope
    assert abs(point.slope) <= -curvature * start.slope


def test_line_search_walks_around_infinite_values():
    def walled(theta):
        return (np.inf, np.zeros(1)) if theta[0] > 1 else (float((theta[0] - 0.9) ** 2), 2 * (theta - 0.9))

    result = GradientDescent().minimise(walled, np.array([-5.0]))
    assert result.theta[0] == pytest.approx(0.9, abs=1e-2)


@pytest.mark.parametrize("overlooked_at", [{8, 9}, {8, 9, 30, 31}, {8, 9, 30, 31, 52, 53}])
def test_values_that_were_too_good_are_no_end(overlooked_at):
    # A function that overlooks part of itself for a while, as losses with remembered pairs may.
    scales, calls = np.geomspace(1, 1e4, 12), []

    def forgetful(theta):
        calls.append(theta)
        overlooked = len(calls) in overlooked_at
        value = float(scales @ theta**2)
        return (0.2 if overlooked else 1.0) * value, 2 * scales * theta

    result = LBFGS(300, 1e-8).minimise(forgetful, np.ones(12))
    assert len(calls) > max(overlooked_at)
    assert scales @ result.theta**2 < 1e-3
