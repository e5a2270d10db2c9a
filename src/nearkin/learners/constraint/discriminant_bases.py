"""Candidate directions for a sparse metric: discriminants of small parts of the data."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from sklearn.cluster import KMeans

from nearkin.numerics.linear_metric import fixed_signs, ridged
from nearkin.numerics.products import squared_distances
from nearkin.numerics.selection import smallest_per_row
from nearkin.supervision.constraints import TripletList

# Rows of each class around a centre that enter its discriminants: a small and a larger neighbourhood.
ROWS_PER_CLASS = (10, 20)
# With more features than this, ten rows are too few.
MANY_FEATURES = 50
MORE_ROWS_PER_CLASS = (50, 20)


def discriminant_bases(X: np.ndarray, codes: np.ndarray, n_bases: int, rng) -> np.ndarray:
    """Unit directions of linear discriminants around the centres of k-means, at most `n_bases` rows.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    codes : integer array of shape (n,)
        Classes 0..C-1, at least two.
    n_bases : int
    rng : RandomState

    Notes
    -----
    About ``n_bases / (C - 1)`` discriminants of d^3 + C q d^2 each, and as many searches of n d.
    """
    sizes = ROWS_PER_CLASS if X.shape[1] <= MANY_FEATURES else MORE_ROWS_PER_CLASS
    members = [np.flatnonzero(codes == c) for c in range(codes.max() + 1)]
    per_region = len(sizes) * min(len(members) - 1, X.shape[1])
    n_regions = min(-(-n_bases // per_region), len(np.unique(X, axis=0)))
    centres = KMeans(n_regions, n_init=1, max_iter=30, random_state=rng).fit(X).cluster_centers_
    found = []
    for size in sizes:
        nearest = [
            rows[smallest_per_row(squared_distances(centres, X[rows]), min(size, len(rows)))[1]]
            for rows in members
        ]
        found += [
            _discriminants(X, [of_class[region] for of_class in nearest]) for region in range(n_regions)
        ]
    return np.concatenate(found)[:n_bases]


def _discriminants(X: np.ndarray, groups: list[np.ndarray]) -> np.ndarray:
    """Unit directions along which the means of the groups differ most relative to the variation within."""
    means = np.stack([X[rows].mean(axis=0) for rows in groups])
    within = np.concatenate([X[rows] - mean for rows, mean in zip(groups, means)])
    root = cholesky(ridged(within.T @ within / len(within)), lower=True)
    spread = solve_triangular(root, (means - means.mean(axis=0)).T, lower=True)
    axes, strengths, _ = np.linalg.svd(spread, full_matrices=False)
    kept = strengths > 1e-9 * max(strengths[0], np.finfo(float).tiny)
    directions = solve_triangular(root, axes[:, kept][:, : len(groups) - 1], lower=True, trans=1).T
    return fixed_signs(directions / np.linalg.norm(directions, axis=1, keepdims=True))


def triplet_bases(X: np.ndarray, triplets: TripletList, n_bases: int, rng) -> np.ndarray:
    """Unit directions in which, over small groups of triplets, far rows are farther than near ones.

    Eigenvectors of positive eigenvalue of sums of ``v_far v_far' - v_near v_near'`` over d triplets drawn
    at random, d^3 for each group.
    """
    d = X.shape[1]
    found: list[np.ndarray] = []
    for _ in range(-(-4 * n_bases // d)):
        chosen = rng.randint(len(triplets), size=min(d, len(triplets)))
        anchors = X[triplets.anchor[chosen]]
        far, near = X[triplets.far[chosen]] - anchors, X[triplets.near[chosen]] - anchors
        values, vectors = np.linalg.eigh(far.T @ far - near.T @ near)
        found.append(vectors.T[values > 1e-9 * np.abs(values).max()])
        if sum(map(len, found)) >= n_bases:
            break
    return fixed_signs(np.concatenate(found)[:n_bases])
