"""Choice between metrics by their k-NN errors; of different kinds, on rows they were not learned from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from nearkin.learners.constraint.metric_path import Candidate
from nearkin.learners.constraint.path_settings import Setting
from nearkin.numerics.selection import others_found
from nearkin.search import ExactIndex
from nearkin.supervision.triplets import Triplets, output_ordered_triplets


@dataclass(frozen=True)
class FoldPolicy:
    """How metrics are compared by predictions.

    Attributes
    ----------
    neighbours : tuple of int
        Numbers of neighbours to try for predictions.
    folds_up_to : tuple of (int, int)
        Pairs of a number of rows and the number of folds up to it: small data need large training parts.
    fewest_folds : int
        Number of folds for more rows, of which two thirds are enough to learn from.
    scored_rows : int
        Most held-out rows that are predicted, over all folds.
    """

    neighbours: tuple[int, ...] = tuple(range(3, 36, 2))
    folds_up_to: tuple[tuple[int, int], ...] = ((200, 10), (1000, 5))
    fewest_folds: int = 3
    scored_rows: int = 2000

    def n_folds(self, n_rows: int) -> int:
        """Number of folds for `n_rows` rows."""
        wanted = next((folds for rows, folds in self.folds_up_to if n_rows <= rows), self.fewest_folds)
        return min(n_rows, wanted)

    def neighbours_of(self, n_rows: int) -> list[int]:
        """Numbers of neighbours that are possible with `n_rows` rows."""
        return [k for k in self.neighbours if k < n_rows] or [1]


# For each setting (None is plain Euclid) one row per held-out row, one column per number of neighbours.
Errors = dict[Setting | None, np.ndarray]
Learn = Callable[[np.ndarray, Triplets, list[Setting]], Iterable[Candidate]]


def training_errors(
    X, Y, candidates: Iterable[Candidate], *, random, policy: FoldPolicy | None = None
) -> Errors:
    """Leave-one-out errors of candidates on the rows that they were learned from.

    A fair comparison of settings of one kind, whose metrics fit the training rows about equally closely.
    """
    n, policy = X.shape[0], policy or FoldPolicy()
    rows = np.arange(n) if n <= policy.scored_rows else random.permutation(n)[: policy.scored_rows]
    ks = policy.neighbours_of(n)
    errors: Errors = {}
    for candidate in candidates:
        if candidate.embedding is not None:
            errors[candidate.setting] = held_out_errors(candidate.embedding(X), Y, rows, ks)
    return errors


def cross_fitted_errors(
    X, Y, settings: Iterable[Setting | None], learn: Learn, *, random, policy: FoldPolicy | None = None
) -> Errors:
    """Errors of each setting on rows that the metric was not learned from.

    A held-out row is predicted from all other rows, as later queries will be.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    Y : ndarray of shape (n, q)
        Targets of mean 0 and deviation 1.
    settings : iterable of Setting or None
        None is plain Euclid.
    learn : callable
        ``learn(X, triplets, settings)`` gives the candidates of one training part, for settings that are
        different mixtures of the same solution.
    random : RandomState
    policy : FoldPolicy, optional

    Returns
    -------
    dict
        The mean of a column is the aRRMSE, averaged over the folds. Settings are left out if their triplets
        contradict each other in a training part, or if they need more rows than it has.
    """
    n, policy = X.shape[0], policy or FoldPolicy()
    n_folds, ks = policy.n_folds(n), policy.neighbours_of(n)
    smallest_part = n - -(-n // n_folds)
    reachable = [s for s in settings if s is None or s.n_neighbors < smallest_part]
    widest = max((s.n_neighbors for s in reachable if s is not None), default=2)
    parts: dict[Setting | None, list[np.ndarray]] = {setting: [] for setting in reachable}
    for held_out in np.array_split(random.permutation(n), n_folds):
        train = np.setdiff1d(np.arange(n), held_out)
        scored = held_out[: max(1, policy.scored_rows // n_folds)]
        triplets = output_ordered_triplets(X[train], Y[train], min(widest, len(train) - 1))
        if None in parts:
            parts[None].append(held_out_errors(X, Y, scored, ks))
        for group in _sharing_a_solution(reachable):
            for candidate in learn(X[train], triplets, group):
                if candidate.embedding is not None and candidate.setting in group:
                    errors = held_out_errors(candidate.embedding(X), Y, scored, ks)
                    parts[candidate.setting].append(errors)
    return {setting: np.concatenate(found) for setting, found in parts.items() if len(found) == n_folds}


def _sharing_a_solution(settings: Iterable[Setting | None]) -> list[list[Setting]]:
    groups: dict[tuple[int, float], list[Setting]] = {}
    for setting in settings:
        if setting is not None:
            groups.setdefault((setting.n_neighbors, setting.nu), []).append(setting)
    return list(groups.values())


def held_out_errors(Z, Y, held_out, n_neighbors) -> np.ndarray:
    """Contribution of each held-out row to the aRRMSE of k-NN regression, for each number of neighbours.

    A root mean square is not a mean over rows, so every row gets its share of the first-order expansion,
    ``e^2 / (2 R) + R / 2`` for an error e and the root mean square error R of the target. The mean of these
    over the rows is R, and their variance shows how certain a difference of two metrics is.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
        Embedded rows; all but the one to be predicted are references.
    Y : ndarray of shape (n, q)
    held_out : ndarray
        Numbers of the rows to be predicted.
    n_neighbors : sequence of int
        Ascending, each below n.

    Returns
    -------
    ndarray of shape (len(held_out), len(n_neighbors)), float32
    """
    most = max(n_neighbors)
    _, found = ExactIndex().build(Z).query(Z[held_out], most + 1)
    found = found[others_found(found, held_out)].reshape(len(held_out), most)
    truth = Y[held_out]
    total = np.zeros_like(truth)
    shares = np.empty((len(held_out), len(n_neighbors)), dtype=np.float32)
    done = 0
    for place, k in enumerate(n_neighbors):
        total += Y[found[:, done:k]].sum(axis=1)
        done = k
        squares = (total / k - truth) ** 2
        root = np.sqrt(squares.mean(axis=0))
        shares[:, place] = (squares / np.where(root > 0, 2 * root, 1.0) + root / 2).mean(axis=1)
    return shares


def arrmse_of(errors: np.ndarray) -> float:
    """Cross-fitted aRRMSE at the best number of neighbours."""
    return float(errors.mean(axis=0, dtype=np.float64).min())


def simplest_good_setting(errors: Errors) -> Setting | None:
    """The best setting of the simplest kind that is within one standard error of the best of all.

    Kinds from simple to flexible: Euclid, diagonal metrics, then full ones by falling shrinkage; within a
    kind the smallest error wins. Settings are compared by paired differences to the simplest, row by row and
    winsorised, so that a few outliers do not decide.
    """
    at_best = {}
    for setting, table in errors.items():
        at_best[setting] = table[:, table.mean(axis=0, dtype=np.float64).argmin()].astype(np.float64)

    def flexibility(setting):
        return -1.0 if setting is None else 1.0 - setting.shrinkage

    by_error = sorted(errors, key=lambda setting: arrmse_of(errors[setting]))
    simplest = min(by_error, key=flexibility)
    ranked = sorted(
        by_error, key=lambda setting: without_extremes(at_best[setting] - at_best[simplest]).mean()
    )
    for kind in sorted({flexibility(setting) for setting in ranked}):
        best_of_kind = next(setting for setting in ranked if flexibility(setting) == kind)
        excess = without_extremes(at_best[best_of_kind] - at_best[ranked[0]])
        if excess.mean() <= excess.std() / np.sqrt(len(excess)):
            return best_of_kind
    return ranked[0]


def without_extremes(values: np.ndarray) -> np.ndarray:
    """The values winsorised: the lowest and highest tenth replaced by the nearest of the others.

    >>> without_extremes(np.array([-90.0, *range(1, 10), 500.0]))
    array([1., 1., 2., 3., 4., 5., 6., 7., 8., 9., 9.])
    """
    return np.clip(values, *np.quantile(values, [0.1, 0.9]))


def best_of_each_mixture(errors: Errors) -> list[Setting]:
    """For every shrinkage and share of Euclid the setting of the lowest error, the least flexible first."""
    best: dict[tuple[float, float], Setting] = {}
    for setting in sorted(filter(None, errors), key=lambda setting: arrmse_of(errors[setting])):
        best.setdefault((setting.shrinkage, setting.euclid_share), setting)
    return [best[mixture] for mixture in sorted(best, reverse=True)]
