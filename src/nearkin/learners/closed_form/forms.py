"""The two forms of the ridge regression that moves rows: primal for d <= n, dual otherwise.

Both take training rows and pair weights and give the distance for any alpha, so that the learner
and its choice of alpha need not know which form they use. `unit` is the mean eigenvalue of the
regression's normal matrix, the natural scale of alpha (1 if all rows coincide).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy import sparse

from nearkin.distances import (
    AffineEmbedding,
    CentredKernel,
    Distance,
    EmbeddedDistance,
    FactoredEmbedding,
    KernelMovedDistance,
)
from nearkin.numerics.class_means import ClassMeans
from nearkin.numerics.products import squared_norms
from nearkin.numerics.ridge import dual_coefficients, normal_equations, ridge_path, solve_ridge

REFERENCES = "references"
QUERIES = "queries"


def regression_of(pairs, moves: str) -> tuple[np.ndarray, sparse.csr_array | ClassMeans]:
    """Input weights and output operator of the regression behind these (source, target) pairs.

    Moving references maps targets to their sources; moving queries maps sources to their targets.
    `ClassMeans` already is the operator for moving references.
    """
    if isinstance(pairs, ClassMeans):
        return pairs.sum(axis=1), pairs
    outputs = pairs.T.tocsr() if moves == REFERENCES else pairs
    return np.asarray(outputs.sum(axis=1)).ravel(), outputs


def moving(embedding, moves: str) -> EmbeddedDistance:
    """The distance that moves one side by the embedding and leaves the other as it is."""
    stays = AffineEmbedding(width=embedding.n_features_in)
    return EmbeddedDistance(**{QUERIES: stays, REFERENCES: stays, moves: embedding})


def part_of_the_way(distance: Distance, share: float) -> Distance:
    """The distance that moves references only by this share of the way, 0 to 1."""
    if share == 1.0:
        return distance
    if isinstance(distance, KernelMovedDistance):
        return replace(distance, share=share)
    assert isinstance(distance, EmbeddedDistance)
    return replace(distance, references=distance.references.part_of_the_way(share))  # type: ignore[attr-defined]


def row_mean(X) -> np.ndarray:
    """Mean of the rows, dense even for sparse X."""
    return np.asarray(X.mean(axis=0, dtype=np.float64)).ravel().astype(X.dtype)


def centred_norms(X, mean: np.ndarray) -> np.ndarray:
    """Squared length of each row from the mean, without centring sparse rows."""
    if sparse.issparse(X):
        return np.maximum(squared_norms(X) - 2 * (X @ mean) + mean @ mean, 0)
    return squared_norms(X - mean)


class PrimalForm:
    """d x d normal equations; needs d x d memory and one pass over the rows."""

    def __init__(self, X, pairs, moves: str):
        self._mean = row_mean(X)
        self._dtype = X.dtype
        self._moves = moves
        centred = X if sparse.issparse(X) else X - self._mean
        weights, outputs = regression_of(pairs, moves)
        self._A, self._B = normal_equations(centred, weights, outputs, self._mean)
        output_weights = np.asarray(outputs.sum(axis=0)).ravel()
        self.unit = float(np.trace(self._A)) / len(self._A) or 1.0
        norms = centred_norms(X, self._mean) if sparse.issparse(X) else squared_norms(centred)
        self._wanted = float(output_weights @ norms)

    def distances(self, alphas) -> Iterator[Distance]:
        """One distance per alpha; several alphas share one eigendecomposition."""
        if len(alphas) == 1:
            solutions = [solve_ridge(self._A, self._B, alphas[0])]
        else:
            solutions = ridge_path(self._A, self._B, alphas)
        return map(self._distance, solutions)

    def _distance(self, transposed: np.ndarray) -> Distance:
        W = np.ascontiguousarray(transposed.T, dtype=self._dtype)
        return moving(AffineEmbedding(W, origin=self._mean, shift=self._mean), self._moves)

    def sum_of_moves(self, alphas, weights) -> np.ndarray:
        """The weighted sum of the solutions for these penalties; sums of other pairs may be added to it."""
        solutions = ridge_path(self._A, self._B, alphas)
        return sum((weight * solution for weight, solution in zip(weights, solutions)), np.zeros(()))

    def distance_of(self, moves: np.ndarray) -> Distance:
        """The distance for such a sum of solutions."""
        return self._distance(moves)

    def objective(self, distance: Distance) -> float:
        """Penalised squared error at the ridge solution: total minus explained sum of squares."""
        W = getattr(distance, self._moves).matrix
        return float(self._wanted - np.vdot(self._B, W.T.astype(np.float64)))


class DualForm:
    """Inner products of the training rows; needs n x n memory, takes any d, sparse rows and kernels."""

    def __init__(self, X, pairs, moves: str, **kernel):
        self._X, self._moves = X, moves
        # Dense rows can be moved explicitly, so that any index can hold them.
        self._kernel, gram = CentredKernel.fit(X, **kernel)
        linear = self._kernel.name == "linear"
        self._explicit = linear and not sparse.issparse(X)
        weights, outputs = regression_of(pairs, moves)
        if isinstance(outputs, ClassMeans):
            outputs = outputs.tocsr().astype(X.dtype)
        self._inputs = np.flatnonzero(weights)
        self._weights = weights[self._inputs]
        self._outputs = outputs[self._inputs]
        output_weights = np.asarray(outputs.sum(axis=0)).ravel()
        self._wanted = float(output_weights @ np.diagonal(gram))
        self._output_gram = np.ascontiguousarray((self._outputs @ gram) @ self._outputs.T)
        self._input_gram = gram[np.ix_(self._inputs, self._inputs)]
        rank = min(len(self._inputs), X.shape[1]) if linear else len(self._inputs)
        self.unit = float(self._weights @ np.diagonal(self._input_gram)) / rank or 1.0

    def distances(self, alphas) -> Iterator[Distance]:
        return map(self._distance, dual_coefficients(self._input_gram, self._weights, alphas))

    def _distance(self, F: np.ndarray) -> Distance:
        if self._explicit:
            mean = row_mean(self._X)
            centred = self._X - mean
            return moving(
                FactoredEmbedding(centred[self._inputs], F @ (self._outputs @ centred), mean), self._moves
            )
        return KernelMovedDistance(
            self._kernel, self._inputs, F, self._outputs, self._output_gram, moves=self._moves
        )

    def sum_of_moves(self, alphas, weights) -> np.ndarray:
        """As in the primal form, but as coefficients: one row for each training row."""
        solutions = dual_coefficients(self._input_gram, self._weights, alphas)
        F = sum((weight * solution for weight, solution in zip(weights, solutions)), np.zeros(()))
        wanted = self._outputs @ (self._X - row_mean(self._X)) if self._explicit else self._outputs.toarray()
        moves = np.zeros((self._X.shape[0], wanted.shape[1]), dtype=self._X.dtype)
        moves[self._inputs] = F @ wanted
        return moves

    def distance_of(self, moves: np.ndarray) -> Distance:
        if self._explicit:
            mean = row_mean(self._X)
            return moving(FactoredEmbedding(self._X - mean, moves, mean), self._moves)
        n = self._X.shape[0]
        kernel = self._kernel
        _, gram = CentredKernel.fit(self._X, kernel.name, kernel.params, kernel.by_sklearn)
        each = sparse.eye_array(n, dtype=moves.dtype, format="csr")
        return KernelMovedDistance(self._kernel, np.arange(n), moves, each, gram, moves=self._moves)

    def objective(self, distance: Distance) -> float:
        if isinstance(distance, KernelMovedDistance):
            explained = np.vdot(self._input_gram @ distance.coefficients, self._output_gram)
        else:
            embedding = getattr(distance, self._moves)
            wanted_sums = self._outputs @ (self._X - embedding.origin)
            explained = np.vdot(self._input_gram @ embedding.right, wanted_sums)
        return self._wanted - float(explained)
