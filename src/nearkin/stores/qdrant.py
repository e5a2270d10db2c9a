"""Qdrant: moved vectors under a new name of the same points."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from nearkin._types import ColumnLike
from nearkin.datasets.errors import DataError, close_matches
from nearkin.datasets.vectors import as_floats
from nearkin.stores.base import (
    MOVED,
    MOVES,
    Block,
    MoveRecord,
    StoreError,
    VectorStore,
    foreign_place,
    refuse_in_place,
)

#: Bytes of a model in one point: a server refuses requests of more than 32 MB.
PART = 8_000_000


class QdrantStore(VectorStore):
    """A collection of Qdrant, on a server or embedded.

    Parameters
    ----------
    place : str, Path or QdrantClient
        ``http://host:6333``, or the folder of an embedded database (one process at a time).
    collection : str
    vector : str
        Name of the raw vectors; the empty string for a collection with a single unnamed vector.
    into : str
        Name for the moved vectors.
    label : str, optional
        The payload field of labels, if a model is to be fitted.
    allow_unnamed : bool
        Whether a name may be added to a collection whose only vector has none. From then on Qdrant
        refuses points that are upserted with a bare list: they must say ``{"": [...]}``.

    Notes
    -----
    A collection under cosine holds its vectors at length one and scales queries itself. Moved vectors are
    compared by L2, where Qdrant does not: `search` scales the query, and so must your application.
    A point that is upserted again loses its moved vector, and `move_rows` moves it again.
    """

    rows_at_once: ClassVar[int] = 1_024

    def __init__(
        self,
        place: Any,
        collection: str,
        vector: str,
        *,
        into: str,
        label: str | None = None,
        allow_unnamed: bool = False,
    ) -> None:
        client, self._models = _client()
        refuse_in_place("", vector, into, beside="vector name")
        self._owned = isinstance(place, str | Path)
        if not self._owned:
            self.client = place
        elif "://" in str(place):
            self.client = client(url=str(place))
        else:
            self.client = client(path=str(place))
        self.source, self.vector, self.into, self.label = collection, vector, into, label
        if not self.client.collection_exists(collection):
            names = [found.name for found in self.client.get_collections().collections]
            raise StoreError(f"there is no collection {collection!r}.{close_matches(collection, names)}")
        vectors = self._vectors()
        if vector not in vectors:
            raise StoreError(
                f"{collection!r} has no vectors called {vector!r}; it has {', '.join(map(repr, vectors))}."
            )
        if set(vectors) == {""} and not allow_unnamed:
            raise StoreError(
                f"the vectors of {collection!r} have no name, and beside a named one Qdrant refuses points "
                'written as a bare list; let your writers say {"": [...]} and open it with '
                "allow_unnamed=True, or copy it into a collection of named vectors."
            )
        self._width = vectors[vector].size
        self.scales_queries = vectors[vector].distance == self._models.Distance.COSINE

    def _vectors(self) -> dict[str, Any]:
        vectors = self.client.get_collection(self.source).config.params.vectors
        return vectors if isinstance(vectors, dict) else {"": vectors}

    def count(self, *, pending: bool = False) -> int:
        return self.client.count(self.source, count_filter=self._filter(pending), exact=True).count

    def _filter(self, pending: bool):
        def has(name: str):
            return self._models.HasVectorCondition(has_vector=name)

        lacking = [has(self.into)] if pending and self.into in self._vectors() else None
        return self._models.Filter(must=[has(self.vector)], must_not=lacking)

    def blocks(self, rows: int | None = None, *, pending: bool = False) -> Iterator[Block]:
        wanted, at = self._filter(pending), None
        while True:
            found, at = self.client.scroll(
                self.source,
                scroll_filter=wanted,
                limit=rows or self.rows_at_once,
                offset=at,
                with_vectors=[self.vector],
                with_payload=[self.label] if self.label else False,
            )
            if found:
                keys = [point.id for point in found]
                labels = [(point.payload or {}).get(self.label) for point in found]
                yield Block(keys, self._floats(keys, [self._raw(point.vector) for point in found]), labels)
            if at is None:
                return

    def _raw(self, vectors):
        return vectors[self.vector] if isinstance(vectors, dict) else vectors

    def _floats(self, keys, rows) -> np.ndarray:
        try:
            return as_floats(
                [np.asarray(row, dtype=np.float32) for row in rows],
                lambda at: f"{self.source}: the point with id {keys[at]!r}",
                self._width,
            )
        except DataError as error:
            raise StoreError(str(error)) from error

    def moved_vectors(self, keys: Sequence[Any]) -> dict[Any, np.ndarray]:
        found = self.client.retrieve(self.source, list(keys), with_payload=False, with_vectors=[self.into])
        return {
            point.id: np.asarray(point.vector[self.into], dtype=np.float32)
            for point in found
            if isinstance(point.vector, dict) and self.into in point.vector
        }

    def remembered(self) -> tuple[MoveRecord, bytes] | None:
        parts = self._parts()
        if not parts:
            return None
        model = b"".join(base64.b64decode(part["model"]) for part in parts)
        return MoveRecord.from_json(parts[0]["record"]), model

    def _parts(self) -> list[dict]:
        if not self.client.collection_exists(MOVES):
            return []
        first = self.client.retrieve(MOVES, [self._part_id(0)])
        if not first:
            return []
        count = first[0].payload["parts"]
        found = self.client.retrieve(MOVES, [self._part_id(at) for at in range(count)])
        return sorted((point.payload for point in found), key=lambda part: part["part"])

    def _part_id(self, part: int) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"nearkin:{self.source}:{self.into}:{part}"))

    def begin(self, record: MoveRecord, model: bytes) -> None:
        if self.remembered() is None:
            if self.into in self._vectors():
                raise foreign_place(self.into, "vector name")
            self._write_record(record, model)
        if self.into not in self._vectors():
            config = self._models.DenseVectorConfig(size=record.width, distance=self._models.Distance.EUCLID)
            self.client.create_vector_name(
                self.source, self.into, self._models.DenseVectorNameConfig(dense=config)
            )

    def _write_record(self, record: MoveRecord, model: bytes) -> None:
        models = self._models
        if not self.client.collection_exists(MOVES):
            self.client.create_collection(
                MOVES, vectors_config=models.VectorParams(size=1, distance=models.Distance.EUCLID)
            )
        pieces = [model[first : first + PART] for first in range(0, len(model), PART)]
        # The first part, which says how many there are, comes last: without it there is no record.
        for part in reversed(range(len(pieces))):
            payload = {
                "record": record.to_json(),
                "part": part,
                "parts": len(pieces),
                "model": base64.b64encode(pieces[part]).decode(),
            }
            point = models.PointStruct(id=self._part_id(part), vector=[0.0], payload=payload)
            self.client.upsert(MOVES, [point], wait=True)

    def write(self, keys: Sequence[Any], vectors: np.ndarray) -> None:
        points = [
            self._models.PointVectors(id=key, vector={self.into: row.tolist()})
            for key, row in zip(keys, vectors)
        ]
        self.client.update_vectors(self.source, points, wait=True)

    def build_index(self) -> None:
        """Nothing: Qdrant indexes every vector by itself."""

    def search(self, query: ColumnLike, k: int = 10, *, which: str = MOVED, exact: bool = False) -> list[Any]:
        query = np.asarray(query, dtype=np.float64)
        if which == MOVED and self.scales_queries:
            query = query / np.linalg.norm(query)
        # The embedded engine has no index and warns of being asked for an exact search.
        embedded = type(getattr(self.client, "_client", None)).__name__ == "QdrantLocal"
        found = self.client.query_points(
            self.source,
            query=query.tolist(),
            using=(self.into if which == MOVED else self.vector) or None,
            limit=k,
            with_payload=False,
            search_params=self._models.SearchParams(exact=True) if exact and not embedded else None,
        )
        return [point.id for point in found.points]

    def forget(self) -> None:
        parts = self._parts()
        if not parts:
            return
        if self.into in self._vectors():
            self.client.delete_vector_name(self.source, self.into)
        ids = [self._part_id(part["part"]) for part in parts]
        self.client.delete(MOVES, self._models.PointIdsList(points=ids))

    def close(self) -> None:
        if self._owned:
            self.client.close()


def _client():
    try:
        from qdrant_client import QdrantClient, models
    except ImportError as error:
        raise StoreError("Qdrant needs its client: pip install 'nearkin[stores]'.") from error
    return QdrantClient, models
