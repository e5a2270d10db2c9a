"""What certified learners share: leaving out pairs of equal rows, and a warning if the gap is too large."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from nearkin.supervision.constraints import Pairs

# Pairs whose squared length is below this share of the mean are equal rows, up to rounding.
EQUAL_ROWS = 1e-20


def apart(pairs: Pairs, lengths: np.ndarray, learner: str) -> Pairs:
    """The pairs whose rows differ, by their squared lengths; warns if dissimilar pairs are left out.

    No metric can separate equal rows, or bring coinciding rows any closer.
    """
    equal = lengths <= EQUAL_ROWS * (lengths.mean() if len(lengths) else 0.0)
    hopeless = int(np.sum(equal & ~pairs.similar))
    if hopeless:
        warnings.warn(
            f"{learner} leaves out {hopeless} of {len(pairs)} pairs: their rows are called dissimilar but "
            "are equal, and no metric can tell them apart.",
            UserWarning,
            stacklevel=2,
        )
    return pairs.take(~equal)


def warn_above(learner: str, gap: float, tol: float, n_iter: int) -> None:
    """Warn if a solver stopped with a gap above the tolerance."""
    if not gap <= tol:
        warnings.warn(
            f"{learner} stopped after {n_iter} steps with a relative duality gap of {gap:.1e}, above "
            f"tol={tol:g}; raise max_iter or tol, or bring the features to one scale.",
            ConvergenceWarning,
            stacklevel=2,
        )
