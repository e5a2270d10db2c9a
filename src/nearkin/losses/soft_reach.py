"""How far softly weighted neighbours have to be looked for: as far as they still matter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nearkin.losses.base import probed_rows
from nearkin.numerics.products import squared_distances

#: Neighbours whose weights together are this share of a row's total may be left out.
NEGLIGIBLE_SHARE = 1e-4
#: Exponents are told apart to one part in so many.
STEPS_PER_UNIT = 4


class Reach(NamedTuple):
    """Where to stop looking for neighbours.

    Parameters
    ----------
    decay : float
        How far the exponent of a neighbour may lie below that of the nearest.
    neighbours : float
        About how many neighbours of a row lie within.
    """

    decay: float
    neighbours: float


def reach(
    Z: np.ndarray, sharpness: np.ndarray, *, share: float = NEGLIGIBLE_SHARE, certain: bool = False
) -> Reach:
    """The reach beyond which neighbours hold a negligible share of the weights.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
    sharpness : ndarray of shape (n,)
        Factor of the squared distances in each row's exponent.
    share : float
        What is negligible on average, judging by some rows.
    certain : bool, default=False
        Keep every row's share below `NEGLIGIBLE_SHARE` instead, as if all rows lay just beyond the
        reach, which then is much longer.

    Examples
    --------
    >>> Z = np.arange(1000.0)[:, None]
    >>> reach(Z, np.ones(1000)), reach(Z, np.ones(1000), certain=True).decay > 16
    (Reach(decay=8.25, neighbours=5.9), True)
    """
    from nearkin.numerics.kernels_soft import FAR, softmax_histogram

    n = len(Z)
    longest = float(np.log(n / NEGLIGIBLE_SHARE))
    rows = probed_rows(n)
    distances = squared_distances(Z[rows], Z)
    distances[np.arange(len(rows)), rows] = FAR
    steps = int(np.ceil(longest * STEPS_PER_UNIT))
    counts, shares = np.zeros(steps), np.zeros(steps + 1)
    softmax_histogram(distances, sharpness[rows].astype(Z.dtype), STEPS_PER_UNIT, counts, shares)
    counts, shares = counts.cumsum() / len(rows), shares / len(rows)
    if certain:
        return Reach(longest, float(counts[-1]))
    beyond = shares[::-1].cumsum()[::-1][1:]
    last = min(int(np.argmax(np.append(beyond, 0.0) <= share)), steps - 1)
    return Reach(min((last + 1) / STEPS_PER_UNIT, longest), float(counts[last]))
