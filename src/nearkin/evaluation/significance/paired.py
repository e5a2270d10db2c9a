"""Two methods measured on the same folds or data sets: is one better, and how likely by enough to matter?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

#: Share of the overlap correction that allows for the luck of the training set and that repeats never remove:
#: the smallest that keeps the error rate at 5 % in the simulations of docs/results/compare-power.md, where
#: learners equal the baseline but gain or lose 0.6 points by such luck.
LUCK_SHARE = 0.4


@dataclass(frozen=True)
class PairedTest:
    """Outcome of a two-sided paired test; `difference` is the mean of first minus second."""

    difference: float
    statistic: float
    p_value: float
    interval: tuple[float, float] | None = None


class Chances(NamedTuple):
    """Posterior probabilities that the first method is better, equivalent or worse; they add up to 1."""

    better: float
    equivalent: float
    worse: float


def _differences(first, second, minimum: int) -> np.ndarray:
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(
            f"a paired test needs two equally long lists, got shapes {first.shape} and {second.shape}."
        )
    if len(first) < minimum:
        raise ValueError(f"a paired test needs at least {minimum} pairs, got {len(first)}.")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("scores contain NaN or infinity; leave out the folds where a method failed.")
    return first - second


def overlap_factor(n: int, test_to_train: float) -> float:
    """Factor from the variance of n fold scores to the variance of their mean.

    The training parts of different folds share rows, so fold scores vary less than those of
    independent experiments. Nadeau and Bengio replace ``1/n`` by ``1/n + n_test/n_train`` [1]_. With many
    repeats only the second term remains, and that is hardly more than the variance due to the test rows
    (their share of all rows). Almost nothing is left for what the single training set at hand does to a
    learner, which no number of repeats averages out. The factor therefore never falls below the share of the
    test rows plus `LUCK_SHARE` of the second term.

    Parameters
    ----------
    n : int
        Folds, over all repeats.
    test_to_train : float
        Test rows per training row, e.g. 1/9 for 10-fold cross-validation; 0 for independent scores.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.

    Examples
    --------
    >>> [round(overlap_factor(n, 1 / 9), 3) for n in (10, 20, 100)]
    [0.211, 0.161, 0.144]
    """
    least = test_to_train / (1 + test_to_train) + LUCK_SHARE * test_to_train
    return max(1 / n + test_to_train, least)


def corrected_paired_t(
    first: ArrayLike, second: ArrayLike, test_to_train: float, confidence: float = 0.95
) -> PairedTest:
    """Paired t test on the scores of cross-validation folds, corrected for their overlap.

    The corrected resampled t test of Nadeau and Bengio, with an allowance for the luck of the training set
    in repeated cross-validation (see `overlap_factor`).

    Parameters
    ----------
    first, second : array-like of shape (n_folds,)
        Scores of two methods on the same folds.
    test_to_train : float
        Test rows per training row, e.g. 1/9 for 10-fold cross-validation; 0 gives the plain t test.

    Examples
    --------
    >>> test = corrected_paired_t([0.9, 0.8, 0.85], [0.7, 0.7, 0.7], test_to_train=0.5)
    >>> round(test.difference, 3), round(test.statistic, 3), round(test.p_value, 3)
    (0.15, 3.286, 0.081)
    """
    differences = _differences(first, second, 2)
    n = len(differences)
    mean = float(differences.mean())
    error = float(np.sqrt(differences.var(ddof=1) * overlap_factor(n, test_to_train)))
    if error <= np.finfo(float).eps * max(1.0, abs(mean)):
        # Equal differences in every fold: no doubt at all, in either direction.
        statistic = 0.0 if mean == 0 else float(np.copysign(np.inf, mean))
        return PairedTest(mean, statistic, 1.0 if mean == 0 else 0.0, (mean, mean))
    statistic = mean / error
    half_width = error * float(special.stdtrit(n - 1, (1 + confidence) / 2))
    p_value = 2 * float(special.stdtr(n - 1, -abs(statistic)))
    return PairedTest(mean, statistic, p_value, (mean - half_width, mean + half_width))


def correlated_t_chances(
    first: ArrayLike, second: ArrayLike, test_to_train: float, rope: float = 0.01
) -> Chances:
    """Bayesian correlated t test with a region of practical equivalence [1]_.

    The posterior of the mean difference is Student's t around the mean of the fold differences, with the
    scale of the corrected paired t test: `corrected_paired_t` asks whether the difference could be zero, this
    test how large it may be.

    Parameters
    ----------
    first, second : array-like of shape (n_folds,)
        Scores of two methods on the same folds, larger being better.
    test_to_train : float
        Test rows per training row, e.g. 1/9 for 10-fold cross-validation.
    rope : float
        Differences up to this size either way count as equivalent.

    References
    ----------
    .. [1] G. Corani, A. Benavoli, "A Bayesian approach for comparing cross-validated algorithms on multiple
       data sets", Machine Learning 100, 2015.

    Examples
    --------
    >>> found = correlated_t_chances([0.9, 0.8, 0.85], [0.7, 0.7, 0.7], test_to_train=0.5)
    >>> [round(chance, 3) for chance in found]
    [0.954, 0.01, 0.036]
    """
    if not rope >= 0:
        raise ValueError(f"rope={rope}: expected a difference of at least 0.")
    differences = _differences(first, second, 2)
    n, mean = len(differences), float(differences.mean())
    error = float(np.sqrt(differences.var(ddof=1) * overlap_factor(n, test_to_train)))
    if error <= np.finfo(float).eps * max(1.0, abs(mean)):
        # Equal differences in every fold leave no doubt.
        return Chances(float(mean > rope), float(abs(mean) <= rope), float(mean < -rope))
    worse = float(special.stdtr(n - 1, (-rope - mean) / error))
    better = float(special.stdtr(n - 1, (mean - rope) / error))
    return Chances(better, max(0.0, 1.0 - better - worse), worse)


def five_by_two_f(first: ArrayLike, second: ArrayLike) -> PairedTest:
    """Combined 5 x 2 cv paired F test of Alpaydin [1]_.

    Parameters
    ----------
    first, second : array-like of shape (10,)
        Scores of two methods, the two folds of each of the five repetitions next to each other.

    References
    ----------
    .. [1] E. Alpaydin, "Combined 5 x 2 cv F test for comparing supervised classification learning
       algorithms", Neural Computation 11, 1999.

    Examples
    --------
    >>> test = five_by_two_f([3, 2] * 5, [1, 1] * 5)
    >>> round(test.statistic, 3), round(test.p_value, 4)
    (5.0, 0.0448)
    """
    differences = _differences(first, second, 10)
    if len(differences) != 10:
        raise ValueError(f"the 5x2 cv F test needs 10 pairs of scores, got {len(differences)}.")
    pairs = differences.reshape(5, 2)
    variance = float(np.sum((pairs - pairs.mean(axis=1, keepdims=True)) ** 2))
    mean = float(differences.mean())
    if variance == 0.0:
        nothing = not differences.any()
        return PairedTest(mean, 0.0 if nothing else np.inf, 1.0 if nothing else 0.0)
    statistic = float(np.sum(pairs**2) / (2 * variance))
    return PairedTest(mean, statistic, float(stats.f.sf(statistic, 10, 5)))


def wilcoxon_signed_rank(first: ArrayLike, second: ArrayLike) -> PairedTest:
    """Wilcoxon signed-rank test; pairs without a difference are left out.

    The p value is exact, with or without ties, up to 500 pairs, and the normal approximation with
    tie correction beyond. `statistic` is the smaller of the two rank sums.

    Examples
    --------
    >>> round(wilcoxon_signed_rank([1, 2, 3, 4, 5], [0, 0, 0, 0, 0]).p_value, 4)
    0.0625
    """
    differences = _differences(first, second, 1)
    mean = float(differences.mean())
    kept = differences[differences != 0]
    if kept.size == 0:
        return PairedTest(mean, 0.0, 1.0)
    ranks = stats.rankdata(np.abs(kept))
    positive = float(ranks[kept > 0].sum())
    return PairedTest(mean, min(positive, float(ranks.sum()) - positive), _signed_rank_p(ranks, positive))


def _signed_rank_p(ranks: np.ndarray, positive: float) -> float:
    """Two-sided p value from the distribution of the positive rank sum under random signs.

    Doubled ranks are integers even with ties, so the distribution is counted by convolution.
    """
    doubled = np.rint(2 * ranks).astype(int)
    if len(doubled) > 500:
        spread = np.sqrt(np.sum(ranks**2)) / 2
        return 2 * float(stats.norm.sf(abs(positive - ranks.sum() / 2) / spread))
    chances = np.zeros(doubled.sum() + 1)
    chances[0] = 1.0
    for rank in doubled:
        chances[rank:] = (chances[rank:] + chances[: len(chances) - rank]) / 2
        chances[:rank] /= 2
    at_least = chances[round(2 * positive) :].sum()
    at_most = chances[: round(2 * positive) + 1].sum()
    return float(min(1.0, 2 * min(at_least, at_most)))
