"""Choosing the ridge penalty by k-NN accuracy on held-out training rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from nearkin.distances import Distance
from nearkin.search import NeighbourSearch

#: Penalties tried, in units of the mean eigenvalue of the regression's normal matrix.
RELATIVE_ALPHAS = np.logspace(-2.5, 2, 10)
#: Neighbourhood sizes whose accuracies are averaged, since the k of a later search is not known here.
NEIGHBOURHOODS = (1, 5, 10)
FOLDS = 5
#: Enough held-out rows to tell penalties apart; more folds than this needs are not run.
ENOUGH_HELD_OUT = 2_000


def held_out_rows(codes: np.ndarray, enough: int = ENOUGH_HELD_OUT) -> Iterator[np.ndarray]:
    """Rows to hold out, fold after fold: each class dealt out in turn, until there are enough.

    Deterministic, so that fitting twice gives the same model.
    """
    by_class = np.argsort(codes, kind="stable")
    # The position within its class decides a row's fold; starting each class where the last one
    # ended keeps the folds of equal size when classes are tiny.
    fold = np.empty(len(codes), dtype=int)
    fold[by_class] = np.arange(len(codes)) % FOLDS
    total = 0
    for number in range(FOLDS):
        rows = np.flatnonzero(fold == number)
        if len(rows) > enough:
            rows = rows[np.linspace(0, len(rows) - 1, enough).astype(int)]
        yield rows
        total += len(rows)
        if total >= enough:
            return


def vote_accuracy(neighbour_codes: np.ndarray, codes: np.ndarray, k: int) -> float:
    """Share of rows whose k nearest agree on the right class; the nearest breaks ties."""
    votes = np.zeros((len(codes), max(neighbour_codes.max(), codes.max()) + 1))
    rows = np.arange(len(codes))
    for place in range(k):
        # Nearer voters weigh a hair more: enough to break ties, never enough to turn a majority.
        votes[rows, neighbour_codes[:, place]] += 1 + 1e-6 * (k - place)
    return float(np.mean(votes.argmax(axis=1) == codes))


def choose_relative_alpha(
    X,
    codes: np.ndarray,
    distances_for: Callable[[np.ndarray, np.ndarray], Iterable[Distance] | None],
    max_references: int | None = None,
) -> tuple[float, np.ndarray]:
    """The relative penalty of best held-out k-NN accuracy, and the accuracies of all of them.

    Parameters
    ----------
    X : ndarray or CSR
    codes : ndarray
        Class of each row.
    distances_for : callable(rows, relative_alphas) -> distances or None
        Fits on those rows and gives one distance per penalty; None if they hold no pair.
    max_references : int or None
        Look for neighbours among at most so many of the rows fitted.
    """
    correct, asked = np.zeros(len(RELATIVE_ALPHAS)), 0
    for held_out in held_out_rows(codes):
        kept = np.setdiff1d(np.arange(len(codes)), held_out)
        distances = distances_for(kept, RELATIVE_ALPHAS) if len(kept) else None
        if distances is None:
            continue
        asked += len(held_out)
        if max_references is not None and len(kept) > max_references:
            kept = kept[np.linspace(0, len(kept) - 1, max_references).astype(int)]
        k = min(NEIGHBOURHOODS[-1], len(kept))
        for number, distance in enumerate(distances):
            _, found = NeighbourSearch(distance).build(X[kept]).query(X[held_out], k)
            accuracies = [
                vote_accuracy(codes[kept][found], codes[held_out], min(size, k)) for size in NEIGHBOURHOODS
            ]
            correct[number] += len(held_out) * np.mean(accuracies)
    best = np.flatnonzero(correct >= correct.max() - 1e-9)
    # Many penalties may do equally well: the middle one is farthest from where things go wrong.
    return float(RELATIVE_ALPHAS[best[len(best) // 2]]), correct / max(asked, 1)
