"""Artificial sets: the multimodal ones of the local-metric paper, and mixtures for benchmarks.

Every generator returns ``(X, y)`` with rows in random order and labels 0..C-1 of sizes that differ by
one at most. The paper shows its sets only as pictures; these follow what its figures show: classes
made of several parts, or wound around each other, so that no single global metric works.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike
from sklearn.utils import check_random_state

from nearkin._types import RandomState

_CORNERS = ((-1.0, -1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, -1.0))


def make_two_classes(
    n_samples: int = 200, random_state: RandomState = None, *, noise: float = 0.65
) -> tuple[np.ndarray, np.ndarray]:
    """Two classes in the plane, each of two strips whose long directions differ (an XOR of strips).

    Class 0 lies in two corners in strips along the first axis, class 1 in the other two corners along
    the second: each corner asks for another metric.

    Parameters
    ----------
    n_samples : int
    random_state : int, RandomState or None
    noise : float
        Standard deviation across the strips; along them it is three times as large.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of int

    Examples
    --------
    >>> X, y = make_two_classes(10, random_state=0)
    >>> X.shape, y.sum()
    ((10, 2), np.int64(5))
    """
    rng, y = _prepare(n_samples, 2, random_state)
    corner = 2 * y + rng.randint(2, size=n_samples)
    wide = np.where(y[:, None] == 0, [3.0, 1.0], [1.0, 3.0])
    return 2.0 * np.array(_CORNERS)[corner] + noise * wide * rng.standard_normal((n_samples, 2)), y


def make_eight_classes(
    n_samples: int = 240, random_state: RandomState = None, *, noise: float = 0.28
) -> tuple[np.ndarray, np.ndarray]:
    """Eight classes of two blobs each on a ring of sixteen; the two blobs of a class lie opposite.

    Every blob is stretched along the radius and touches its neighbours on the ring, so that distance
    along the radius misleads, and the direction to be ignored turns with the place.

    Parameters
    ----------
    n_samples : int
    random_state : int, RandomState or None
    noise : float
        Standard deviation of the angle, in units of the gap between neighbouring blobs.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of int

    Examples
    --------
    >>> X, y = make_eight_classes(16, random_state=0)
    >>> X.shape, len(set(y))
    ((16, 2), 8)
    """
    rng, y = _prepare(n_samples, 8, random_state)
    blob = y + 8 * rng.randint(2, size=n_samples)
    angle = 2 * np.pi * (blob + noise * rng.standard_normal(n_samples)) / 16
    radius = 4.0 + rng.standard_normal(n_samples)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def make_helix(
    n_samples: int = 500, random_state: RandomState = None, *, n_classes: int = 5, noise: float = 0.3
) -> tuple[np.ndarray, np.ndarray]:
    """Five classes as successive stretches of a closed helix wound around a ring in three dimensions.

    The curve is ``((2 + cos 8t) cos t, (2 + cos 8t) sin t, sin 8t)``; each class takes two stretches of
    it on opposite sides, so it has two parts with different directions.

    Parameters
    ----------
    n_samples : int
    random_state : int, RandomState or None
    n_classes : int
    noise : float
        Standard deviation of the Gaussian added to each coordinate.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
    y : ndarray of int

    Examples
    --------
    >>> X, y = make_helix(50, random_state=0)
    >>> X.shape, len(set(y))
    ((50, 3), 5)
    """
    rng, y = _prepare(n_samples, n_classes, random_state)
    stretch = y + n_classes * rng.randint(2, size=n_samples)
    t = np.pi * (stretch + rng.uniform(size=n_samples)) / n_classes
    ring = 2.0 + np.cos(8 * t)
    X = np.column_stack([ring * np.cos(t), ring * np.sin(t), np.sin(8 * t)])
    return X + noise * rng.standard_normal(X.shape), y


def make_concentric_circles(
    n_samples: int = 200, random_state: RandomState = None, *, noise: float = 0.1, factor: float = 0.5
) -> tuple[np.ndarray, np.ndarray]:
    """Two classes on two circles around the same centre; no linear map tells them apart.

    Two prototypes can, if each has a metric of its own: distances from one centre by a steep and by a
    shallow metric are equal on a circle.

    Parameters
    ----------
    n_samples : int
        The paper draws 200.
    random_state : int, RandomState or None
    noise : float
        Standard deviation of the Gaussian added to each coordinate.
    factor : float
        Radius of the inner circle (class 1); the outer one has radius 1.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of int

    Examples
    --------
    >>> X, y = make_concentric_circles(100, random_state=0, noise=0.0)
    >>> sorted({round(float(r), 6) for r in (X**2).sum(axis=1)})
    [0.25, 1.0]
    """
    if not 0 < factor < 1:
        raise ValueError(f"factor is {factor!r}; the inner circle needs a radius between 0 and 1.")
    rng, y = _prepare(n_samples, 2, random_state)
    angle = 2 * np.pi * rng.uniform(size=n_samples)
    X = np.where(y == 0, 1.0, factor)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + noise * rng.standard_normal(X.shape), y


def make_mixture(
    n_samples: int = 1000,
    n_features: int = 50,
    n_classes: int = 5,
    random_state: RandomState = None,
    *,
    separation: float = 3.0,
    parts: int = 1,
    dtype: DTypeLike = np.float64,
) -> tuple[np.ndarray, np.ndarray]:
    """A Gaussian mixture of any size for benchmarks; with many features it has hubs.

    Each class has `parts` centres at random with norm about `separation`, and unit noise in every
    direction. As distances between unit Gaussians concentrate when `n_features` grows, a few rows near
    the centres become neighbours of very many (hubs), as in real high-dimensional data.

    Parameters
    ----------
    n_samples, n_features, n_classes : int
    random_state : int, RandomState or None
    separation : float
        Typical distance of a centre from the origin, in standard deviations of the noise.
    parts : int
        Centres per class; more than one makes classes multimodal.
    dtype : float64 or float32

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
    y : ndarray of int

    Notes
    -----
    Memory is X plus, for float32, one block of it in float64.

    Examples
    --------
    >>> X, y = make_mixture(100, 20, 4, random_state=0, dtype="float32")
    >>> X.shape, X.dtype, len(set(y))
    ((100, 20), dtype('float32'), 4)
    """
    rng, y = _prepare(n_samples, n_classes, random_state)
    centres = rng.standard_normal((n_classes * parts, n_features)) * (separation / np.sqrt(n_features))
    part = y + n_classes * rng.randint(parts, size=n_samples)
    X = np.empty((n_samples, n_features), dtype=dtype)
    block = max(1, 2**22 // n_features)
    for start in range(0, n_samples, block):
        rows = slice(start, min(start + block, n_samples))
        X[rows] = centres[part[rows]] + rng.standard_normal((rows.stop - rows.start, n_features))
    return X, y


def _prepare(n_samples: int, n_classes: int, random_state):
    """Generator and shuffled labels, class sizes differing by one at most."""
    if n_samples < n_classes:
        raise ValueError(
            f"{n_samples} samples are too few for {n_classes} classes; ask for at least one each."
        )
    rng = check_random_state(random_state)
    return rng, rng.permutation(np.arange(n_samples) % n_classes)
