"""First steps on a sample of the rows, for losses whose kernels are broad at the start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nearkin.learners.gradient.base import minimise_exactly
from nearkin.learners.gradient.policy import CoarsePolicy
from nearkin.losses.base import Narrowable
from nearkin.objective import Objective
from nearkin.solvers import Solver, SolverResult


def minimise_from_sample(
    solver: Solver, objective: Objective, theta, callback, policy: CoarsePolicy | None = None
) -> SolverResult:
    """Minimise, with the first steps on a sample of the rows as long as the neighbourhoods are broad.

    Averages over broad neighbourhoods are much the same in a sample, at a small part of the cost. Once
    they are narrow enough for short lists of near pairs, or steps no longer help another sample,
    all rows take over. All steps share one budget; the values in the history are the sample's, then
    the whole's.
    """
    policy = policy or CoarsePolicy()
    n = len(objective.F)
    if n < policy.smallest_sampled or not isinstance(objective.loss, Narrowable):
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

    first = solver.limited(min(solver.max_iter, policy.most_steps)).minimise(sample, theta, after_step)
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
    """Rows to learn from and rows to judge by.

    Every so many rows are taken: where these are sorted by class, each class keeps its share.

    >>> [rows[:3].tolist() for rows in _two_samples(4000, CoarsePolicy())]
    [[0, 4, 8], [2, 6, 10]]
    """
    size = int(np.clip(n // policy.rows_per_sample, policy.smallest_sample, policy.largest_sample))
    rows = np.arange(size) * n // size
    return rows, rows + n // size // 2
