"""Building blocks for learners of a linear metric: ridges, spans, factors and signs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

SINGULAR = "a scatter matrix is singular: some direction does not vary; use a shrinkage above 0."


def ridged(S: np.ndarray, share: float = 1e-3) -> np.ndarray:
    """``(1 - share) S + share (tr S / d) I``: a scale-free ridge, for directions without variance.

    >>> ridged(np.diag([2.0, 0.0]), 0.5)
    array([[1.5, 0. ],
           [0. , 0.5]])
    """
    level = np.trace(S) / len(S)
    out = (1 - share) * S
    out.flat[:: len(S) + 1] += share * (level if level > 0 else 1.0)
    return out


@dataclass(frozen=True)
class Span:
    """The span of the centred rows: coordinates for learners that are equivariant under rotations.

    With more features than rows nothing can be learned outside the span of the centred rows, and such
    methods lose nothing by working inside it.

    Attributes
    ----------
    rows : ndarray of shape (n, r)
        The centred rows in the span, float64.
    axes : ndarray of shape (r, d) or None
        Orthonormal; None if the features themselves are the coordinates.
    """

    rows: np.ndarray
    axes: np.ndarray | None

    @classmethod
    def of(cls, X: np.ndarray) -> Span:
        """Coordinates of the rows of X; the features themselves if there are more rows than features.

        Notes
        -----
        A thin SVD, n^2 d, if d >= n.

        >>> Span.of(np.eye(3)).rows.shape
        (3, 2)
        """
        rows = np.asarray(X, dtype=np.float64)
        rows = rows - rows.mean(axis=0)
        n, d = rows.shape
        if d < n:
            return cls(rows, None)
        _, lengths, axes = np.linalg.svd(rows, full_matrices=False)
        rank = max(1, int(np.sum(lengths > lengths[0] * max(n, d) * np.finfo(np.float64).eps)))
        return cls(rows @ axes[:rank].T, axes[:rank])

    @classmethod
    def of_varying(cls, X: np.ndarray) -> Span:
        """As `of`, without constant features: maps of the span give them no weight.

        A ridge would otherwise give them weight although nothing is known about them.

        >>> Span.of_varying(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]])).axes
        array([[1., 0.]])
        """
        X = np.asarray(X)
        varies = X.min(axis=0) < X.max(axis=0)
        if varies.all() or not varies.any():
            return cls.of(X)
        inner = cls.of(X[:, varies])
        axes = np.zeros((inner.rows.shape[1], X.shape[1]))
        axes[:, varies] = np.eye(len(axes)) if inner.axes is None else inner.axes
        return cls(inner.rows, axes)

    def lifted(self, L: np.ndarray) -> np.ndarray:
        """A map of the span's coordinates as a map of the features."""
        return L if self.axes is None else L @ self.axes


def row_axes(X: np.ndarray) -> np.ndarray:
    """Orthonormal axes (n x d) of a space that contains the n < d rows of X.

    A thin QR decomposition, 4 n^2 d: cheaper than a product of the rows with a d x d matrix.

    >>> abs(row_axes(np.array([[3.0, 0.0, 0.0], [3.0, 4.0, 0.0]]))).round(12)
    array([[1., 0., 0.],
           [0., 1., 0.]])
    """
    return np.linalg.qr(np.asarray(X, dtype=np.float64).T)[0].T


def generalised_eigenpairs(D: np.ndarray, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values w, largest first, and rows u with D u = w S u and u' S u = 1.

    Raises LinAlgError (a ValueError) if S is singular.

    >>> generalised_eigenpairs(np.diag([1.0, 8.0]), np.diag([1.0, 4.0]))
    (array([2., 1.]), array([[0. , 0.5],
           [1. , 0. ]]))
    """
    cholesky_factor(S)  # raises for a numerically singular S, for which eigh would give wrong results
    values, vectors = linalg.eigh(D, S)
    return values[::-1], fixed_signs(vectors[:, ::-1].T)


def cholesky_factor(S: np.ndarray) -> np.ndarray:
    """Lower triangular R with R R' = S; raises LinAlgError (a ValueError) if S is singular.

    >>> cholesky_factor(np.diag([4.0, 9.0]))
    array([[2., 0.],
           [0., 3.]])
    """
    try:
        R = linalg.cholesky(S, lower=True)
    except linalg.LinAlgError:
        raise linalg.LinAlgError(SINGULAR) from None
    # The variance of a feature that earlier features do not explain may be rounding alone.
    if np.any(np.diag(R) ** 2 <= 10 * len(S) * np.finfo(np.float64).eps * np.diag(S)):
        raise linalg.LinAlgError(SINGULAR)
    return R


def metric_factor(M: np.ndarray, n_components: int | None = None) -> np.ndarray:
    """L with L'L = M, or the best approximation with `n_components` rows; largest directions first.

    Negative eigenvalues count as zero; without `n_components` L has as many rows as features.

    >>> metric_factor(np.diag([1.0, 4.0]), 1)
    array([[0., 2.]])
    """
    values, vectors = np.linalg.eigh(M)
    values, vectors = values[::-1][:n_components], vectors[:, ::-1][:, :n_components]
    return fixed_signs(np.sqrt(np.maximum(values, 0))[:, None] * vectors.T)


def principal_rows(L: np.ndarray, n_components: int | None = None, negligible: float = 0.0) -> np.ndarray:
    """L rotated so that its rows are orthogonal, longest first: the same distances, ready for truncation.

    Parameters
    ----------
    L : ndarray of shape (r, d)
    n_components : int, optional
        Rows kept; all by default.
    negligible : float
        Rows whose squared length is at most this share of the first one's are left out.

    Examples
    --------
    >>> principal_rows(np.array([[0.0, 1.0], [-3.0, 0.0], [0.0, 0.0]]), negligible=1e-12)
    array([[3., 0.],
           [0., 1.]])
    """
    _, lengths, axes = np.linalg.svd(L, full_matrices=False)
    kept = max(1, int(np.sum(lengths**2 > negligible * lengths[0] ** 2))) if negligible else len(lengths)
    return fixed_signs(lengths[:kept, None] * axes[:kept])[:n_components]


def fixed_signs(L: np.ndarray) -> np.ndarray:
    """Rows with signs such that the largest entry of each is positive, so that refits agree.

    >>> fixed_signs(np.array([[1.0, -2.0]]))
    array([[-1.,  2.]])
    """
    largest = np.take_along_axis(L, np.abs(L).argmax(axis=1)[:, None], axis=1)
    return L * np.where(largest < 0, -1.0, 1.0) + 0.0
