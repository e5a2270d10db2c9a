"""Moving the vectors of a store: all of them, those added later, and a check that none is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from nearkin._types import Estimator, RandomState
from nearkin.stores.base import MoveRecord, StoreError, VectorStore
from nearkin.stores.mover import Mover


@dataclass(frozen=True)
class MoveReport:
    """What `move_rows` did: rows moved now, rows with a vector in all, and by which model."""

    moved: int
    total: int
    record: MoveRecord


@dataclass(frozen=True)
class CheckReport:
    """Keys of rows that have no moved vector, and of those whose moved vector is not what the model gives."""

    missing: list[Any]
    changed: list[Any]

    @property
    def is_sound(self) -> bool:
        return not (self.missing or self.changed)


def move_rows(
    store: VectorStore,
    model: Estimator | None = None,
    *,
    rows: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> MoveReport:
    """Move the rows of a store that are not moved yet; raw rows are only read.

    The first call decides on the model, and the store remembers it. Every later call moves what has been
    added since, or what an interrupted call left, by the same model: after loading new rows, just call
    `move_rows(store)` again.

    Parameters
    ----------
    store : VectorStore
    model : fitted estimator, optional
        What moves (see `Mover`). Without one, the model that the store remembers; if there is none, a
        `MoveLabeled` is fitted on the store's labelled rows.
    rows : int, optional
        Rows read, moved and written together; the store's own number by default.
    progress : callable, optional
        Called after each block with the rows moved and the rows to be moved.

    Returns
    -------
    MoveReport

    Raises
    ------
    StoreError
        Another model than the one the store was moved by; vectors of another width; invalid rows.

    See Also
    --------
    nearkin.scale.move_rows : Moves rows of a file, an array or a Dask collection.

    Notes
    -----
    Memory is one block, and without a model the labelled rows. Cost: n·d² and the store's own writing.
    """
    known = store.remembered()
    if known is None:
        mover = Mover(fit_labelled(store) if model is None else model)
    else:
        mover = Mover.from_bytes(known[1])
        if model is not None and Mover(model).fingerprint != mover.fingerprint:
            raise StoreError(
                f"{store.into!r} was moved by another model ({known[0].learner}, {known[0].created}); rows "
                "moved by two models cannot be compared. Move into another place, or drop this one first "
                "(forget())."
            )
    total, to_move = store.count(), store.count(pending=True) if known else store.count()
    if total == 0:
        raise StoreError(f"{store.source!r} has no rows with a vector in {store.vector!r}.")
    _check_width(store, mover)
    record = known[0] if known else _new_record(store, mover)
    store.begin(record, known[1] if known else mover.to_bytes())
    moved = 0
    for block in store.blocks(rows, pending=True):
        store.write(block.keys, mover(block.vectors))
        moved += len(block.keys)
        if progress is not None:
            progress(moved, max(to_move, moved))
    store.tidy()
    return MoveReport(moved, total, record)


def check_moved(store: VectorStore, *, rows: int | None = None) -> CheckReport:
    """Compare every moved vector with what the remembered model makes of the raw one.

    Finds rows that were added and never moved, and rows whose raw vector was replaced since.
    """
    known = store.remembered()
    if known is None:
        raise StoreError(f"nothing was moved into {store.into!r} yet.")
    mover = Mover.from_bytes(known[1])
    missing: list[Any] = []
    changed: list[Any] = []
    for block in store.blocks(rows):
        found = store.moved_vectors(block.keys)
        expected = mover(block.vectors)
        for key, vector in zip(block.keys, expected):
            if key not in found:
                missing.append(key)
            # Loose enough for stores that keep half precision.
            elif not np.allclose(found[key], vector, rtol=2e-3, atol=2e-3 * float(np.abs(vector).max())):
                changed.append(key)
    return CheckReport(missing, changed)


def fit_labelled(
    store: VectorStore,
    learner: Estimator | None = None,
    *,
    max_rows: int = 100_000,
    random_state: RandomState = 0,
) -> Estimator:
    """A learner fitted on the labelled rows of a store.

    Parameters
    ----------
    store : VectorStore
        Opened with `label`.
    learner : estimator, optional
        `MoveLabeled()` by default.
    max_rows : int
        If there are more labelled rows than this, a random sample of them is used.
    random_state : int, RandomState or None
        Seed of the sample.
    """
    from nearkin.learners.closed_form.move import MoveLabeled

    if store.label is None:
        raise StoreError(
            "there is no model, and without labels none can be fitted; name the labels (label=..., on the "
            "command line --label), or give a fitted model."
        )
    X, y = _sample(store, max_rows, check_random_state(random_state))
    if len(set(y.tolist())) < 2:
        raise StoreError(f"{store.source!r}: {store.label!r} must hold at least two classes to learn from.")
    return (MoveLabeled() if learner is None else learner).fit(X, y)


def _sample(store: VectorStore, max_rows: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """At most `max_rows` labelled rows, drawn uniformly: those with the smallest random keys stay."""
    kept_X, kept_y, draws = [], [], []
    n_kept = 0
    for block in store.blocks():
        labelled = [at for at, label in enumerate(block.labels) if label is not None]
        kept_X.append(block.vectors[labelled])
        kept_y.append(np.array([str(block.labels[at]) for at in labelled], dtype=object))
        draws.append(rng.uniform(size=len(labelled)))
        n_kept += len(labelled)
        if n_kept > 2 * max_rows:
            kept_X, kept_y, draws = _thinned(kept_X, kept_y, draws, max_rows)
            n_kept = max_rows
    if not n_kept:
        raise StoreError(f"{store.source!r} has no row with both a vector and a label in {store.label!r}.")
    kept_X, kept_y, _ = _thinned(kept_X, kept_y, draws, max_rows)
    return kept_X[0], kept_y[0].astype(str)


def _thinned(kept_X, kept_y, draws, limit: int):
    X, y, drawn = np.concatenate(kept_X), np.concatenate(kept_y), np.concatenate(draws)
    if len(X) > limit:
        stay = np.sort(np.argpartition(drawn, limit)[:limit])
        X, y, drawn = X[stay], y[stay], drawn[stay]
    return [X], [y], [drawn]


def _check_width(store: VectorStore, mover: Mover) -> None:
    first = next(store.blocks(1))
    if first.vectors.shape[1] != mover.width:
        raise StoreError(
            f"the vectors of {store.source!r} have {first.vectors.shape[1]} values, but the model was fitted "
            f"on {mover.width}."
        )


def _new_record(store: VectorStore, mover: Mover) -> MoveRecord:
    return MoveRecord(
        source=store.source,
        vector=store.vector,
        into=store.into,
        fingerprint=mover.fingerprint,
        learner=mover.name,
        width=mover.width,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
    )
