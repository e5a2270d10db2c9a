"""Artificial data, the same in every environment."""

from __future__ import annotations

import numpy as np


def gaussian_mixture(n: int, d: int, n_classes: int = 20, *, parts: int = 3, seed: int = 0):
    """Classes of several Gaussian parts with a decaying spectrum, float32; labels of equal sizes.

    Columns fall off like those of a truncated SVD of text, which makes hubs, as real sets of this
    width do.
    """
    rng = np.random.RandomState(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    part = rng.randint(parts, size=n)
    scales = (1.0 + np.arange(d)) ** -0.3
    centres = 0.5 * rng.standard_normal((n_classes, parts, d))
    X = (centres[y, part] + rng.standard_normal((n, d))) * scales
    return X.astype(np.float32), y


def gaussian_noise(n: int, d: int, *, seed: int = 0) -> np.ndarray:
    """Standard normal rows, float32."""
    return np.random.RandomState(seed).standard_normal((n, d)).astype(np.float32)
