"""A picture of what is near what under a distance: t-SNE of queries and references together."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from nearkin.distances import Distance, EmbeddedDistance
from nearkin.numerics.threads import blas_threads

#: Fewer points than this have no neighbourhoods worth a map; they are placed by their distances alone.
MIN_POINTS = 12
PERPLEXITY = 30.0
MAX_ITERATIONS = 400


def neighbour_map(
    distance: Distance | None, queries, references, *, start: np.ndarray | None = None, seed: int = 0
) -> np.ndarray:
    """Two coordinates per point, queries first, in which near points are near.

    Parameters
    ----------
    distance : Distance or None
        None is Euclid.
    queries, references : arrays or CSR rows as the distance takes them
    start : ndarray of shape (n_points, 2), optional
        Where the points begin, such as their places under another distance; classical scaling by default.
    seed : int

    Notes
    -----
    For n points the n x n distances are computed, so it is for pictures (n of about 1,000), and t-SNE costs
    about n log n per iteration.

    References
    ----------
    van der Maaten, Hinton (2008). Visualizing data using t-SNE.
    """
    from sklearn.manifold import TSNE

    squared = all_distances(distance, queries, references)
    n = len(squared)
    if start is None or n < MIN_POINTS:
        start = scaled_distances(squared)
    if n < MIN_POINTS:
        return start
    spread = start.std(axis=0).max()
    # t-SNE wants to begin very small.
    start = 1e-4 * (start - start.mean(axis=0)) / (spread if spread > 0 else 1.0)
    tsne = TSNE(
        metric="precomputed",
        init=start.astype(np.float32),
        perplexity=min(PERPLEXITY, (n - 1) / 3),
        max_iter=MAX_ITERATIONS,
        random_state=seed,
    )
    # Its many tiny steps gain little from threads, and on a busy machine wait long for them.
    with blas_threads(n_jobs=1, openmp=True):
        return np.asarray(tsne.fit_transform(np.sqrt(squared)), dtype=float)


def all_distances(distance: Distance | None, queries, references) -> np.ndarray:
    """Symmetric squared distances among queries and references together, queries first.

    If the two kinds are embedded differently, each point is measured where its kind is embedded. A distance
    without an embedding takes every point as query and as reference, and the two directions are averaged.
    """
    if distance is None:
        distance = EmbeddedDistance()
    if isinstance(distance, EmbeddedDistance):
        placed = _stack(distance.embed_queries(queries), distance.embed_references(references))
        found = EmbeddedDistance().pairwise(placed, placed)
    else:
        both = _stack(queries, references)
        found = distance.pairwise(both, both)
    found = np.asarray(found, dtype=np.float64)
    found = np.maximum((found + found.T) / 2, 0)
    np.fill_diagonal(found, 0)
    return found


def scaled_distances(squared: np.ndarray) -> np.ndarray:
    """Two coordinates whose distances are nearest to the given ones (classical scaling).

    >>> places = scaled_distances(np.array([[0.0, 4.0], [4.0, 0.0]]))
    >>> np.round(np.abs(places[0] - places[1]), 6)
    array([2., 0.])
    """
    from scipy.linalg import eigh

    n = len(squared)
    mean = squared.mean(axis=0)
    inner = -(squared - mean - mean[:, None] + mean.mean()) / 2
    values, vectors = eigh(inner, subset_by_index=[max(0, n - 2), n - 1])
    at = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0))
    # The sign of an eigenvector is arbitrary: choose the one whose longest reach is to the right and up.
    at *= np.where(at[np.abs(at).argmax(axis=0), np.arange(at.shape[1])] < 0, -1.0, 1.0)
    return np.hstack([at, np.zeros((n, 2 - at.shape[1]))])


def _stack(first, second):
    if sparse.issparse(first) or sparse.issparse(second):
        return sparse.vstack([sparse.csr_matrix(first), sparse.csr_matrix(second)]).tocsr()
    return np.vstack([first, second])
