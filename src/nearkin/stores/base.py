"""What a vector store must be able to do for moved vectors to be kept beside its raw ones."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from nearkin._types import ColumnLike

RAW, MOVED = "raw", "moved"
#: The table or collection, in the same database, that remembers which model moved what.
MOVES = "nearkin_moves"


class StoreError(ValueError):
    """A store cannot be read, or must not be written, as asked; the message names the problem and the fix."""


@dataclass(frozen=True)
class Block:
    """Rows of a store: their keys, their vectors as floats, and their labels (None where there is none)."""

    keys: list[Any]
    vectors: np.ndarray
    labels: list[Any]


@dataclass(frozen=True)
class MoveRecord:
    """What a store remembers of a move.

    Attributes
    ----------
    source, vector, into : str
        Table or collection, its raw vectors, and where the moved ones are.
    fingerprint : str
        Of the move itself (`Mover.fingerprint`): two models of the same fingerprint move alike.
    learner : str
        Name of the learner, for people.
    width : int
        Values of a raw vector.
    created : str
        When the move began, in UTC.
    current : {'raw', 'moved'}
        Which of the two the application should search.
    """

    source: str
    vector: str
    into: str
    fingerprint: str
    learner: str
    width: int
    created: str
    current: str = RAW

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> MoveRecord:
        return cls(**json.loads(text))


class VectorStore(ABC):
    """Raw vectors that are only ever read, and moved ones written beside them under the same keys.

    A store keeps three promises. Raw rows are never written to. A row is written under its key, so that
    a repeated or resumed move gives the same rows. The store remembers the model (`remembered`), so that rows
    added later are moved by the same one, whoever runs the move.

    Parameters of all stores: `vector` names the raw vectors, `into` where moved ones go, `label` the labels.
    """

    #: Rows read, moved and written together.
    rows_at_once: ClassVar[int] = 4_096

    source: str
    vector: str
    into: str
    label: str | None

    @abstractmethod
    def count(self, *, pending: bool = False) -> int:
        """Rows with a raw vector; with `pending`, those of them that have no moved one yet."""

    @abstractmethod
    def blocks(self, rows: int | None = None, *, pending: bool = False) -> Iterator[Block]:
        """Keys, raw vectors and labels in blocks; rows without a vector are passed over.

        Raises
        ------
        StoreError
            A row of another width, of no numbers, or with missing values, named by its key.
        """

    @abstractmethod
    def moved_vectors(self, keys: Sequence[Any]) -> dict[Any, np.ndarray]:
        """Moved vectors by key, for those keys that have one."""

    @abstractmethod
    def remembered(self) -> tuple[MoveRecord, bytes] | None:
        """What was moved into `into` and by which model (a model file's bytes), or None."""

    @abstractmethod
    def begin(self, record: MoveRecord, model: bytes) -> None:
        """Remember the move and make room for moved vectors; refuse a place that holds anything else."""

    @abstractmethod
    def write(self, keys: Sequence[Any], vectors: np.ndarray) -> None:
        """Write moved vectors under their keys, replacing those already there; each is written as a whole."""

    def tidy(self) -> None:  # noqa: B027 - nothing to do is a fair answer
        """Remove moved vectors whose raw row is gone, where the store does not do so by itself."""

    @abstractmethod
    def build_index(self) -> None:
        """Build the store's own L2 index of the moved vectors, unless it keeps one by itself."""

    @abstractmethod
    def search(self, query: ColumnLike, k: int = 10, *, which: str = MOVED, exact: bool = False) -> list[Any]:
        """Keys of the k nearest rows to a raw query by L2, nearest first."""

    @abstractmethod
    def forget(self) -> None:
        """Drop the moved vectors and what is remembered of them; raw rows stay as they were."""

    @abstractmethod
    def _write_record(self, record: MoveRecord, model: bytes) -> None:
        """Write down what has changed of a move that is remembered."""

    def use(self, which: str) -> None:
        """Switch the application to the moved vectors, or back to the raw ones.

        Raises
        ------
        StoreError
            If rows are still to be moved: a search among moved vectors would not find them.
        """
        if which not in (RAW, MOVED):
            raise StoreError(f"use({which!r}): expected {RAW!r} or {MOVED!r}.")
        known = self.remembered()
        if known is None:
            raise StoreError(f"nothing was moved into {self.into!r} yet; run move_rows first.")
        pending = self.count(pending=True) if which == MOVED else 0
        if pending:
            raise StoreError(
                f"{pending} rows of {self.source!r} are not moved yet and would not be found; run move_rows "
                "(nearkin move) again, then switch."
            )
        self._switch(which)
        self._write_record(replace(known[0], current=which), known[1])

    def _switch(self, which: str) -> None:  # noqa: B027 - the record may be all
        """What switching means in the store itself, beyond the record."""

    @property
    def current(self) -> str:
        """Which vectors the application should search: 'raw' or 'moved'."""
        known = self.remembered()
        return RAW if known is None else known[0].current

    def close(self) -> None:  # noqa: B027 - not every store holds a connection
        """Close connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def refuse_in_place(source: str, vector: str, into: str, *, beside: str) -> None:
    """Moving in place is never offered: the move cannot be undone, and a second run would move twice."""
    if into in (source, vector):
        raise StoreError(
            f"into={into!r} are the raw vectors themselves; a move cannot be undone, so it is written beside "
            f"them: give the name of a new {beside}."
        )


def foreign_place(into: str, what: str) -> StoreError:
    return StoreError(
        f"there is a {what} {into!r} already that nearkin did not make; give another name (into=..., on the "
        "command line --into)."
    )
