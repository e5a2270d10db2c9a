"""Choosing the ridge penalty by k-NN accuracy on held-out training rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from nearkin.distances import Distance
from nearkin.learners.unseen_votes import right_votes
from nearkin.search import NeighbourSearch, hubness_skewness

#: Penalties tried, in units of the mean eigenvalue of the regression's normal matrix.
RELATIVE_ALPHAS = np.logspace(-2.5, 2, 10)
#: Neighbourhood sizes whose accuracies are averaged, as the k of later searches is not known here.
NEIGHBOURHOODS = (1, 5, 10)
FOLDS = 5
#: Held-out rows that suffice to compare penalties; no more folds are run than that takes.
ENOUGH_HELD_OUT = 2_000
#: Two settings count as equally good within this many standard errors, and at most this difference in score.
DOUBT, AT_MOST = 1.0, 0.003


def held_out_rows(codes: np.ndarray, enough: int = ENOUGH_HELD_OUT) -> Iterator[np.ndarray]:
    """Rows to hold out, fold after fold: each class is spread over the folds, until there are enough rows.

    Deterministic, so that fitting twice gives the same model.
    """
    by_class = np.argsort(codes, kind="stable")
    # A row's position within its class decides its fold; starting each class where the last one ended
    # keeps the folds equally large if classes are tiny.
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


@dataclass(frozen=True)
class Trial:
    """Results of one setting on all held-out rows: the score of each, 0 to 1, and the skewness of N_k."""

    right: np.ndarray
    skewness: float

    @classmethod
    def over(cls, folds: list) -> Trial:
        """From (scores of the held-out rows, skewness) of each fold."""
        return cls(np.concatenate([right for right, _ in folds]), float(np.mean([skew for _, skew in folds])))

    @property
    def score(self) -> float:
        return float(self.right.mean())

    def errors_above(self, other: Trial) -> float:
        """By how many standard errors of their difference it is above the other; zero if it is not."""
        apart = self.right - other.right
        mean, error = float(apart.mean()), float(apart.std()) / np.sqrt(len(apart))
        if mean <= 0:
            return 0.0
        return mean / error if error > 0 else np.inf

    def clearly_above(self, other: Trial, doubt: float = DOUBT, at_most: float = AT_MOST) -> bool:
        """Whether it is above the other by more than `doubt` standard errors, or by more than `at_most`."""
        apart = self.right - other.right
        return bool(apart.mean() > min(doubt * apart.std() / np.sqrt(len(apart)), at_most))


def choose_relative_alpha(
    X,
    codes: np.ndarray,
    distances_for: Callable[[np.ndarray, np.ndarray], Iterable[Distance] | None],
    max_references: int | None = None,
) -> tuple[float, np.ndarray]:
    """The relative penalty to use, and the held-out k-NN accuracies of all of them.

    Of those whose accuracy is as good as the best, up to chance, it is the one with the fewest hubs.

    Parameters
    ----------
    X : ndarray or CSR
    codes : ndarray
        Class of each row.
    distances_for : callable(rows, relative_alphas) -> distances or None
        Fits on those rows and gives one distance per penalty; None if they contain no pair.
    max_references : int or None
        Search for neighbours among at most this many of the fitted rows.
    """
    tried: list[list] = [[] for _ in RELATIVE_ALPHAS]
    for held_out in held_out_rows(codes):
        kept = np.setdiff1d(np.arange(len(codes)), held_out)
        distances = distances_for(kept, RELATIVE_ALPHAS) if len(kept) else None
        if distances is None:
            continue
        if max_references is not None and len(kept) > max_references:
            kept = kept[np.linspace(0, len(kept) - 1, max_references).astype(int)]
        k = min(NEIGHBOURHOODS[-1], len(kept))
        for judged, distance in zip(tried, distances, strict=True):
            _, found = NeighbourSearch(distance).build(X[kept]).query(X[held_out], k)
            right = right_votes(codes[kept][found], codes[held_out], NEIGHBOURHOODS)
            judged.append((right.mean(axis=0), hubness_skewness(found, len(kept))))
    if not tried[0]:  # no pair in any fold, so any penalty will do
        return float(RELATIVE_ALPHAS[len(RELATIVE_ALPHAS) // 2]), np.zeros(len(RELATIVE_ALPHAS))
    trials = [Trial.over(folds) for folds in tried]
    best = max(trials, key=lambda trial: trial.score)
    alike = [n for n, trial in enumerate(trials) if not best.clearly_above(trial)]
    chosen = min(alike, key=lambda number: trials[number].skewness)
    return float(RELATIVE_ALPHAS[chosen]), np.array([trial.score for trial in trials])
