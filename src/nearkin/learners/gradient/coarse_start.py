"""First steps on a sample of the rows, for losses whose kernels are broad at the start."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np

from nearkin.learners.gradient.base import minimise_exactly
from nearkin.objective import Objective
from nearkin.solvers import Solver, SolverResult

#: With fewer rows there is little to save.
SMALLEST_SAMPLED = 1_000
#: One row in so many is taken, ...
SAMPLE_STEP = 4
#: ... but no fewer than this, and no more.
SMALLEST_SAMPLE, LARGEST_SAMPLE = 500, 2_000
#: Neighbourhoods of fewer rows than this are narrow: lists of near pairs are short.
NARROW = 80
#: Every so many steps the other sample judges, and the neighbourhoods are looked at.
STEPS_PER_LOOK = 4
#: Most steps on the sample: where kernels stay broad, all rows must have their say.
MOST_COARSE_STEPS = 15


def minimise_from_sample(solver: Solver, objective: Objective, theta, callback) -> SolverResult:
    """Minimise, with the first steps on a sample of the rows as long as the neighbourhoods are broad.

    Averages over broad neighbourhoods are much the same in a sample, at a small part of the cost. Once
    they are narrow enough for short lists of near pairs, or steps no longer help another sample,
    all rows take over. All steps share one budget; the values in the history are the sample's, then
    the whole's.
    """
    n = len(objective.F)
    if n < SMALLEST_SAMPLED:
        return minimise_exactly(solver, objective, theta, callback)
    sample, others = (objective.narrowed(rows) for rows in _two_samples(n))

    def narrow(theta) -> bool:
        return sample.pairs_per_row(theta) * n / len(sample.F) <= NARROW

    if narrow(theta):
        return minimise_exactly(solver, objective, theta, callback)
    stopped, steps, best = False, 0, np.inf

    def after_step(theta, value) -> bool:
        nonlocal stopped, steps, best
        stopped = bool(callback(theta, value))
        steps += 1
        if stopped or steps % STEPS_PER_LOOK:
            return stopped
        judged = others(theta)[0]
        if judged >= best or narrow(theta):
            return True
        best = judged
        return False

    coarse = copy.copy(solver)
    coarse.max_iter = min(solver.max_iter, MOST_COARSE_STEPS)
    first = coarse.minimise(sample, theta, after_step)
    left = solver.max_iter - first.n_iter
    if stopped or left < 1:
        value = objective.exact(first.theta)[0]
        converged = stopped or first.converged
        return replace(first, value=value, converged=converged, history=[*first.history[:-1], value])
    fine = copy.copy(solver)
    fine.max_iter = left
    rest = minimise_exactly(fine, objective, first.theta, callback, directions=first.directions)
    return replace(
        rest,
        n_iter=first.n_iter + rest.n_iter,
        n_evaluations=first.n_evaluations + rest.n_evaluations,
        history=first.history[:-1] + rest.history,
    )


def _two_samples(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from and rows to judge by.

    Every so many rows are taken: where these are sorted by class, each class keeps its share.

    >>> [rows[:3].tolist() for rows in _two_samples(4000)]
    [[0, 4, 8], [2, 6, 10]]
    """
    size = int(np.clip(n // SAMPLE_STEP, SMALLEST_SAMPLE, LARGEST_SAMPLE))
    rows = np.arange(size) * n // size
    return rows, rows + n // size // 2
