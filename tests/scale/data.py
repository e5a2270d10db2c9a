"""Classes of uneven size with a constant feature, far from the origin."""

from __future__ import annotations

import numpy as np


def classes(n=900, d=8, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    y = np.array(["ant", "bee", "cat", "dog"])[rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])]
    y[7] = "eel"  # alone in its class
    centres = dict(zip("abcde", rng.normal(size=(5, d)) * 2))
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + np.array([centres[name[0]] for name in y]) + 5
    X[:, 3] = 1.5
    return X.astype(dtype), y
