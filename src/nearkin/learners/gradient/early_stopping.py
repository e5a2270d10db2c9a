"""How many steps to take, judged by rows that the steps have not seen."""

from __future__ import annotations

import numpy as np

from nearkin.learners.gradient.policy import EarlyStoppingPolicy
from nearkin.losses import Loss
from nearkin.maps import Map
from nearkin.objective import Objective
from nearkin.solvers import Solver

DEFAULT = EarlyStoppingPolicy()


def stops_early(setting, n_samples: int, policy: EarlyStoppingPolicy = DEFAULT) -> bool:
    """What the setting "auto", True or False means for so many samples.

    >>> stops_early("auto", 500), stops_early("auto", 5000), stops_early(True, 5000), stops_early(True, 10)
    (True, False, True, False)
    """
    if not isinstance(setting, bool | np.bool_) and setting != "auto":
        raise ValueError(f"early_stopping={setting!r}: expected 'auto', True or False.")
    wanted = n_samples < policy.auto_below if setting == "auto" else bool(setting)
    return wanted and n_samples >= 2 * policy.smallest_half


def steps_by_halves(
    map_: Map,
    loss: Loss,
    solver: Solver,
    F,
    y,
    theta0,
    *,
    weights=None,
    rng: np.random.RandomState,
    policy: EarlyStoppingPolicy = DEFAULT,
) -> int | None:
    """The number of steps after which the loss on unseen rows is least; None if it is least at the end.

    The rows are split in two halves, each half is fitted from its own start, and after every step the
    loss is taken of the other half by itself: its rows are embedded by a map that has not seen
    them, and predicted from each other.

    Parameters
    ----------
    F : ndarray of shape (n, d)
        Lifted inputs.
    y : ndarray
        Class codes in rising order, or real targets.
    theta0 : ndarray
        Start of the whole; taken where a half has no start of its own.

    Notes
    -----
    A half costs a quarter of the whole, or less, per evaluation: one halving is about as dear as the
    steps it recommends.
    """
    n = len(F)
    curves = []
    for _ in range(int(np.clip(policy.rows_judged // n, 1, policy.most_halvings))):
        halves = split_in_halves(y, rng)
        for seen, unseen in (halves, halves[::-1]):
            start = _start(map_, F, seen, y, theta0, rng, policy)
            fitted, judge = (
                Objective(
                    map_,
                    loss,
                    F[rows],
                    y[rows],
                    start,
                    sample_weight=None if weights is None else weights[rows],
                )
                for rows in (seen, unseen)
            )
            curves.append(_unseen_values(solver, fitted, judge, start, policy.patience))
    length = max(map(len, curves))
    # A half that has ended stays where it is.
    mean = np.mean([np.pad(curve, (0, length - len(curve)), mode="edge") for curve in curves], axis=0)
    best = int(mean.argmin())
    return None if best >= solver.max_iter else best


def split_in_halves(y: np.ndarray, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two random halves in rising order, every class (of two rows at least) in both.

    >>> [np.bincount(np.array([0, 0, 0, 0, 1, 1])[half]).tolist() for half in
    ...  split_in_halves(np.array([0, 0, 0, 0, 1, 1]), np.random.RandomState(0))]
    [[2, 1], [2, 1]]
    """
    chance = rng.uniform(size=len(y))
    order = np.lexsort((chance, y)) if np.issubdtype(y.dtype, np.integer) else np.argsort(chance)
    return np.sort(order[::2]), np.sort(order[1::2])


def _start(map_, F, seen, y, theta0, rng, policy) -> np.ndarray:
    """Where the rows seen would begin by themselves, unless that is of no use to the others."""
    if map_.given_start:
        return theta0
    try:
        start = map_.start(F[seen], y[seen], rng)
    except ValueError:
        # LDA or PCA may have too few directions in half of the rows.
        return theta0
    # A feature that hardly varies in one half may vary in the other, where LDA blows it up.
    own, usual = (np.abs(map_.forward(theta, F)[0]).max() for theta in (start, theta0))
    return start if own <= policy.largest_blow_up * usual else theta0


def _unseen_values(solver: Solver, fitted: Objective, judge: Objective, start, patience: int) -> list[float]:
    """The loss of the unseen rows at the start and after each step."""
    values = [judge(start)[0]]

    def after_step(theta, _) -> bool:
        values.append(judge(theta)[0])
        return len(values) - 1 - int(np.argmin(values)) >= patience

    solver.minimise(fitted, start, after_step)
    return values
