"""Closed-form learners fitted from blocks of rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from nearkin._types import Estimator
from nearkin.numerics.row_hash import hash_bounds, row_hash
from nearkin.rows_in_blocks import is_lazy
from nearkin.scale.recipes import First, recipe_of
from nearkin.scale.source import LocalSource, Progress, Source
from nearkin.scale.statistics import Block, Candidates, ClassSums

#: Default number of candidates of each class.
DEFAULT_CANDIDATES = 2_000
#: A bucket of shuffled rows has `candidate_bytes` divided by this, as buffers of its size are needed too.
BUCKETS_OF_CANDIDATES = 16


def fit_blocks(
    learner: Estimator,
    rows: Any,
    labels: Any,
    *,
    max_candidates: int | str | None = "auto",
    settings_rows: int = 20_000,
    rows_per_block: int | None = None,
    candidate_bytes: int = 2**30,
    progress: Progress | None = None,
) -> Estimator:
    """Fit a closed-form learner to rows that need not fit into memory.

    Parameters
    ----------
    learner : MoveLabeled, MoveQuery, RCA, GMML, DMLMJ, MLEV or ANMM
        Fitted in place, as by its own `fit`; the share of Euclid is 0, as for many rows in memory.
    rows : path, Rows, array, Dask array or Dask data frame
        As for `open_rows`. Dask collections are processed by the current client, or by Dask's default
        scheduler if there is none.
    labels : array, path of a .npy file, or Dask array or series
        Class of each row.
    max_candidates : "auto", int or None, default="auto"
        Rows of each class among which targets are searched for, if the learner needs neighbours. They are
        chosen by a hash of the row number, independently of blocks and workers. None, or as many as the
        largest class has, gives the result of a fit in memory. "auto" is the learner's own setting, or 2,000
        if that is "auto" too.
    settings_rows : int, default=20000
        Number of rows on which the learner's "auto" settings are chosen, taken from all classes by the same
        hash.
    rows_per_block : int, optional
        About 16 MB of rows by default. Dask collections keep their own chunks.
    candidate_bytes : int, default=1 GB
        Bytes of candidates that a fit may hold, and send to every worker of a cluster. If very many classes
        need more, or a sixteenth of it for their sums, MoveLabeled and MoveQuery shuffle the rows by class
        instead (on one machine through files as large as the rows); other learners raise an error.
    progress : callable, optional
        Called with the rows done, the rows in all and the name of the pass; not with Dask, which has a
        dashboard.

    Returns
    -------
    learner
        The fitted learner itself, which needs neither the file nor Dask.

    Raises
    ------
    TypeError
        For learners that cannot be solved from sums over rows, before anything is read.

    Notes
    -----
    Two passes over the rows, sums in float64. Memory: a few blocks, d x d sums, and the candidates. Time:
    n d^2 for the moments, n m d for m candidates per class (DMLMJ, ANMM, and MLEV and GMML with near pairs:
    m candidates of all classes together).

    Examples
    --------
    >>> import nearkin
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> whole = nearkin.RCA(euclid_share=0.0).fit(X, y)
    >>> blocks = fit_blocks(nearkin.RCA(), X, y, rows_per_block=500)
    >>> bool(np.allclose(whole.components_, blocks.components_, rtol=1e-6))
    True
    """
    recipe = recipe_of(learner)
    if max_candidates == "auto":
        max_candidates = getattr(learner, "max_candidates", "auto")
    if isinstance(max_candidates, str):
        max_candidates = DEFAULT_CANDIDATES
    if max_candidates is not None and max_candidates < 1:
        raise ValueError(f"max_candidates={max_candidates}: expected None or an integer of at least 1.")
    _refuse_euclid(learner)
    source = source_of(rows, labels, rows_per_block, progress)
    _refuse_what_teaches_nothing(learner, source, recipe.min_classes)
    most = max_candidates if recipe.needs_neighbours(learner) else 0
    bucket_bytes = max(1, candidate_bytes // BUCKETS_OF_CANDIDATES)
    too_much = _candidate_bytes(source, most) > candidate_bytes or _sum_bytes(source) > bucket_bytes
    shuffles = recipe.own_class_only and too_much
    if shuffles:
        most = 0
    elif most is not None:
        _refuse_too_many_candidates(source, most, candidate_bytes)
    quotas = sample_quotas(source.sizes, settings_rows) if recipe.leaves_open(learner) else 0
    first = source.total(
        partial(_first_of, sizes=source.sizes, most=most, quotas=quotas, one_class=shuffles),
        partial(_first_added, most=most, quotas=quotas),
        "classes",
    )
    learner.classes_ = source.classes
    learner.n_features_in_ = source.n_features
    if source.names is not None:
        learner.feature_names_in_ = np.array(source.names, dtype=object)
    sums, candidates, sample = first
    found = First(sums, candidates, sample, bucket_bytes if shuffles else 0, max_candidates)
    recipe.fit(learner, source, found)
    if hasattr(learner, "euclid_share"):
        learner.euclid_share_ = 0.0
    return learner


def source_of(rows, labels, rows_per_block: int | None = None, progress: Progress | None = None) -> Source:
    """The source of these rows and labels: Dask collections, or files and arrays."""
    if is_lazy(rows):
        from nearkin.scale.dask_source import DaskSource

        return DaskSource(rows, labels)
    if is_lazy(labels):
        raise TypeError("labels are a Dask collection but rows are not; give both, or compute the labels.")
    return LocalSource(rows, labels, rows_per_block, progress)


def sample_quotas(sizes: np.ndarray, n_rows: int) -> np.ndarray:
    """Rows to take from each class for a sample of about `n_rows`, in proportion but at least two.

    >>> sample_quotas(np.array([900, 90, 1]), 100)
    array([91, 10,  1])
    """
    if 2 * len(sizes) > n_rows:
        return _quotas_of_some_classes(sizes, n_rows)
    share = min(1.0, n_rows / sizes.sum())
    return np.minimum(sizes, np.maximum(2, np.ceil(share * sizes))).astype(np.int64)


def _quotas_of_some_classes(sizes: np.ndarray, n_rows: int, most: int = 20) -> np.ndarray:
    """Up to `most` rows of each of some classes, chosen by a hash, if two of each class would be too many."""
    quotas = np.zeros(len(sizes), dtype=np.int64)
    order = np.argsort(row_hash(np.arange(len(sizes))))
    order = order[sizes[order] >= 2] if (sizes >= 2).any() else order
    wanted = np.minimum(sizes[order], most)
    chosen = order[: int(np.searchsorted(np.cumsum(wanted), n_rows)) + 1]
    quotas[chosen] = np.minimum(sizes[chosen], most)
    return quotas


def _first_of(block: Block, sizes: np.ndarray, most: int | None, quotas: np.ndarray | int, one_class: bool):
    candidates, sample = (Candidates.of(block, m, hash_bounds(sizes, m)) for m in (most, quotas))
    if one_class:
        together = Block(block.X, np.zeros_like(block.codes), block.start)
        return ClassSums.of(together, 1), candidates, sample
    return ClassSums.of(block, len(sizes)), candidates, sample


def _first_added(a, b, most: int | None, quotas: np.ndarray | int):
    return a[0] + b[0], a[1].joined(b[1], most), a[2].joined(b[2], quotas)


def _refuse_euclid(learner) -> None:
    """Raise for a given share of Euclid, which fits from blocks do not support; "auto" is 0 there."""
    share = getattr(learner, "euclid_share", 0.0)
    if share != "auto" and share != 0:
        raise ValueError(f"euclid_share={share!r}: fits from blocks keep none of Euclid; use 'auto' or 0.")


def _refuse_what_teaches_nothing(learner, source: Source, min_classes: int) -> None:
    name = type(learner).__name__
    if len(source.classes) < min_classes:
        raise ValueError(f"{name} needs at least {min_classes} classes, but labels have only one.")
    if source.sizes.max() < 2:
        raise ValueError(
            f"{name} needs a class with at least two rows, but every class has only one; check that labels "
            "are labels and not identifiers."
        )
    if source.n <= source.n_features:
        raise ValueError(
            f"{source.n} rows of {source.n_features} features: fits from blocks need more rows than "
            f"features; use {name}.fit."
        )


def _candidate_bytes(source: Source, max_candidates: int | None) -> int:
    kept = source.sizes if max_candidates is None else np.minimum(source.sizes, max_candidates)
    return int(kept.sum()) * source.n_features * source.dtype.itemsize


def _sum_bytes(source: Source) -> int:
    """Bytes of the sums of all classes, in each part of a pass."""
    return len(source.classes) * source.n_features * 8


def _refuse_too_many_candidates(source: Source, max_candidates: int, most_bytes: int) -> None:
    size = _candidate_bytes(source, max_candidates)
    if size > most_bytes:
        raise ValueError(
            f"{max_candidates} candidates of each of {len(source.classes)} classes take "
            f"{size / 2**30:.1f} GB; set max_candidates to "
            f"{max(1, int(max_candidates * most_bytes / size))} or less."
        )
