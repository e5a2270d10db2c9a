"""Number of targets, penalty and share of a move, chosen together on held-out training rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from nearkin.learners.closed_form.alpha import held_out_rows
from nearkin.numerics.class_means import ClassMeans
from nearkin.numerics.neighbours import same_class_neighbours
from nearkin.numerics.products import squared_norms
from nearkin.numerics.ridge import normal_equations
from nearkin.numerics.selection import smallest_per_row
from nearkin.search import hubness_skewness
from nearkin.supervision.pairs import listed_pairs

ALL = "all"


@dataclass(frozen=True)
class Setting:
    """How a move is made: rows are moved by `share` of the way; with a share of zero nothing moves."""

    n_targets: int | str = 1
    relative_alpha: float = 1.0
    share: float = 0.0


@dataclass(frozen=True)
class Choice:
    """What is tried, and how much it may cost.

    Parameters
    ----------
    n_targets : tuple of int or "all"
    relative_alphas : tuple of float
        Penalties, in units of the mean eigenvalue of the regression's normal matrix.
    shares : tuple of float
        Beside these, no move at all is always tried.
    neighbourhoods : tuple of int
        Sizes whose accuracies are averaged, since the k of a later search is not known here; those larger
        than the classes are left out.
    max_references : int
        Held-out rows look for neighbours among at most so many.
    doubt : float
        Standard errors within which two settings cannot be told apart.
    """

    n_targets: tuple = (1, 5, 20, ALL)
    relative_alphas: tuple[float, ...] = tuple(np.logspace(-3.5, 1.5, 6))
    shares: tuple[float, ...] = (0.5, 1.0)
    neighbourhoods: tuple[int, ...] = (1, 5, 10)
    max_references: int = 5_000
    doubt: float = 1.0

    def make(self, X: np.ndarray, codes: np.ndarray, sample_weight=None) -> tuple[Setting, list]:
        """The setting chosen, and all that were tried with their mean accuracies."""
        tried: dict[Setting, list] = {}
        for held_out in held_out_rows(codes):
            kept = np.setdiff1d(np.arange(len(codes)), held_out)
            if len(kept) == 0:
                continue
            weights = None if sample_weight is None else sample_weight[kept]
            trial = _Trial(self, X, codes, kept, held_out, weights)
            for setting, correct, skewness in trial.results():
                tried.setdefault(setting, []).append((correct, skewness))
        return self._best({s: _joined(found) for s, found in tried.items()})

    def _best(self, tried: dict) -> tuple[Setting, list]:
        means = {setting: correct.mean() for setting, (correct, _) in tried.items()}
        scores = sorted(means.items(), key=lambda item: -item[1])
        return scores[0][0], scores


def _joined(found: list) -> tuple[np.ndarray, float]:
    return np.concatenate([correct for correct, _ in found]), float(np.mean([skew for _, skew in found]))


class _Trial:
    """All settings on one division into kept and held-out rows."""

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
        usual = max(1, int(np.median(sizes[sizes > 0])))
        self.ks = [k for k in choice.neighbourhoods if k <= usual] or [1]
        self.ks = [min(k, len(some)) for k in self.ks]

    def results(self) -> Iterator[tuple[Setting, np.ndarray, float]]:
        plain = self.queries @ self.references.T
        norms = squared_norms(self.references)
        yield Setting(), *self._judge(norms - 2 * plain)
        for n_targets, (A, B) in self._regressions():
            unit = float(np.trace(A)) / min(len(A), len(self.rows)) or 1.0
            values, vectors = linalg.eigh(A)
            values = np.maximum(values, 0)
            rotated = (vectors.T @ B).astype(self.rows.dtype)
            inputs = self.references @ vectors.astype(self.rows.dtype)
            for relative in self.choice.relative_alphas:
                moved = (inputs / (values + relative * unit).astype(inputs.dtype)) @ rotated
                products = self.queries @ moved.T
                across, own = np.einsum("ij,ij->i", moved, self.references), squared_norms(moved)
                for t in self.choice.shares:
                    lengths = (1 - t) ** 2 * norms + 2 * t * (1 - t) * across + t**2 * own
                    D = products * (-2 * t)
                    if t < 1:
                        D -= (2 * (1 - t)) * plain
                    D += lengths
                    yield Setting(n_targets, float(relative), t), *self._judge(D)

    def _regressions(self):
        sizes = np.bincount(self.codes)
        largest = int(sizes.max()) - 1
        if largest < 1:
            return
        counts = [n for n in self.choice.n_targets if n != ALL and (n < largest or n == 1)]
        table = same_class_neighbours(self.rows, self.codes, max(counts)) if counts else None
        for n in counts:
            outputs = listed_pairs(table[:, :n], self.rows.dtype, self.weights).T.tocsr()
            yield n, normal_equations(self.rows, np.asarray(outputs.sum(axis=1)).ravel(), outputs, self.mean)
        if ALL in self.choice.n_targets:
            weights = np.ones(len(self.codes)) if self.weights is None else self.weights
            outputs = ClassMeans(self.codes, weights)
            yield ALL, normal_equations(self.rows, outputs.sum(axis=1), outputs, self.mean)

    def _judge(self, D: np.ndarray) -> tuple[np.ndarray, float]:
        """How far each held-out row is classified rightly, 0 to 1, and the skewness of N_k."""
        _, found = smallest_per_row(D, max(self.ks))
        near = self.reference_codes[found]
        votes = np.zeros((len(found), int(self.codes.max()) + 1))
        rows, right, done = np.arange(len(found)), np.zeros(len(found)), 0
        for k in self.ks:
            for place in range(done, k):
                votes[rows, near[:, place]] += 1 + 1e-6 * (k - place)
            done = k
            right += votes.argmax(axis=1) == self.wanted
        return right / len(self.ks), hubness_skewness(found, len(self.references))
