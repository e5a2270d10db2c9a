"""Relevant component analysis: whiten the variation within chunklets of similar rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import linalg, sparse
from sklearn.utils.validation import check_array, validate_data

from nearkin._types import Auto, ColumnLike, MatrixLike
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.learners.base import EmbeddingLearner
from nearkin.learners.euclid_share import keep_euclid
from nearkin.learners.settings import check_count, check_number
from nearkin.numerics.linear_metric import row_axes
from nearkin.numerics.threads import one_blas_thread
from nearkin.rows_in_blocks import block_work, in_blocks

#: Rows converted to float64 at a time.
ROWS_AT_ONCE = 4_096


class RCA(EmbeddingLearner):
    """Whiten the variation within chunklets, so that irrelevant directions no longer dominate.

    Parameters
    ----------
    n_components : int or None, default=None
        Directions kept, those in which the whitened data vary most; None keeps all.
    shrinkage : "auto" or float, default="auto"
        How far the within-chunklet covariance is shrunk towards a multiple of the identity, 0 to 1;
        "auto" is the Ledoit-Wolf estimate. Any value above zero makes singular covariances invertible.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The whitening map.
    distance_ : EmbeddedDistance
    euclid_share_ : float
        The share in use; a large one means that the data support little learning.
    shrinkage_ : float
        The shrinkage used.
    objective_ : float
        Mean squared learned distance of a row to the centre of its chunklet.
    classes_, n_features_in_, n_iter_
        As for every learner.

    Notes
    -----
    Cost: n d^2 for the covariance and d^3 for its square root; memory of a block of rows and d x d. With more
    features than rows everything is done in the span of the rows: n replaces d, and there are n components.

    References
    ----------
    Bar-Hillel, Hertz, Shental, Weinshall (2003). Learning distance functions using equivalence
    relations. ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from nearkin import RCA
    >>> X, y = load_wine(return_X_y=True)
    >>> RCA(n_components=2).fit_transform(X, y).shape
    (178, 2)
    """

    supervision = ("labels", "chunklets")
    summary = "Whitens the variation within classes or given chunklets; closed form."
    cost = "n·d² + d³, once"

    def __init__(
        self,
        n_components: int | None = None,
        shrinkage: float | Auto = "auto",
        *,
        euclid_share: float | Auto = "auto",
    ) -> None:
        self.n_components = n_components
        self.shrinkage = shrinkage
        self.euclid_share = euclid_share

    @one_blas_thread
    def fit(self, X: MatrixLike, y: ColumnLike | None = None, chunklets: ColumnLike | None = None) -> Self:
        """Learn from labels, or from chunklets if given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or rows in blocks
            Rows opened by `nearkin.open_rows`, or a Dask array or data frame.
        y : array-like of shape (n_samples,) or None
            Labels: every class is a chunklet. Not needed if `chunklets` is given.
        chunklets : array-like of int of shape (n_samples,) or None
            Chunklet of each row, -1 for rows in none.
        """
        if in_blocks(X):
            return block_work().fit(self, X, y, chunklets=chunklets)
        if chunklets is None:
            if y is None:
                raise ValueError("RCA requires y to be passed, but the target y is None; or give chunklets.")
            X, chunks = self._validate_labelled(X, y)
            codes = chunks
            known = np.ones(len(chunks), dtype=bool)
        else:
            X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
            chunks = self._check_chunklets(chunklets, X.shape[0])
            known, codes = chunks != -1, None
        self._check_settings(X.shape[1])
        n, d = X.shape
        # With fewer rows than features there is nothing to whiten outside their span.
        axes = row_axes(X) if n < d and (self.n_components or 0) < n else None
        rows = X if axes is None else X @ axes.T
        scatter = ChunkletScatter.of(rows, chunks, known, d)
        L = self._whitening(self._covariance(scatter), rows)
        self.components_ = (L if axes is None else L @ axes).astype(X.dtype, copy=False)
        self.distance_ = EmbeddedDistance.symmetric(AffineEmbedding(self.components_))
        self.objective_ = float(np.vdot(L @ scatter.mean, L))
        self.n_iter_ = 1
        keep_euclid(self, X, codes)
        return self

    def _check_chunklets(self, chunklets, n_samples: int) -> np.ndarray:
        chunks = check_array(chunklets, ensure_2d=False, dtype=None)
        if chunks.shape != (n_samples,):
            raise ValueError(
                f"chunklets has shape {chunks.shape}; expected one number per row, ({n_samples},)."
            )
        return chunks

    def _check_settings(self, n_features: int) -> None:
        check_count(words=(None,), most=n_features, n_components=self.n_components)
        check_number(high=1, words=("auto",), shrinkage=self.shrinkage)

    def _covariance(self, scatter: ChunkletScatter) -> np.ndarray:
        covariance = scatter.mean.copy()
        self.shrinkage_ = scatter.ledoit_wolf() if self.shrinkage == "auto" else float(self.shrinkage)
        level = np.trace(covariance) / scatter.n_features
        covariance *= 1 - self.shrinkage_
        covariance.flat[:: len(covariance) + 1] += self.shrinkage_ * level
        return covariance

    def _whitening(self, covariance: np.ndarray, X) -> np.ndarray:
        values, vectors = linalg.eigh(covariance)
        varies = values > values[-1] * len(values) * np.finfo(np.float64).eps
        if values[-1] <= 0:
            warnings.warn("the rows of each chunklet coincide: using Euclid.", stacklevel=3)
            values = np.ones_like(values)
        else:
            # Directions without variation within chunklets cannot be scaled to unit variance; they get the
            # scale of the smallest that can.
            values = np.maximum(values, values[varies].min())
        whitening = (vectors / np.sqrt(values)) @ vectors.T
        if self.n_components is None:
            return whitening
        mean = X.mean(axis=0, dtype=np.float64)
        total = np.zeros((X.shape[1], X.shape[1]))
        for start in range(0, X.shape[0], ROWS_AT_ONCE):
            centred = X[start : start + ROWS_AT_ONCE] - mean
            total += centred.T @ centred
        _, axes = linalg.eigh(whitening @ total @ whitening)
        return axes[:, ::-1][:, : self.n_components].T @ whitening


@dataclass(frozen=True)
class ChunkletScatter:
    """Moments of the deviations of rows from the centres of their chunklets, in float64.

    Parameters
    ----------
    mean : ndarray of shape (d, d)
        Mean outer product of a deviation with itself.
    fourth : float
        Mean fourth power of their lengths.
    n : int
        Number of rows in chunklets of at least two.
    n_features : int
        Number of features; more than d if the rows are given in their span.
    """

    mean: np.ndarray
    fourth: float
    n: int
    n_features: int

    @classmethod
    def of(cls, X, chunks: np.ndarray, known: np.ndarray, n_features: int) -> ChunkletScatter:
        members = np.full(len(chunks), -1)
        names, members[known] = np.unique(chunks[known], return_inverse=True)
        sizes = np.bincount(members[known], minlength=len(names))
        if not np.any(sizes >= 2):
            raise ValueError("RCA needs a chunklet (or class) with at least two rows, and there is none.")
        rows = np.flatnonzero(known)
        rows = rows[sizes[members[rows]] >= 2]
        blocks = [rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE)]
        centres = np.zeros((len(names), X.shape[1]))
        for block in blocks:
            belongs = (np.ones(len(block)), (members[block], np.arange(len(block))))
            centres += sparse.csr_array(belongs, shape=(len(names), len(block))) @ X[block].astype(np.float64)
        centres /= np.maximum(sizes, 1)[:, None]
        scatter, fourth = np.zeros((X.shape[1], X.shape[1])), 0.0
        for block in blocks:
            apart = X[block] - centres[members[block]]
            scatter += apart.T @ apart
            lengths = np.einsum("ij,ij->i", apart, apart)
            fourth += float(lengths @ lengths)
        return cls(scatter / len(rows), fourth / len(rows), len(rows), n_features)

    def ledoit_wolf(self) -> float:
        """The shrinkage of Ledoit and Wolf (2004), computed from these moments."""
        squared = float(np.vdot(self.mean, self.mean))
        apart = squared - np.trace(self.mean) ** 2 / self.n_features
        noise = min((self.fourth - squared) / self.n, apart)
        return float(noise / apart) if noise > 0 else 0.0
