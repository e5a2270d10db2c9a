"""How likely one method is better, worse, or as good as the other for all that matters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from nearkin.evaluation.significance.paired import overlap_differences, overlap_factor


class Chances(NamedTuple):
    """Posterior probabilities that the first method is better, equivalent or worse; they add up to 1."""

    better: float
    equivalent: float
    worse: float


def correlated_t_chances(
    first: ArrayLike, second: ArrayLike, test_to_train: float, rope: float = 0.01
) -> Chances:
    """Bayesian correlated t test with a region of practical equivalence [1]_.

    The mean difference has a Student posterior around the mean of the fold differences, as wide as the
    corrected paired t test has it: `corrected_paired_t` asks whether the difference could be zero, this
    how large it may be.

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
    differences = overlap_differences(first, second)
    n, mean = len(differences), float(differences.mean())
    error = float(np.sqrt(differences.var(ddof=1) * overlap_factor(n, test_to_train)))
    if error <= np.finfo(float).eps * max(1.0, abs(mean)):
        # Equal differences in every fold leave no doubt.
        return Chances(float(mean > rope), float(abs(mean) <= rope), float(mean < -rope))
    worse = float(special.stdtr(n - 1, (-rope - mean) / error))
    better = float(special.stdtr(n - 1, (mean - rope) / error))
    return Chances(better, max(0.0, 1.0 - better - worse), worse)
