"""LMDL and LPD for rows that are read block by block, in random order in every epoch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.utils import check_random_state

from nearkin.learners.prototype.rows import merge_equal_rows
from nearkin.learners.prototype.training import LabelledRows, train
from nearkin.scale.sample import fit_sample, sample_size
from nearkin.scale.source import LocalSource, Progress
from nearkin.scale.statistics import not_finite


class RowBlocks(LabelledRows):
    """The rows of a source, embedded block by block, with equal weights.

    Parameters
    ----------
    source : LocalSource
    embedding : callable
        To the coordinates in which prototypes are trained.
    n_coordinates : int
    """

    def __init__(self, source: LocalSource, embedding, n_coordinates: int):
        self.source, self.embedding = source, embedding
        self._n_coordinates = n_coordinates

    def __len__(self) -> int:
        return self.source.n

    @property
    def n_coordinates(self) -> int:
        return self._n_coordinates

    def parts(self, rng: np.random.RandomState | None = None) -> Iterator[LabelledRows]:
        source, size = self.source, self.source.rows_per_block
        starts = np.arange(0, len(self), size)
        for done, start in enumerate(starts if rng is None else rng.permutation(starts), 1):
            X = source.rows[int(start) : int(start) + size]
            if not np.isfinite(X).all():
                raise not_finite(X, int(start))
            U = self.embedding(X)
            codes = np.searchsorted(source.classes, source.labels[start : start + size])
            yield LabelledRows(U, codes, np.full(len(U), 1 / len(self), dtype=U.dtype))
            if source.progress is not None:
                source.progress(min(done * size, len(self)), len(self), "epoch")


class _Sampled:
    """Used like a learner, to obtain the sample itself."""

    def fit(self, X, y):
        self.X, self.y = X, y
        return self


def blocks_refusal(learner) -> str | None:
    """Why this learner cannot be trained on blocks of rows; None if it can."""
    if not learner.early_stopping:
        return None
    return (
        f"{type(learner).__name__} of rows in blocks holds out no rows: set early_stopping=False, or fit a "
        "sample by nearkin.scale.fit_sample."
    )


def fit_prototypes(
    learner, rows, labels, *, rows_per_block: int | None = None, progress: Progress | None = None
):
    """Fit LMDL or LPD to the rows of a file in the memory of a few blocks.

    Coordinates, numbers and initial positions of the prototypes come from a sample of the rows, everything
    else from all rows: each epoch visits the blocks in random order and shuffles each of them.
    """
    learner._check_settings()
    source = LocalSource(rows, labels, rows_per_block, progress)
    if len(source.classes) < 2:
        raise ValueError(f"{type(learner).__name__} needs at least 2 classes, but labels have only one.")
    n_rows = sample_size(source.n_features, len(source.classes))
    sample = fit_sample(_Sampled(), source.rows, source.labels, n_rows=n_rows, progress=progress)
    if not np.isfinite(sample.X).all():
        # A pass over the rows finds which of them it is.
        for _ in RowBlocks(source, lambda X: X, source.n_features).parts():
            pass
    codes = np.searchsorted(source.classes, sample.y)
    X, codes, weights = merge_equal_rows(sample.X, codes, np.ones(len(codes)))
    learner.classes_, learner.n_features_in_ = source.classes, source.n_features
    rng = check_random_state(learner.random_state)
    with np.errstate(over="raise"):
        embedding = learner._start_embedding(X, codes, weights, rng)
    few = LabelledRows(embedding(X), codes, weights)
    rank = learner._resolve_rank(few.n_coordinates)
    counts = learner._resolve_counts(few, rank, rng)
    data = RowBlocks(source, embedding, few.n_coordinates)
    schedule = learner._schedule(data, learner.verbose)
    runs = [train(data, learner._start(few, counts, rank, rng), schedule, rng) for _ in range(learner.n_init)]
    learner._keep(min(runs, key=lambda run: run.score), embedding)
    # There are no rows in memory that could vote.
    learner.euclid_share_, learner._voting = 0.0, None
    return learner
