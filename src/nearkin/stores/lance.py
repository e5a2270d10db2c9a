"""LanceDB: moved vectors in a new column of the same table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from nearkin._types import ColumnLike
from nearkin.datasets.errors import DataError, close_matches
from nearkin.datasets.vectors import arrow_array, as_floats
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


class LanceStore(VectorStore):
    """A table of an embedded LanceDB.

    Parameters
    ----------
    path : str, Path or lancedb connection
        Folder (or URL) of the database.
    table : str
    vector : str
        The column of raw vectors: lists of numbers. Only ever read.
    into : str
        The column to add for the moved vectors.
    label : str, optional
        The column of labels, if a model is to be fitted.
    key : str
        A column whose values are unique, as LanceDB has no primary keys.

    Notes
    -----
    Every block becomes a version of the table, so blocks are large; LanceDB's own ``optimize`` removes older
    versions.
    """

    rows_at_once: ClassVar[int] = 65_536

    def __init__(
        self, path: Any, table: str, vector: str, *, into: str, label: str | None = None, key: str = "id"
    ) -> None:
        lancedb = _client()
        refuse_in_place(table, vector, into, beside="column")
        self.database = path if hasattr(path, "open_table") else lancedb.connect(str(path))
        self.source, self.vector, self.into, self.label, self.key = table, vector, into, label, key
        tables = _table_names(self.database)
        if table not in tables:
            raise StoreError(f"there is no table {table!r} in {path}.{close_matches(table, tables)}")
        self.table = self.database.open_table(table)
        names = self.table.schema.names
        for column in (vector, key, *([label] if label else [])):
            if column not in names:
                hint = close_matches(column, names)
                raise StoreError(f"{table!r} has no column {column!r}.{hint} It has: {', '.join(names)}.")
        self._refuse_double_keys()

    def _refuse_double_keys(self) -> None:
        import pyarrow.compute as compute

        keys = self.table.search().select([self.key]).limit(None).to_arrow().column(self.key)
        if keys.null_count:
            raise StoreError(
                f"{self.source!r}: {self.key!r} is empty in {keys.null_count} rows; a key is needed for each."
            )
        counts = compute.value_counts(keys)
        twice = [
            pair["values"] for pair in counts.filter(compute.greater(counts.field("counts"), 1)).to_pylist()
        ]
        if twice:
            raise StoreError(
                f"{self.source!r}: {self.key!r} = {twice[0]!r} occurs more than once; name a unique column."
            )

    def count(self, *, pending: bool = False) -> int:
        return self.table.count_rows(self._where(pending))

    def _where(self, pending: bool) -> str:
        where = f"`{self.vector}` IS NOT NULL"
        return f"{where} AND `{self.into}` IS NULL" if pending and self._has_column() else where

    def _has_column(self) -> bool:
        return self.into in self.table.schema.names

    def blocks(self, rows: int | None = None, *, pending: bool = False) -> Iterator[Block]:
        columns = [self.key, self.vector, *([self.label] if self.label else [])]
        # Read from the version as it is now, whatever is written meanwhile.
        found = self.table.search().where(self._where(pending)).select(columns).limit(None)
        for batch in found.to_batches(rows or self.rows_at_once):
            if not batch.num_rows:
                continue
            keys = batch.column(self.key).to_pylist()
            labels = batch.column(self.label).to_pylist() if self.label else [None] * len(keys)
            yield Block(keys, self._floats(keys, batch), labels)

    def _floats(self, keys, batch) -> np.ndarray:
        import pyarrow

        def row_name(at: int) -> str:
            return f"{self.source}: the row with {self.key} = {keys[at]!r}"

        if not hasattr(self, "_width"):
            self._width = len(batch.column(self.vector)[0])
        try:
            if pyarrow.types.is_fixed_size_list(batch.schema.field(self.vector).type):
                rows = arrow_array(pyarrow.Table.from_batches([batch]), self.vector, self.source)
            else:
                rows = batch.column(self.vector).to_pylist()
            return as_floats(rows, row_name, self._width)
        except DataError as error:
            raise StoreError(str(error)) from error

    def moved_vectors(self, keys: Sequence[Any]) -> dict[Any, np.ndarray]:
        if not self._has_column():
            return {}
        listed = ", ".join(_literal(key) for key in keys)
        found = (
            self.table.search()
            .where(f"`{self.key}` IN ({listed}) AND `{self.into}` IS NOT NULL")
            .select([self.key, self.into])
            .limit(None)
            .to_arrow()
        )
        vectors = arrow_array(found, self.into, self.source)
        return dict(zip(found.column(self.key).to_pylist(), vectors))

    def remembered(self) -> tuple[MoveRecord, bytes] | None:
        if MOVES not in _table_names(self.database):
            return None
        found = (
            self.database.open_table(MOVES)
            .search()
            .where(f"place = {_literal(self._place)}")
            .limit(1)
            .to_list()
        )
        return None if not found else (MoveRecord.from_json(found[0]["record"]), found[0]["model"])

    @property
    def _place(self) -> str:
        return f"{self.source}.{self.into}"

    def begin(self, record: MoveRecord, model: bytes) -> None:
        import pyarrow

        if self.remembered() is None:
            if self._has_column():
                raise foreign_place(self.into, "column")
            self._write_record(record, model)
        if not self._has_column():
            self.table.add_columns(pyarrow.field(self.into, pyarrow.list_(pyarrow.float32(), record.width)))

    def _write_record(self, record: MoveRecord, model: bytes) -> None:
        import pyarrow

        row = pyarrow.table({"place": [self._place], "record": [record.to_json()], "model": [model]})
        if MOVES not in _table_names(self.database):
            self.database.create_table(MOVES, row)
        else:
            moves = self.database.open_table(MOVES)
            moves.merge_insert("place").when_matched_update_all().when_not_matched_insert_all().execute(row)

    def write(self, keys: Sequence[Any], vectors: np.ndarray) -> None:
        import pyarrow

        flat = pyarrow.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
        rows = pyarrow.table(
            {
                self.key: pyarrow.array(keys, type=self.table.schema.field(self.key).type),
                self.into: pyarrow.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
            }
        )
        self.table.merge_insert(self.key).when_matched_update_all().execute(rows)

    def build_index(self) -> None:
        """An inverted file of uncompressed vectors: all that is missed is in cells that are not searched."""
        from lancedb.index import IvfFlat

        self.table.create_index(self.into, config=IvfFlat(distance_type="l2"), replace=True)

    def search(self, query: ColumnLike, k: int = 10, *, which: str = MOVED, exact: bool = False) -> list[Any]:
        column = self.into if which == MOVED else self.vector
        wanted = self.table.search(np.asarray(query, dtype=np.float32), vector_column_name=column)
        # The distance is not used, but Lance warns at every search that leaves it out.
        wanted = wanted.select([self.key, "_distance"]).where(f"`{column}` IS NOT NULL")
        wanted = wanted.distance_type("l2").limit(k)
        found = (wanted.bypass_vector_index() if exact else wanted.nprobes(20)).to_arrow()
        return found.column(self.key).to_pylist()

    def forget(self) -> None:
        if self.remembered() is None:
            return
        if self._has_column():
            self.table.drop_columns([self.into])
        self.database.open_table(MOVES).delete(f"place = {_literal(self._place)}")


def _client():
    try:
        import lancedb
    except ImportError as error:
        raise StoreError("LanceDB needs its client: pip install 'nearkin[stores]'.") from error
    return lancedb


def _table_names(database) -> list[str]:
    names: list[str] = []
    page = None
    while True:
        found = database.list_tables(page_token=page)
        names += found.tables
        page = found.page_token
        if not page:
            return names


def _literal(value) -> str:
    """A value in Lance's SQL."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
