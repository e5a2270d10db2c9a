"""Exact nearest rows by blocked matrix products and selection, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from nearkin.numerics.products import dense
from nearkin.numerics.selection import smallest_per_row
from nearkin.numerics.threads import run_striped, worker_count


@dataclass(frozen=True)
class ScanPolicy:
    """How blocks of scores are cut and scanned; all values were chosen by hand.

    Attributes
    ----------
    compiled_from : float
        Number of scores from which the compiled scan repays loading the compiler, about a second.
    block_queries, block_bytes : int
        Queries and bytes of a block of scores: large enough for fast products, and still in the cache when
        scanned.
    plain_block_queries : int
        Queries of a block without the compiled scan, which prefers wider blocks.
    spare_candidates : int
        Extra candidates beyond k: scores are rounded, so exact distances decide near the k-th place.
    bytes_per_score, bytes_per_sparse_score : int
        Bytes of temporary arrays per score: the score, its mask and its share of sorting; for sparse
        products also the sparse result.
    difference_bytes : int
        Bytes of gathered reference rows whose differences from a query are computed at a time.
    long_rows, many_entries : int
        Features per row, and entries of all rows, from which a single query is multiplied row by row.
    """

    compiled_from: float = 3e8
    block_queries: int = 512
    block_bytes: int = 4 * 2**20
    plain_block_queries: int = 64
    spare_candidates: int = 4
    bytes_per_score: int = 16
    bytes_per_sparse_score: int = 40
    difference_bytes: int = 2 * 2**20
    long_rows: int = 128
    many_entries: int = 2**21


DEFAULT = ScanPolicy()


def nearest_references(
    queries,
    references,
    half_norms,
    n_neighbors: int,
    *,
    transposed=None,
    origin=None,
    memory_budget=128 * 2**20,
    policy: ScanPolicy = DEFAULT,
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest references of each query and their squared distances.

    Parameters
    ----------
    queries : array or CSR matrix of shape (m, d)
        Taken to the references' dtype block by block.
    references : C-contiguous array or CSR matrix of shape (n, d), float32 or float64
    half_norms : array of shape (n,)
        Half the squared length of each reference.
    n_neighbors : int
        Between 1 and n.
    transposed : CSR matrix of shape (d, n), optional
        The references transposed; required for sparse references, because transposing them in each call
        would cost as much as a search.
    origin : array of shape (d,), optional
        Already subtracted from the (dense) references; to be subtracted from the queries here.
    memory_budget : int
        Bytes for blocks of scores of all workers together, in addition to the results.
    policy : ScanPolicy, optional

    Returns
    -------
    distances : array of shape (m, n_neighbors)
        Squared, computed from differences, so identical rows are at exactly 0.
    indices : intp array of shape (m, n_neighbors)
        Sorted by distance, then by row number.
    """
    m, n = queries.shape[0], references.shape[0]
    if m == 1 and not sparse.issparse(queries) and not sparse.issparse(references):
        return _nearest_to_one(
            _prepared(queries, references.dtype, origin), references, half_norms, n_neighbors, policy
        )
    # The size of a dense product; a sparse one costs far less.
    n_workers = worker_count(float(m) * n * references.shape[1])
    compiled = m * n >= policy.compiled_from
    search = _search_compiled if compiled else _search_plain
    rows, columns = _block_shape(
        m,
        references,
        n_neighbors,
        n_workers,
        memory_budget,
        policy.block_queries if compiled else policy.plain_block_queries,
        policy,
    )
    products = references.T if transposed is None else transposed
    distances = np.empty((m, n_neighbors), dtype=references.dtype)
    indices = np.empty((m, n_neighbors), dtype=np.intp)

    def work(_, blocks) -> None:
        for start in (rows * block for block in blocks):
            q = _prepared(queries[start : start + rows], references.dtype, origin)
            found = search(q, products, half_norms, min(n, n_neighbors + policy.spare_candidates), columns)
            exact = squared_distances_to(q, references, found, policy.difference_bytes)
            order = np.lexsort((found, exact), axis=1)[:, :n_neighbors]
            distances[start : start + rows] = np.take_along_axis(exact, order, axis=1)
            indices[start : start + rows] = np.take_along_axis(found, order, axis=1)

    run_striped(work, -(-m // rows), n_workers)
    return distances, indices


def _nearest_to_one(
    query, references, half_norms, k: int, policy: ScanPolicy
) -> tuple[np.ndarray, np.ndarray]:
    """`nearest_references` for a single dense query: blocks and threads would cost more than the search."""
    long = references.shape[1] >= policy.long_rows and references.size >= policy.many_entries
    # On one thread, row by row is a tenth faster for rows beyond the cache; several threads share a product.
    alone = long and worker_count(np.inf) == 1
    scores = np.vecdot(references, query[0]) if alone else references @ query[0]
    np.subtract(half_norms, scores, out=scores)
    found = _low_places(scores, min(len(scores), k + policy.spare_candidates))
    # In-place methods save a microsecond each, of the ten that a search among 2,000 rows takes.
    differences = references.take(found, axis=0)
    differences -= query
    exact = np.vecdot(differences, differences)
    # The rows are in rising order, which a stable sort preserves among ties.
    order = exact.argsort(kind="stable")[:k]
    return exact.take(order)[None], found.take(order)[None]


def _low_places(scores: np.ndarray, k: int) -> np.ndarray:
    """Places of the k smallest scores, in rising order, and perhaps a few more.

    >>> _low_places(np.array([3.0, 1.0, 2.0]), 2)
    array([1, 2])
    """
    # The minima of groups bound the k-th smallest score; one comparison finds the scores up to it.
    width = int(np.sqrt(len(scores) * k))
    if width >= 2 * k:
        minima = np.minimum.reduce(scores[: len(scores) // width * width].reshape(-1, width), axis=0)
        minima.partition(k - 1)
        low = (scores <= minima[k - 1]).nonzero()[0]
        if len(low) == 0:
            # The query holds NaN; any rows will show it.
            return np.arange(k)
        if len(low) <= 16 * k:
            return low
    return np.sort(smallest_per_row(scores[None], k)[1][0])


def squared_distances_to(
    queries, references, indices: np.ndarray, block_bytes: int = DEFAULT.difference_bytes
) -> np.ndarray:
    """Squared distance of each query to its own chosen references, from differences.

    >>> squared_distances_to(np.array([[0.0], [5.0]]), np.array([[1.0], [5.0]]), np.array([[1, 0], [1, 0]]))
    array([[25.,  1.],
           [ 0., 16.]])
    """
    m, k = indices.shape
    distances = np.empty((m, k), dtype=references.dtype)
    if sparse.issparse(queries) and sparse.issparse(references):
        pairs = queries[np.repeat(np.arange(m), k)] - references[indices.ravel()]
        distances[:] = np.asarray(pairs.multiply(pairs).sum(axis=1)).reshape(m, k)
        return distances
    rows = max(1, block_bytes // (references.dtype.itemsize * references.shape[1] * k))
    for start in range(0, m, rows):
        part = slice(start, start + rows)
        differences = dense(references[indices[part].ravel()]).reshape(-1, k, references.shape[1])
        differences -= dense(queries[part])[:, None, :]
        np.einsum("ijk,ijk->ij", differences, differences, out=distances[part])
    return distances


def _block_shape(
    m: int, references, k: int, n_workers: int, memory_budget: int, wanted_rows: int, policy: ScanPolicy
) -> tuple[int, int]:
    """Queries and references per block of scores."""
    n, itemsize = references.shape[0], references.dtype.itemsize
    if sparse.issparse(references):
        # Cutting the transposed references by columns would cost more than the product.
        columns, bytes_per_score = n, policy.bytes_per_sparse_score
    else:
        columns = min(n, max(policy.block_bytes // (itemsize * wanted_rows), 4 * k))
        bytes_per_score = policy.bytes_per_score
        wanted_rows = max(wanted_rows, policy.block_bytes // (itemsize * columns))
    rows = max(1, min(wanted_rows, memory_budget // (n_workers * columns * bytes_per_score)))
    # Equal shares, so that no worker is left alone with the last block.
    rounds = -(-m // (n_workers * rows))
    return max(1, -(-m // max(1, n_workers * rounds))), columns


def coarse_origin(X: np.ndarray) -> np.ndarray | None:
    """An origin near rows that lie far from zero, or None if centring would gain little.

    Products of float32 rows with a common offset lose the digits in which the rows differ. The
    origin is the mean of a sample, rounded to powers of two of each column's deviation: subtracting it
    keeps integers exact, and with them exact ties.

    >>> coarse_origin(np.array([[1001.0, 0.0], [1005.0, 4.0]]))
    array([1004.,    2.])
    >>> coarse_origin(np.array([[-1.0], [1.0]])) is None
    True
    """
    # A thousand rows suffice to locate the data.
    sample = X[:: max(1, len(X) // 1000)].astype(np.float64)
    spread = sample.std(axis=0)
    step = np.exp2(np.floor(np.log2(spread, where=spread > 0, out=np.zeros_like(spread))))
    origin = np.where(spread > 0, np.round(sample.mean(axis=0) / step) * step, sample[0])
    if origin @ origin <= spread @ spread:
        return None
    return origin.astype(X.dtype)


def _prepared(block, dtype, origin):
    if sparse.issparse(block):
        block = block.astype(dtype, copy=False)
        return block if origin is None else dense(block) - origin
    block = np.ascontiguousarray(block, dtype=dtype)
    return block if origin is None else block - origin


def _score_blocks(block, products, columns: int):
    """Inner products with successive references: (number of the first one, array of products)."""
    n = products.shape[1]
    if sparse.issparse(block) or sparse.issparse(products):
        for start in range(0, n, columns):
            part = products if columns >= n else products[:, start : start + columns]
            yield start, np.ascontiguousarray(dense(block @ part))
        return
    buffer = np.empty(block.shape[0] * columns, dtype=block.dtype)
    for start in range(0, n, columns):
        part = products[:, start : start + columns]
        scores = buffer[: block.shape[0] * part.shape[1]].reshape(block.shape[0], part.shape[1])
        yield start, np.matmul(block, part, out=scores)


def _search_plain(block, products, half_norms, k: int, columns: int) -> np.ndarray:
    """The k best columns of each row of `block`, with NumPy alone."""
    best = np.empty((block.shape[0], 0), dtype=half_norms.dtype)
    found = np.empty((block.shape[0], 0), dtype=np.intp)
    for start, scores in _score_blocks(block, products, columns):
        np.subtract(half_norms[start : start + columns], scores, out=scores)
        values, places = smallest_per_row(scores, k)
        # Earlier columns come first, so that equal values stay sorted by column.
        values = np.concatenate([best, values], axis=1)
        places = np.concatenate([found, places + start], axis=1)
        best, order = smallest_per_row(values, k)
        found = np.take_along_axis(places, order, axis=1)
    return found


def _search_compiled(block, products, half_norms, k: int, columns: int) -> np.ndarray:
    """The k best columns of each row of `block`, unsorted, by a compiled scan of each block."""
    from nearkin.numerics.neighbours_kernels import keep_best

    best = np.full((block.shape[0], k), -np.inf, dtype=half_norms.dtype)
    found = np.zeros((block.shape[0], k), dtype=np.intp)
    for start, scores in _score_blocks(block, products, columns):
        keep_best(scores, half_norms[start : start + columns], start, best, found)
    return found
