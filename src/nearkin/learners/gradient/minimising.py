"""Minimising objectives whose values may be inexact on the way: exact at the end, sampled at first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nearkin.learners.gradient.policy import CoarsePolicy
from nearkin.losses.base import Narrowable
from nearkin.objective import Objective
from nearkin.solvers import Solver, SolverResult
from nearkin.solvers.coordinates import Coordinates, minimise_in


def minimise_exactly(
    solver: Solver,
    objective: Objective,
    theta,
    callback,
    *,
    coordinates: Coordinates | None = None,
    most_corrections: int = 3,
) -> SolverResult:
    """Minimise, and continue if the exact value at the end is worse than the last one.

    The reported value, and the last in the history, are exact. An outdated list of near pairs may have
    misled the solver, which then continues, at most `most_corrections` times.
    """

    def minimise(solver: Solver, theta: np.ndarray) -> SolverResult:
        if coordinates is None:
            return solver.minimise(objective, theta, callback)
        return minimise_in(coordinates, solver, objective, theta, callback)

    result = minimise(solver, theta)
    for correction in range(most_corrections + 1):
        exact = objective.exact(result.theta)[0]
        wrong = exact - result.value > max(solver.tol, objective.tolerance) * max(abs(exact), 1.0)
        history = [*result.history[:-1], exact]
        result = replace(result, value=exact, history=history)
        if not wrong or result.n_iter >= solver.max_iter or correction == most_corrections:
            break
        more = minimise(solver.limited(solver.max_iter - result.n_iter), result.theta)
        result = replace(
            more,
            n_iter=result.n_iter + more.n_iter,
            n_evaluations=result.n_evaluations + more.n_evaluations,
            history=history + more.history[1:],
        )
    return result


def minimise_from_sample(
    solver: Solver, objective: Objective, theta, callback, policy: CoarsePolicy | None = None
) -> SolverResult:
    """Minimise, with the first steps on a sample of the rows while the neighbourhoods are broad.

    Averages over broad neighbourhoods are nearly the same in a sample, at a fraction of the cost. Once they
    are narrow enough for short lists of near pairs, or steps no longer help another sample, all rows are
    used. All steps share one budget; the history holds values of the sample, then of all rows.
    """
    policy = policy or CoarsePolicy()
    n = len(objective.F)
    if n < policy.smallest_sampled or not isinstance(objective.state, Narrowable):
        return minimise_exactly(solver, objective, theta, callback)
    sample, others = (objective.narrowed(rows) for rows in _two_samples(n, policy))

    def narrow(theta) -> bool:
        return sample.neighbours_per_row(theta) * n / len(sample.F) <= policy.narrow

    if narrow(theta):
        return minimise_exactly(solver, objective, theta, callback)
    stopped, steps, best = False, 0, np.inf

    def after_step(theta, value) -> bool:
        nonlocal stopped, steps, best
        stopped = bool(callback(theta, value))
        steps += 1
        if stopped or steps % policy.steps_per_look:
            return stopped
        judged = others(theta)[0]
        if judged >= best or narrow(theta):
            return True
        best = judged
        return False

    first = solver.limited(solver.max_iter).minimise(sample, theta, after_step)
    left = solver.max_iter - first.n_iter
    if stopped or left < 1:
        value = objective.exact(first.theta)[0]
        converged = stopped or first.converged
        return replace(first, value=value, converged=converged, history=[*first.history[:-1], value])
    rest = minimise_exactly(solver.limited(left).continued(first), objective, first.theta, callback)
    return replace(
        rest,
        n_iter=first.n_iter + rest.n_iter,
        n_evaluations=first.n_evaluations + rest.n_evaluations,
        history=first.history[:-1] + rest.history,
    )


def _two_samples(n: int, policy: CoarsePolicy) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from and rows to evaluate on.

    Rows at regular intervals: as rows are sorted by class, each class keeps its share.

    >>> [rows[:3].tolist() for rows in _two_samples(4000, CoarsePolicy())]
    [[0, 4, 8], [2, 6, 10]]
    """
    size = min(n // policy.rows_per_sample, policy.largest_sample)
    rows = np.arange(size) * n // size
    return rows, rows + n // size // 2
