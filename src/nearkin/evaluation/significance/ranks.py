"""Many methods on many data sets: average ranks, Friedman's test, critical differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from nearkin.evaluation.significance.posthoc import finner, holm


@dataclass(frozen=True)
class FriedmanTest:
    """Outcome of Friedman's test and of its sharper F version (Iman and Davenport).

    `average_ranks` has one value per method, 1 being best.
    """

    average_ranks: np.ndarray
    n_datasets: int
    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float


def rank_methods(scores: ArrayLike, greater_is_better: bool) -> np.ndarray:
    """Ranks of the methods (columns) on each data set (row), 1 for the best, ties shared.

    Examples
    --------
    >>> rank_methods([[0.1, 0.2, 0.2]], greater_is_better=False)
    array([[1. , 2.5, 2.5]])
    """
    scores = np.asarray(scores, dtype=float)
    if scores.ndim != 2 or scores.shape[0] < 1 or scores.shape[1] < 2:
        raise ValueError(f"expected a table of data sets x methods (two or more), got shape {scores.shape}.")
    if not np.isfinite(scores).all():
        raise ValueError("the table has gaps (NaN); rank only data sets on which every method has a score.")
    return stats.rankdata(-scores if greater_is_better else scores, axis=1)


def friedman(scores: ArrayLike, greater_is_better: bool, tie_correction: bool = True) -> FriedmanTest:
    """Whether some of the methods differ at all over the data sets.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_methods)
    greater_is_better : bool
        True for accuracies, False for errors.
    tie_correction : bool
        Divide the statistic by the tie factor; False gives the plain formula of [1]_, which many
        published tables use.

    References
    ----------
    .. [1] J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> test = friedman([[1, 2, 3], [1, 2, 3], [1, 3, 2], [2, 1, 3]], greater_is_better=False)
    >>> test.average_ranks, round(test.statistic, 3)
    (array([1.25, 2.  , 2.75]), 4.5)
    """
    ranks = rank_methods(scores, greater_is_better)
    n, k = ranks.shape
    average = ranks.mean(axis=0)
    statistic = 12 * n / (k * (k + 1)) * float(np.sum((average - (k + 1) / 2) ** 2))
    if tie_correction:
        # Variance of the ranks as they are, relative to that of ranks without ties.
        untied = n * k * (k**2 - 1) / 12
        factor = float(np.sum((ranks - (k + 1) / 2) ** 2)) / untied
        statistic = statistic / factor if factor > 0 else 0.0
    room = n * (k - 1) - statistic
    f_statistic = (n - 1) * statistic / room if room > 1e-9 * n * k else np.inf
    return FriedmanTest(
        average_ranks=average,
        n_datasets=n,
        statistic=statistic,
        p_value=float(stats.chi2.sf(statistic, k - 1)),
        f_statistic=float(f_statistic),
        f_p_value=float(stats.f.sf(f_statistic, k - 1, (k - 1) * (n - 1))),
    )


@dataclass(frozen=True)
class PostHocComparison:
    """One method against the control: the p value, and the same adjusted by Finner and by Holm."""

    method: str
    z: float
    p_value: float
    finner_p: float
    holm_p: float


def compare_with_control(test: FriedmanTest, methods: Sequence[str], control: str) -> list[PostHocComparison]:
    """Post hoc tests of every method against one, from the average ranks; smallest p first.

    ``z = (R_i - R_control) / sqrt(k (k + 1) / (6 n))``, two-sided.
    """
    methods = list(methods)
    if len(methods) != len(test.average_ranks) or control not in methods:
        raise ValueError(f"{len(test.average_ranks)} method names are needed, {control!r} among them.")
    k = len(methods)
    error = np.sqrt(k * (k + 1) / (6 * test.n_datasets))
    own = test.average_ranks[methods.index(control)]
    others = [position for position, name in enumerate(methods) if name != control]
    z = (test.average_ranks[others] - own) / error
    p = 2 * stats.norm.sf(np.abs(z))
    by_p = np.argsort(p, kind="stable")
    finner_p, holm_p = finner(p), holm(p)
    return [
        PostHocComparison(methods[others[i]], float(z[i]), float(p[i]), float(finner_p[i]), float(holm_p[i]))
        for i in by_p
    ]


def critical_difference(n_methods: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference: average ranks at least this far apart differ significantly.

    Examples
    --------
    >>> round(critical_difference(n_methods=4, n_datasets=14), 2)
    1.25
    """
    if n_methods < 2 or n_datasets < 1:
        raise ValueError("a critical difference needs at least two methods and one data set.")
    quantile = stats.studentized_range.ppf(1 - alpha, n_methods, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_datasets)))


def indistinct_groups(average_ranks: ArrayLike, difference: float) -> list[tuple[int, ...]]:
    """Largest groups of methods closer than the critical difference: the bars of the diagram.

    Positions of the methods, best first; groups of one are left out.

    Examples
    --------
    >>> indistinct_groups([1.0, 3.0, 1.5, 3.4], difference=1.0)
    [(0, 2), (1, 3)]
    """
    ranks = np.asarray(average_ranks, dtype=float)
    order = np.argsort(ranks, kind="stable")
    groups, reached = [], 0
    for start, best in enumerate(order):
        end = start + int(np.sum(ranks[order[start:]] - ranks[best] < difference))
        # A group that ends where an earlier, longer one ended says nothing new.
        if end > max(reached, start + 1):
            groups.append(tuple(int(position) for position in order[start:end]))
            reached = end
    return groups


def robustness_ratios(errors: ArrayLike) -> np.ndarray:
    """b_m of each method (column) on each data set (row): its error over the smallest error there.

    The best method has 1. Where the smallest error is 0, methods without errors have 1 and the
    others infinity.

    References
    ----------
    .. [1] J. Friedman, "Flexible metric nearest neighbor classification", Stanford University, 1994.

    Examples
    --------
    >>> robustness_ratios([[0.1, 0.2], [0.3, 0.15]])
    array([[1., 2.],
           [2., 1.]])
    """
    errors = np.asarray(errors, dtype=float)
    if errors.ndim != 2 or not np.all(errors >= 0):
        raise ValueError(
            "expected a table of error rates (data sets x methods) without gaps or negative values."
        )
    smallest = errors.min(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(errors == smallest, 1.0, errors / smallest)
