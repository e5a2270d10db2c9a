"""How many steps to take, decided on rows that the steps have not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nearkin.learners.euclid_share import halves_of
from nearkin.learners.gradient.policy import EarlyStoppingPolicy
from nearkin.learners.unseen_votes import right_votes
from nearkin.losses import Loss
from nearkin.maps import Map
from nearkin.numerics.products import squared_distances
from nearkin.numerics.selection import smallest_per_row
from nearkin.objective import Objective
from nearkin.solvers import SolverResult

DEFAULT = EarlyStoppingPolicy()


def stops_early(setting, n_samples: int, policy: EarlyStoppingPolicy = DEFAULT) -> bool:
    """Whether to stop early, given the setting ("auto", True or False) and the number of samples.

    >>> stops_early("auto", 500), stops_early("auto", 5000), stops_early(True, 5000), stops_early(True, 10)
    (True, False, True, False)
    """
    if not isinstance(setting, bool | np.bool_) and setting != "auto":
        raise ValueError(f"early_stopping={setting!r}: expected 'auto', True or False.")
    wanted = n_samples < policy.auto_below if setting == "auto" else bool(setting)
    return wanted and n_samples >= 2 * policy.smallest_half


@dataclass(frozen=True)
class Half:
    """Rows that steps are taken on, and rows on which they are judged.

    Attributes
    ----------
    map_, loss
        What is fitted.
    F, y, weights
        Lifted inputs, targets and weights (or None) of all rows.
    seen, unseen : ndarray of int
        Rows of the half that is fitted and of the other one.
    start : ndarray
        Initial parameters.
    """

    map_: Map
    loss: Loss
    F: np.ndarray
    y: np.ndarray
    weights: np.ndarray | None
    seen: np.ndarray
    unseen: np.ndarray
    start: np.ndarray

    def objective(self, rows: np.ndarray) -> Objective:
        """The loss of some of the rows alone."""
        weights = None if self.weights is None else self.weights[rows]
        return Objective(self.map_, self.loss, self.F[rows], self.y[rows], self.start, sample_weight=weights)


#: A score of the parameters after a step on a half; lower is better.
Judge = Callable[[np.ndarray], float]
#: Takes steps from a start, calling a callback with the parameters and the value after each.
Descent = Callable[[Objective, np.ndarray, Callable], SolverResult]


def loss_of_unseen(half: Half) -> Judge:
    """The loss of the unseen rows alone, under a map learned without them."""
    objective = half.objective(half.unseen)
    return lambda theta: objective(theta)[0]


def errors_of_unseen(half: Half, neighbours: tuple[int, ...] = (1, 3, 5, 9)) -> Judge:
    """Share of the unseen rows whose nearest seen rows vote for another class."""
    truth, known = half.y[half.unseen], half.y[half.seen]
    most = min(max(neighbours), len(known))

    def judge(theta) -> float:
        Q, R = (half.map_.forward(theta, half.F[rows])[0] for rows in (half.unseen, half.seen))
        nearest = smallest_per_row(squared_distances(Q, R), most)[1]
        return 1 - float(right_votes(known[nearest], truth, neighbours).mean())

    return judge


def steps_by_halves(
    map_: Map,
    loss: Loss,
    descend: Descent,
    F,
    y,
    theta0,
    *,
    most_steps: int,
    weights=None,
    rng: np.random.RandomState,
    policy: EarlyStoppingPolicy = DEFAULT,
    judged_by: Callable[[Half], Judge] = loss_of_unseen,
) -> int | None:
    """The number of steps that is best for unseen rows; None if that is the whole budget.

    The rows are split into two halves, each half is fitted from its own start, and every step is judged on
    the other half.

    Parameters
    ----------
    F : ndarray of shape (n, d)
        Lifted inputs.
    y : ndarray
        Class codes in rising order, or real targets.
    theta0 : ndarray
        Start for all rows; used if a half has no start of its own.
    most_steps : int
        The budget.

    Notes
    -----
    An evaluation on a half costs a quarter of one on all rows, or less, so one halving costs about as much
    as the steps it recommends.
    """
    n = len(F)
    curves = []
    for _ in range(int(np.clip(policy.rows_judged // n, 1, policy.most_halvings))):
        halves = halves_of(y, rng)
        for seen, unseen in (halves, halves[::-1]):
            start = _start(map_, F, seen, y, theta0, rng, policy)
            half = Half(map_, loss, F, y, weights, seen, unseen, start)
            curves.append(_unseen_values(half, descend, judged_by(half), policy.patience))
    length = max(map(len, curves))
    # A half that has stopped keeps its last value.
    mean = np.mean([np.pad(curve, (0, length - len(curve)), mode="edge") for curve in curves], axis=0)
    best = int(mean.argmin())
    return None if best >= most_steps else best


def _start(map_, F, seen, y, theta0, rng, policy) -> np.ndarray:
    """The start for the seen rows alone, unless it is useless for the others."""
    if map_.given_start:
        return theta0
    try:
        start = map_.start(F[seen], y[seen], rng)
    except ValueError:
        # LDA or PCA may have too few directions in half of the rows.
        return theta0
    # A feature that hardly varies in one half may vary in the other, where LDA would magnify it.
    own, usual = (np.abs(map_.forward(theta, F)[0]).max() for theta in (start, theta0))
    return start if own <= policy.largest_blow_up * usual else theta0


def _unseen_values(half: Half, descend: Descent, judge: Judge, patience: int) -> list[float]:
    """Scores on the unseen rows of the start and of the parameters after each step."""
    values = [judge(half.start)]

    def after_step(theta, _) -> bool:
        values.append(judge(theta))
        return len(values) - 1 - int(np.argmin(values)) >= patience

    descend(half.objective(half.seen), half.start, after_step)
    return values
