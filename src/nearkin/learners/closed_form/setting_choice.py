"""Number of targets, penalty and share of a move, chosen together on held-out training rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from nearkin.distances import CentredKernel
from nearkin.learners.closed_form.alpha import AT_MOST, DOUBT, Trial, held_out_rows
from nearkin.learners.unseen_votes import right_votes
from nearkin.numerics.class_means import ClassMeans
from nearkin.numerics.neighbours import same_class_neighbours
from nearkin.numerics.products import squared_norms
from nearkin.numerics.ridge import normal_equations
from nearkin.numerics.selection import smallest_per_row
from nearkin.numerics.threads import blas_threads
from nearkin.search import hubness_skewness
from nearkin.supervision.pairs import listed_pairs

ALL = "all"
#: Most rows that the choice is made on; and if it needs their n x n inner products.
MOST_ROWS, MOST_GRAM_ROWS = 20_000, 1_500


@dataclass(frozen=True)
class Setting:
    """Settings of a move: rows are moved by `share` of the way, zero meaning no move."""

    n_targets: int | str = 1
    relative_alpha: float = 1.0
    share: float = 0.0


STAY = Setting()


class Chosen(NamedTuple):
    """The best setting, the weight of each setting in the average of moves, and all settings tried.

    `tried` has (fields of the setting, score, skewness, weight), best score first.
    """

    best: Setting
    weights: dict[Setting, float]
    tried: list[tuple]


@dataclass(frozen=True)
class Choice:
    """The settings to try, and how they are compared.

    Parameters
    ----------
    n_targets : tuple of int or "all"
    relative_alphas : tuple of float
        Penalties, in units of the mean eigenvalue of the regression's normal matrix.
    alpha : float or None
        The penalty, if it is given.
    shares, few_shares : tuple of float
        How far to move towards the whole class, and towards a number of targets. Moving part of the way
        towards the whole class is a compromise between local and collapsed classes; moving part of the way
        towards few targets gained nothing.
    may_stay : bool
        Whether no move at all is among the choices.
    neighbourhoods : tuple of int
        Sizes whose accuracies are averaged, as the k of later searches is not known here; those larger than
        the classes are left out.
    nearest_weight : float
        Weight of the accuracy of the nearest neighbour alone, added to that mean.
    list_weight : float
        Weight of MAP@R relative to the accuracy: 1 for lists, small for votes, where it makes the score less
        noisy on few rows.
    depth : int
        Most places of a list that MAP@R takes into account.
    enough : int
        Held-out rows that suffice to compare settings; no more folds are run than that takes.
    max_references : int
        Held-out rows are compared with at most this many references.
    doubt, at_most : float
        Penalties count as equally good within `doubt` standard errors and a difference in score of `at_most`;
        then the one with fewer hubs is taken. A move that lowers the accuracy of any of the neighbourhoods by
        more than `doubt` standard errors is not made.
    least_weight : float
        Settings with a smaller weight are left out of the average of moves.

    Notes
    -----
    The shares, `nearest_weight` and `list_weight` were fixed on 34 variants of data sets (5, 10 and all rows
    of each class) and then tried once on three others: docs/methods/move.md, benchmarks/move_settings.py.

    A setting z standard errors behind the best score has weight exp(-z^2 / 2): few held-out rows do not show
    which setting is best, and an average of moves is a move (measured: docs/methods/move.md).

    Cost per fold: one search for targets, one eigendecomposition for each number of them, and one product of
    held-out rows and moved references for each penalty.
    """

    n_targets: tuple = (1, 5, 20, ALL)
    relative_alphas: tuple[float, ...] = tuple(np.logspace(-3.5, 1.5, 6).tolist())
    alpha: float | None = None
    shares: tuple[float, ...] = (0.25, 0.5, 0.75, 0.875, 1.0)
    few_shares: tuple[float, ...] = (1.0,)
    may_stay: bool = True
    neighbourhoods: tuple[int, ...] = (1, 5, 10)
    nearest_weight: float = 0.25
    list_weight: float = 0.1
    depth: int = 50
    enough: int = 1_500
    max_references: int = 5_000
    doubt: float = DOUBT
    at_most: float = AT_MOST
    least_weight: float = 0.01

    def make(self, X: np.ndarray, codes: np.ndarray, sample_weight=None, average: bool = True) -> Chosen:
        """Try all settings on held-out rows; without `average` the best one has all the weight."""
        found: dict[Setting, list] = {}
        counts, divisions = self._counts(codes), list(self._divisions(X, codes, sample_weight))
        for division in divisions:
            for setting, *judged in division.results(counts):
                found.setdefault(setting, []).append(judged)
        if not found:  # classes of two rows at most
            only = Setting(1, 1.0, self.shares[-1])
            return Chosen(only, {only: 1.0}, [])
        tried = {setting: Trial.over(folds) for setting, folds in found.items()}
        best = self._best(tried)
        weights = self._weights(tried) if average else {best: 1.0}
        if self.may_stay and self.list_weight < 1:
            best, weights = self._harmless(divisions, best, weights)
        rows = [
            (s.n_targets, s.relative_alpha, s.share, tried[s].score, tried[s].skewness, weights.get(s, 0.0))
            for s in sorted(tried, key=lambda s: -tried[s].score)
        ]
        return Chosen(best, weights, rows)

    def _divisions(self, X, codes, sample_weight) -> Iterator[_Division]:
        for held_out in held_out_rows(codes, self.enough):
            kept = np.setdiff1d(np.arange(len(codes)), held_out)
            weights = None if sample_weight is None else sample_weight[kept]
            if len(kept) and np.bincount(codes[kept]).max() >= 2:
                yield _Division(self, X, codes, kept, held_out, weights)

    def _harmless(self, divisions: list[_Division], best: Setting, weights: dict[Setting, float]):
        """The average, else the best move alone, else none: the first that harms no neighbourhood size.

        A score is a mean over sizes: a gain with one neighbour may hide a loss with five.
        """
        if not self._harms(divisions, weights):
            return best, weights
        if len(weights) > 1 and not self._harms(divisions, {best: 1.0}):
            return best, {best: 1.0}
        return STAY, {STAY: 1.0}

    def _harms(self, divisions: list[_Division], weights: dict[Setting, float]) -> bool:
        gains = [division.gains(weights) for division in divisions]
        sizes = min(map(len, gains))
        gained = np.concatenate([gain[:sizes] for gain in gains], axis=1)
        errors = gained.std(axis=1) / np.sqrt(gained.shape[1])
        return bool(np.any(gained.mean(axis=1) < -self.doubt * errors))

    def _weights(self, tried: dict[Setting, Trial]) -> dict[Setting, float]:
        top = max(tried.values(), key=lambda trial: trial.score)
        found = {setting: np.exp(-(top.errors_above(trial) ** 2) / 2) for setting, trial in tried.items()}
        kept = {setting: weight for setting, weight in found.items() if weight >= self.least_weight}
        total = sum(kept.values())
        return {setting: float(weight / total) for setting, weight in kept.items()}

    def _counts(self, codes: np.ndarray) -> list[int | str]:
        """Numbers of targets for which the largest class has enough rows, and "all"."""
        most = int(0.8 * np.bincount(codes).max()) - 1
        return [n for n in self.n_targets if n == ALL or n == 1 or n < most]

    def _best(self, tried: dict[Setting, Trial]) -> Setting:
        # STAY is tried first, so it wins ties.
        best = max(tried, key=lambda setting: tried[setting].score)
        if best == STAY:
            return best
        alike = [Setting(best.n_targets, relative, best.share) for relative in self._penalties]
        return min(
            (s for s in alike if not tried[best].clearly_above(tried[s], self.doubt, self.at_most)),
            key=lambda s: tried[s].skewness,
        )

    @property
    def _penalties(self) -> tuple[float, ...]:
        return self.relative_alphas if self.alpha is None else (1.0,)


def parts_of_moves(weights: dict[Setting, float]) -> dict[int | str, dict[float, float]]:
    """Weights of the whole moves, by targets and penalty, in the average; the remaining weight is no move."""
    parts: dict[int | str, dict[float, float]] = {}
    for setting, weight in weights.items():
        if setting.share > 0:
            penalties = parts.setdefault(setting.n_targets, {})
            so_far = penalties.get(setting.relative_alpha, 0.0)
            penalties[setting.relative_alpha] = so_far + weight * setting.share
    return parts


def fewer_rows(X, codes, sample_weight, most: int = MOST_ROWS):
    """At most `most` rows, with the same share of each class; always the same ones."""
    if X.shape[0] <= most:
        return X, codes, sample_weight
    by_class = np.argsort(codes, kind="stable")
    rows = np.sort(by_class[np.linspace(0, len(codes) - 1, most).astype(int)])
    return X[rows], codes[rows], None if sample_weight is None else sample_weight[rows]


def choosing_rows(X, codes, sample_weight, kernel: dict | None):
    """Dense rows with the geometry of (some of) the training rows, their codes and their weights.

    Wide or sparse rows, and rows in the feature space of a kernel, become coordinates that preserve all
    inner products about the mean: the regression and its distances depend on nothing else.
    """
    dense = kernel is None and not sparse.issparse(X)
    most = MOST_ROWS if dense else MOST_GRAM_ROWS
    X, codes, sample_weight = fewer_rows(X, codes, sample_weight, most)
    if dense:
        return X, codes, sample_weight
    _, gram = CentredKernel.fit(X, **(kernel or {}))
    with blas_threads(len(gram) ** 3):
        values, vectors = linalg.eigh(gram)
    real = values > max(values[-1], 0) * len(values) * np.finfo(gram.dtype).eps
    if not real.any():  # all rows coincide
        return np.zeros((len(codes), 1), dtype=gram.dtype), codes, sample_weight
    return vectors[:, real] * np.sqrt(values[real]), codes, sample_weight


class _Division:
    """Training and held-out rows, on which any setting can be tried."""

    def __init__(self, choice: Choice, X, codes, kept, held_out, weights):
        self.choice, self.weights = choice, weights
        self.mean = X[kept].mean(axis=0)
        self.rows, self.codes = X[kept] - self.mean, codes[kept]
        some = np.arange(len(kept))
        if len(kept) > choice.max_references:
            some = np.linspace(0, len(kept) - 1, choice.max_references).astype(int)
        self.references, self.reference_codes = self.rows[some], self.codes[some]
        self.queries, self.wanted = X[held_out] - self.mean, codes[held_out]
        sizes = np.bincount(self.codes)
        usual = int(np.median(sizes[sizes > 0]))
        self.ks = [min(k, len(some)) for k in choice.neighbourhoods if k <= max(usual, 1)]

    def results(self, counts: list[int | str]) -> Iterator[tuple[Setting, np.ndarray, float]]:
        """Each setting with the score of every held-out row and the skewness of N_k."""
        plain = self.queries @ self.references.T
        norms = squared_norms(self.references)
        if self.choice.may_stay:
            yield STAY, *self._judged(norms - 2 * plain)
        for n_targets, (A, B) in self._regressions(counts):
            for relative, moved in self._moves(A, B):
                products = self.queries @ moved.T
                across, own = np.einsum("ij,ij->i", moved, self.references), squared_norms(moved)
                for t in self.choice.shares if n_targets == ALL else self.choice.few_shares:
                    # |q - (1 - t) z - t W z|^2 without |q|^2.
                    D = products * (-2 * t)
                    if t < 1:
                        D -= (2 * (1 - t)) * plain
                    D += (1 - t) ** 2 * norms + 2 * t * (1 - t) * across + t**2 * own
                    yield Setting(n_targets, relative, t), *self._judged(D)

    def gains(self, weights: dict[Setting, float]) -> np.ndarray:
        """Whether the average of moves makes a vote right (+1), wrong (-1), or leaves it (0).

        One row for each number of neighbours, one column for each held-out row.
        """
        parts = parts_of_moves(weights)
        moved = (1 - sum(sum(penalties.values()) for penalties in parts.values())) * self.references
        for n_targets, (A, B) in self._regressions(list(parts)):
            for relative, whole in self._moves(A, B, tuple(parts[n_targets])):
                moved = moved + parts[n_targets][relative] * whole
        lists = (self._nearest(squared_norms(R) - 2 * self.queries @ R.T) for R in (self.references, moved))
        stayed, right = (right_votes(self.reference_codes[near], self.wanted, self.ks) for near in lists)
        return right.astype(np.int8) - stayed

    def _moves(self, A, B, penalties: tuple[float, ...] | None = None) -> Iterator[tuple[float, np.ndarray]]:
        """Moved references for each penalty, from one eigendecomposition."""
        dtype = self.rows.dtype
        unit = float(np.trace(A)) / min(len(A), len(self.rows)) or 1.0
        with blas_threads(len(A) ** 3):
            values, vectors = linalg.eigh(A)
        values = np.maximum(values, values[-1] * len(A) * np.finfo(np.float64).eps)
        rotated, inputs = (vectors.T @ B).astype(dtype), self.references @ vectors.astype(dtype)
        for relative in penalties or self.choice._penalties:
            penalty = relative * unit if self.choice.alpha is None else self.choice.alpha
            shrink = np.maximum(values + penalty, np.finfo(dtype).tiny).astype(dtype)
            yield relative, (inputs / shrink) @ rotated

    def _regressions(self, counts: list[int | str]):
        """Normal equations for each number of targets, from one search for the largest number."""
        numbers = [int(n) for n in counts if n != ALL]
        table = same_class_neighbours(self.rows, self.codes, max(numbers, default=1))
        for n in numbers:
            outputs = listed_pairs(table[:, :n], self.rows.dtype, self.weights).T.tocsr()
            yield n, normal_equations(self.rows, np.asarray(outputs.sum(axis=1)).ravel(), outputs, self.mean)
        if ALL in counts:
            weights = np.ones(len(self.codes)) if self.weights is None else self.weights
            outputs = ClassMeans(self.codes, weights)
            yield ALL, normal_equations(self.rows, outputs.sum(axis=1), outputs, self.mean)

    def _judged(self, D: np.ndarray) -> tuple[np.ndarray, float]:
        """The score of every held-out row, and the skewness of how often references are found."""
        found = self._nearest(D)
        near = self.reference_codes[found]
        choice, nearest = self.choice, near[:, 0] == self.wanted
        votes = right_votes(near, self.wanted, self.ks).mean(axis=0)
        voted = (1 - choice.nearest_weight) * votes + choice.nearest_weight * nearest
        score = (1 - choice.list_weight) * voted + choice.list_weight * self._precision(near)
        return score, hubness_skewness(found[:, : max(self.ks)], len(self.references))

    def _nearest(self, D: np.ndarray) -> np.ndarray:
        return smallest_per_row(D, min(self.choice.depth, len(self.references)))[1]

    def _precision(self, near: np.ndarray) -> np.ndarray:
        """MAP@R of each list, truncated at its length."""
        places = np.arange(1, near.shape[1] + 1)
        there = np.bincount(self.reference_codes, minlength=int(self.wanted.max()) + 1)[self.wanted]
        R = np.clip(there, 1, near.shape[1])[:, None]
        right = near == self.wanted[:, None]
        return (right * np.cumsum(right, axis=1) / places * (places <= R)).sum(axis=1) / R[:, 0]
