"""What learners with a certificate share: pairs that cannot teach left out, and a warning above the gap."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from nearkin.supervision.constraints import Pairs

# Squared lengths below this share of the mean are those of equal rows, told apart by rounding.
EQUAL_ROWS = 1e-20


def apart(pairs: Pairs, lengths: np.ndarray, learner: str) -> Pairs:
    """The pairs whose rows differ, told by their squared lengths; dissimilar ones left out are reported.

    No metric can tell equal rows apart, nor move similar ones that coincide any closer.
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
    """Say so where a solver stopped above the gap that was asked for."""
    if not gap <= tol:
        warnings.warn(
            f"{learner} stopped after {n_iter} steps with a relative duality gap of {gap:.1e}, above "
            f"tol={tol:g}; raise max_iter or tol, or bring the features to one scale.",
            ConvergenceWarning,
            stacklevel=2,
        )
