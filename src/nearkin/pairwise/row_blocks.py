"""The gradient of any pairwise objective, from its weights made one block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nearkin.numerics.threads import run_striped, worker_count
from nearkin.pairwise.policy import ListPolicy, SoftPolicy


def block_rows(n_columns: int, itemsize: int, policy: ListPolicy) -> int:
    """Rows of a block of `n_columns` columns: enough for efficient products, within its bytes."""
    return int(np.clip(policy.block_bytes // max(1, n_columns * itemsize), *policy.block_rows))


def precise_enough(Z: np.ndarray, sharpness, policy: SoftPolicy) -> np.ndarray:
    """Z, in float64 where products in float32 would be too rough for exponents -sharpness * distance."""
    norms = np.einsum("ij,ij->i", Z, Z)
    error = 4 * np.finfo(Z.dtype).eps * float((norms * sharpness).max(initial=0))
    return Z.astype(np.float64, copy=False) if error > policy.largest_exponent_error else Z


def row_block_gradient(
    Z: np.ndarray,
    weigh: Callable[[np.ndarray, int, np.ndarray], float],
    *,
    policy: ListPolicy | None = None,
) -> tuple[float, np.ndarray]:
    """Value and gradient of E(D), D the squared distances between the rows of Z.

    Parameters
    ----------
    Z : ndarray of shape (n, e)
        Best centred: inner products lose digits in proportion to the norms.
    weigh : callable (G, first, norms) -> float
        Gets the inner products G of rows ``first, first + 1, ...`` with all rows, and the squared
        norms of all rows; overwrites G with the weights ``dE/dD_ij`` of those rows (anything finite
        on the diagonal) and returns their part of E. Called from several threads.

    Returns
    -------
    value : float
    dZ : ndarray of shape (n, e)
        ``2 (diag(S 1) - S) Z`` with S = C + C', never holding more of C than a block per worker.

    Notes
    -----
    3 n^2 e multiply-adds: distances, C Z and C' Z.

    Examples
    --------
    The sum of all squared distances, for which every weight is one:

    >>> def weigh(G, first, norms):
    ...     value = float((norms[first : first + len(G), None] + norms - 2 * G).sum())
    ...     G[:] = 1
    ...     return value
    >>> row_block_gradient(np.array([[-1.0], [1.0]]), weigh)
    (8.0, array([[-8.],
           [ 8.]]))
    """
    n, width = Z.shape
    norms = np.einsum("ij,ij->i", Z, Z)
    # A column of ones makes the same products give the row and column sums of C.
    extended = np.concatenate([Z, np.ones((n, 1), dtype=Z.dtype)], axis=1)
    rows = block_rows(n, Z.itemsize, policy or ListPolicy())
    starts = range(0, n, rows)
    workers = min(worker_count(3 * n * n * width), len(starts))
    sums = [np.zeros((n, width + 1), dtype=Z.dtype) for _ in range(workers)]
    values = np.zeros(len(starts))

    def work(worker, blocks) -> None:
        buffer = np.empty((rows, n), dtype=Z.dtype)
        back = np.empty((n, width + 1), dtype=Z.dtype)
        for block in blocks:
            first = starts[block]
            stop = min(first + rows, n)
            C = buffer[: stop - first]
            np.dot(Z[first:stop], Z.T, out=C)
            values[block] = weigh(C, first, norms)
            sums[worker][first:stop] += C @ extended
            np.dot(C.T, extended[first:stop], out=back)
            sums[worker] += back

    run_striped(work, len(starts), workers)
    total = sums[0]
    for part in sums[1:]:
        total += part
    return float(values.sum()), 2 * (total[:, -1:] * Z - total[:, :-1])
