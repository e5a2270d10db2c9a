import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der

from nearkin.solvers import LBFGS, ConjugateGradient, GradientDescent, Solver, SolverResult, all_solvers
from nearkin.solvers.lbfgs import QuasiNewtonDirections
from nearkin.solvers.line_search import Point, strong_wolfe
from nearkin.solvers.policy import DescentPolicy

MEMORY = QuasiNewtonDirections().memory


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


@pytest.mark.parametrize("solver", [solver(500, 1e-10) for solver in all_solvers().values()])
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


@pytest.mark.parametrize("solver", [solver(2, 0.0) for solver in all_solvers().values()])
def test_says_so_when_the_budget_runs_out(solver):
    result = solver.minimise(rosenbrock, np.array([-1.2, 1.0]))
    assert not result.converged
    assert result.n_iter == 2


@pytest.mark.parametrize("solver", [solver() for solver in all_solvers().values()])
def test_callback_can_stop_it(solver):
    result = solver.minimise(rosenbrock, np.array([-1.2, 1.0]), lambda theta, value: True)
    assert result.n_iter == 1
    assert result.converged


@pytest.mark.parametrize("solver", [solver() for solver in all_solvers().values()])
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
    policy = DescentPolicy(budget=60)
    point, _ = strong_wolfe(rosenbrock, start, direction, first_step, curvature=curvature, policy=policy)
    assert point.value <= value + policy.sufficient_decrease * point.step * start.slope
    assert abs(point.slope) <= -curvature * start.slope


def test_line_search_walks_around_infinite_values():
    def walled(theta):
        return (np.inf, np.zeros(1)) if theta[0] > 1 else (float((theta[0] - 0.9) ** 2), 2 * (theta - 0.9))

    result = GradientDescent().minimise(walled, np.array([-5.0]))
    assert result.theta[0] == pytest.approx(0.9, abs=1e-2)


def test_lbfgs_takes_about_as_many_evaluations_as_scipys():
    start = np.tile([-1.2, 1.0], 10)
    ours = LBFGS(500, 0.0).minimise(rosenbrock, start, lambda theta, value: value < 1e-8)
    reached = minimize(rosenbrock, start, jac=True, method="L-BFGS-B", options={"ftol": 0.0, "gtol": 1e-5})
    assert reached.fun < 1e-8
    assert ours.value < 1e-8
    assert ours.n_evaluations < 1.3 * reached.nfev


@pytest.mark.parametrize("n_steps", [1, 3, MEMORY])
def test_quasi_newton_directions_are_those_of_the_full_matrix(n_steps):
    rng = np.random.RandomState(n_steps)
    root = rng.standard_normal((6, 6))
    hessian = root @ root.T + np.eye(6)
    directions = QuasiNewtonDirections()
    steps = [rng.standard_normal(6) for _ in range(n_steps)]
    for step in steps:
        directions.learn(step, hessian @ step)
    last = hessian @ steps[-1]
    inverse = np.eye(6) * (steps[-1] @ last) / (last @ last)
    for step in steps:
        change = hessian @ step
        left = np.eye(6) - np.outer(step, change) / (step @ change)
        inverse = left @ inverse @ left.T + np.outer(step, step) / (step @ change)
    gradient = rng.standard_normal(6)
    np.testing.assert_allclose(directions.next(gradient), -inverse @ gradient, rtol=1e-9)


def test_only_the_last_steps_are_remembered_and_curves_downwards_are_not():
    directions = QuasiNewtonDirections()
    for _ in range(MEMORY + 5):
        directions.learn(np.ones(2), np.ones(2))
    assert len(directions.pairs) == MEMORY
    before = directions.pairs
    directions.learn(np.ones(2), -np.ones(2))
    assert directions.pairs is before


def test_what_was_learned_of_one_function_serves_on_the_next():
    def shifted(theta):
        value, gradient = bowl(theta - 0.01)
        return value, gradient

    first = LBFGS(500, 1e-9).minimise(bowl, np.ones(40))
    fresh = LBFGS(500, 1e-9).minimise(shifted, first.theta)
    solver = LBFGS(500, 1e-9).continued(first)
    informed = solver.minimise(shifted, first.theta)
    assert informed.n_evaluations < fresh.n_evaluations
    np.testing.assert_allclose(informed.theta, 0.01, atol=1e-3)
    # What it began with is its own: the same again gives the same.
    again = solver.minimise(shifted, first.theta)
    np.testing.assert_array_equal(again.theta, informed.theta)
    # Another budget is another descent.
    assert solver.limited(500).minimise(shifted, first.theta).n_evaluations == fresh.n_evaluations


def test_line_search_gives_up_soon_where_nothing_is_to_be_gained():
    def upwards(theta):
        return 1.0 + float(np.abs(theta).sum()), -1e-6 * np.ones(1)

    start = Point(0.0, 1.0, -1e-12, np.zeros(1), -1e-6 * np.ones(1))
    point, used = strong_wolfe(upwards, start, 1e-6 * np.ones(1), 1.0, curvature=0.1)
    assert point is start
    assert used < 6


@pytest.mark.parametrize("solver", [solver(1) for solver in all_solvers().values()])
def test_a_solver_may_follow_another_policy(solver):
    # Every search direction starts along the gradient; a line search does not shorten so short a step.
    cautious = solver.following(DescentPolicy(first_step=1e-3, budget=1))
    moved = np.linalg.norm(cautious.minimise(bowl, np.ones(4)).theta - 1)
    assert moved == pytest.approx(1e-3 * np.linalg.norm(np.ones(4)))
    assert solver.policy is None


def test_a_solver_without_thresholds_follows_none():
    class Still(Solver):
        def minimise(self, fun, theta0, callback=None):
            return SolverResult(theta0, fun(theta0)[0], 0, 1, True, "still")

    still = Still()
    assert still.following(DescentPolicy()) is still
