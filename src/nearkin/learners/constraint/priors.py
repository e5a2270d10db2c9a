"""Prior metrics for learners that stay near one: Euclid, Mahalanobis, or a given matrix."""

from __future__ import annotations

import numpy as np

from nearkin.numerics.linear_metric import Span

# Directions whose variance is below this share of the largest, after standardising, are rounding.
SINGULAR = 1e-10


def check_prior(prior, n_features: int) -> None:
    """Raise unless the prior is a known name or a symmetric positive definite matrix of the right size."""
    if isinstance(prior, str):
        if prior not in ("identity", "covariance"):
            raise ValueError(f"prior={prior!r}: expected 'identity', 'covariance' or a matrix.")
        return
    matrix = np.asarray(prior, dtype=np.float64)
    if matrix.shape != (n_features, n_features):
        raise ValueError(f"prior has shape {matrix.shape}; expected ({n_features}, {n_features}).")
    if not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T, rtol=1e-6, atol=0):
        raise ValueError("prior must be a finite symmetric matrix.")
    values = np.linalg.eigvalsh(matrix)
    if values[0] <= values[-1] * n_features * np.finfo(np.float64).eps:
        raise ValueError(
            f"prior must be positive definite, but its smallest eigenvalue is {values[0]:.2g}; "
            "add a small multiple of the identity."
        )


def prior_factor(prior, span: Span) -> np.ndarray:
    """F with F'F the prior metric in the coordinates of the span, so that it is Euclid for rows mapped by F.

    "covariance" is the inverse of the rows' covariance, restricted to the directions in which they vary.
    These are found after standardising the columns, so that units do not decide what is singular.
    """
    rows = span.rows
    if isinstance(prior, str) and prior == "identity":
        return np.eye(rows.shape[1])
    if isinstance(prior, str):
        scale = rows.std(axis=0)
        # A constant column has no scale; it is left out below.
        scale = np.where(scale > 0, scale, 1.0)
        standard = rows / scale
        values, vectors = np.linalg.eigh(standard.T @ standard / len(rows))
        varies = values > SINGULAR * max(values[-1], np.finfo(np.float64).tiny)
        if not varies.any():
            return np.eye(rows.shape[1])
        return (vectors[:, varies] / np.sqrt(values[varies])).T / scale
    matrix = np.asarray(prior, dtype=np.float64)
    if span.axes is not None:
        matrix = span.axes @ matrix @ span.axes.T
    return np.linalg.cholesky((matrix + matrix.T) / 2).T
