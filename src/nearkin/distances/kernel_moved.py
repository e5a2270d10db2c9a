"""Points moved by ridge regression in the feature space of a kernel, using inner products only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels

from nearkin._types import MatrixLike
from nearkin.distances.base import Distance
from nearkin.numerics.mercer import kernel_scale, mercer_kernel
from nearkin.numerics.products import cross_products, squared_norms


@dataclass(frozen=True)
class CentredKernel:
    """A Mercer kernel whose feature space is centred on the training rows.

    Parameters
    ----------
    rows : ndarray or CSR of shape (n, d)
        The training rows.
    row_means : ndarray of shape (n,)
        Mean kernel value of each training row with all the others.
    name : str or callable
        A Mercer kernel, or a function of arrays of m and n rows that returns the m x n values.
    params : dict
        gamma, degree and coef0.
    by_sklearn : bool
        Whether `sklearn.metrics.pairwise.pairwise_kernels` computes the kernel, with its own defaults and
        with functions of two rows. Models of version 0.1 were made so and lack this field.

    Examples
    --------
    >>> CentredKernel.fit(np.array([[0.0], [2.0]]))[1]
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    rows: np.ndarray
    row_means: np.ndarray
    name: str | Callable = "linear"
    params: dict = field(default_factory=dict)
    by_sklearn: bool = True

    @classmethod
    def fit(
        cls,
        rows: MatrixLike,
        name: str | Callable = "linear",
        params: dict[str, Any] | None = None,
        by_sklearn: bool = False,
    ) -> tuple[CentredKernel, np.ndarray]:
        """The centred kernel of these rows, and its n x n matrix; gamma is "scale" if it is not given."""
        params = dict(params or {}) if by_sklearn else {"gamma": "scale", **(params or {})}
        if isinstance(params.get("gamma"), str):
            params["gamma"] = kernel_scale(rows, params["gamma"])
        if by_sklearn:
            # scikit-learn calls the polynomial kernel "poly".
            name = "poly" if isinstance(name, str) and name == "polynomial" else name
        gram = cls(rows, np.zeros(0), name, params, by_sklearn)._plain(rows, rows)
        kernel = cls(rows, gram.mean(axis=1), name, params, by_sklearn)
        kernel._centre(gram, kernel.row_means)
        return kernel, gram

    def to_rows(self, X: MatrixLike) -> tuple[np.ndarray, np.ndarray]:
        """Centred kernel values of X with every training row, and the squared length of each row of X."""
        K = self._plain(X, self.rows)
        to_mean = K.mean(axis=1)
        self._centre(K, to_mean)
        norms = self._plain_diagonal(X) - 2 * to_mean + self.row_means.mean()
        return K, np.maximum(norms, 0)

    def between(self, X: MatrixLike, Y: MatrixLike) -> np.ndarray:
        """Centred kernel values of the rows of X with those of Y."""
        K = self._plain(X, Y)
        K -= self._plain(X, self.rows).mean(axis=1)[:, None]
        K -= self._plain(Y, self.rows).mean(axis=1)
        K += self.row_means.mean()
        return K

    def _centre(self, K: np.ndarray, means_of_rows: np.ndarray) -> None:
        K -= self.row_means
        K -= (means_of_rows - self.row_means.mean())[:, None]

    def _plain(self, X, Y) -> np.ndarray:
        if self.name == "linear":
            return cross_products(X, Y)
        if not self.by_sklearn:
            return mercer_kernel(X, Y, self.name, **self.params)
        K = pairwise_kernels(X, Y, metric=self.name, **self.params)
        return np.asarray(K, dtype=X.dtype)

    def _plain_diagonal(self, X) -> np.ndarray:
        if self.name == "linear":
            return squared_norms(X)
        blocks = (X[start : start + 64] for start in range(0, X.shape[0], 64))
        return np.concatenate([np.diagonal(self._plain(block, block)) for block in blocks])


@dataclass(frozen=True)
class KernelMovedDistance(Distance):
    """Squared distance in feature space with one side moved by a ridge regression.

    A moved row is ``k(x, inputs) @ coefficients @ outputs`` times the training rows in feature space. The
    feature vectors themselves are never computed, so rows may be sparse and of any dimension.

    Parameters
    ----------
    kernel : CentredKernel
    inputs : ndarray of shape (m,)
        Numbers of the training rows that the regression maps from.
    coefficients : ndarray of shape (m, m)
        The regression in dual form.
    outputs : csr_array of shape (m, n)
        Weights of the training rows that each input is mapped to.
    output_gram : ndarray of shape (m, m)
        Inner products of those sums.
    moves : {"references", "queries"}
        Which side is moved.
    share : float
        How far references are moved, 0 to 1.

    Notes
    -----
    Binding n references costs n kernel values per training row and n m^2; each query then costs as many
    kernel values and m n.
    """

    kernel: CentredKernel
    inputs: np.ndarray
    coefficients: np.ndarray
    outputs: sparse.csr_array
    output_gram: np.ndarray
    moves: str = "references"
    share: float = 1.0

    def bind(self, references: MatrixLike) -> Callable[[np.ndarray], np.ndarray]:
        if self.share != 1.0:
            return self._bind_part_of_the_way(references)
        if self.moves == "references":
            C, moved_norms = self._moved(references)

            def to_moved(queries) -> np.ndarray:
                K, norms = self.kernel.to_rows(queries)
                return self._distances((K @ self.outputs.T) @ C.T, norms, moved_norms)

            return to_moved
        K, norms = self.kernel.to_rows(references)
        wanted = K @ self.outputs.T

        def from_moved(queries) -> np.ndarray:
            C, moved_norms = self._moved(queries)
            return self._distances(C @ wanted.T, moved_norms, norms)

        return from_moved

    def _bind_part_of_the_way(self, references) -> Callable[[np.ndarray], np.ndarray]:
        """References as mixtures (1 - t) z + t W z, expanded into inner products."""
        if self.moves != "references":
            raise ValueError("only references can be moved part of the way.")
        t = self.share
        C, moved_norms = self._moved(references)
        K, norms = self.kernel.to_rows(references)
        across = np.einsum("ij,ij->i", K @ self.outputs.T, C)
        lengths = (1 - t) ** 2 * norms + 2 * t * (1 - t) * across + t**2 * moved_norms

        def to_mixed(queries) -> np.ndarray:
            K, norms = self.kernel.to_rows(queries)
            products = (K @ self.outputs.T) @ C.T
            products *= t
            products += (1 - t) * self.kernel.between(queries, references)
            return self._distances(products, norms, lengths)

        return to_mixed

    def _moved(self, X) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients of the moved rows over the output sums, and their squared lengths."""
        C = self.kernel.to_rows(X)[0][:, self.inputs] @ self.coefficients
        return C, np.einsum("ij,ij->i", C @ self.output_gram, C)

    @staticmethod
    def _distances(products: np.ndarray, query_norms: np.ndarray, reference_norms: np.ndarray) -> np.ndarray:
        products *= -2
        products += query_norms[:, None]
        products += reference_norms
        return np.maximum(products, 0, out=products)
