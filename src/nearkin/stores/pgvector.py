"""PostgreSQL with pgvector: moved vectors in a side table of the same keys, a view to switch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

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

#: The longest vectors that an HNSW index takes.
INDEX_WIDTHS = {"vector": 2_000, "halfvec": 4_000}


class PgVectorStore(VectorStore):
    """A PostgreSQL table with a vector column (`vector`, `halfvec`, or an array of real numbers).

    Parameters
    ----------
    connection : str or psycopg.Connection
        A URL such as ``postgresql://user@host/db``, or a connection in autocommit mode, which is not closed.
    table : str
        ``items`` or ``schema.items``. Only ever read.
    vector : str
        The column of raw vectors.
    into : str
        The side table to make: the key and the moved vector, in the schema of `table`.
    label : str, optional
        The column of labels, if a model is to be fitted.
    key : str, optional
        A unique column; the primary key by default.
    view : str, optional
        The view that `use` makes or changes: all columns of the table, with raw or moved vectors.
        ``<table>_search`` by default.

    Notes
    -----
    Every block is a transaction of its own, found by its place in the order of the keys, so that no
    transaction stays open for long.
    """

    def __init__(
        self,
        connection: Any,
        table: str,
        vector: str,
        *,
        into: str,
        label: str | None = None,
        key: str | None = None,
        view: str | None = None,
    ) -> None:
        psycopg, register_vector = _client()
        refuse_in_place(table, vector, into, beside="table")
        self._owned = isinstance(connection, str)
        try:
            self.connection = psycopg.connect(connection, autocommit=True) if self._owned else connection
        except psycopg.OperationalError as error:
            raise StoreError(f"PostgreSQL cannot be reached: {error}") from error
        self.source, self.vector, self.into, self.label = table, vector, into, label
        self._sql = psycopg.sql
        schema, _, name = table.rpartition(".")
        self._place = [schema] if schema else []
        self._table, self._into = self._named(name), self._named(into)
        self._view = view or f"{name}_search"
        if self._value("SELECT to_regtype('vector')::text") is None:
            raise StoreError("the database has no pgvector; run CREATE EXTENSION vector in it.")
        register_vector(self.connection)
        self._columns = self._columns_of(self._table)
        self.key = key or self._primary_key()
        for column in (vector, self.key, *([label] if label else [])):
            self._require_column(column)
        self._kind = self._columns[vector].partition("(")[0]
        if self._kind not in ("vector", "halfvec", "real[]", "double precision[]"):
            raise StoreError(f"column {vector!r} of {table!r} is {self._columns[vector]}, not a vector.")
        self._moved_kind = "halfvec" if self._kind == "halfvec" else "vector"

    def count(self, *, pending: bool = False) -> int:
        return self._value(self._compose("SELECT count(*) {rows}", rows=self._rows(pending)))

    def blocks(self, rows: int | None = None, *, pending: bool = False) -> Iterator[Block]:
        rows, after = rows or self.rows_at_once, None
        label = self._compose("t.{}", self._name(self.label)) if self.label else self._sql.SQL("NULL")
        while True:
            beyond = self._compose("AND t.{key} > %(after)s") if after is not None else ""
            found = self._execute(
                self._compose(
                    "SELECT t.{key}, t.{vector}, {label} {rows} {beyond} ORDER BY t.{key} LIMIT %(rows)s",
                    label=label,
                    rows=self._rows(pending),
                    beyond=beyond or self._sql.SQL(""),
                ),
                {"after": after, "rows": rows},
            ).fetchall()
            if not found:
                return
            keys = [row[0] for row in found]
            yield Block(
                keys, self._floats(keys, [_plain(row[1]) for row in found]), [row[2] for row in found]
            )
            after = keys[-1]

    def _floats(self, keys, vectors) -> np.ndarray:
        try:
            return as_floats(
                vectors, lambda at: f"{self.source}: the row with {self.key} = {keys[at]!r}", self._width
            )
        except DataError as error:
            raise StoreError(str(error)) from error

    @property
    def _width(self) -> int:
        """As the column declares it, else as the first row has it."""
        declared = self._columns[self.vector].partition("(")[2].rstrip(")")
        if declared.isdigit():
            return int(declared)
        if not hasattr(self, "_found_width"):
            first = self._execute(
                self._compose("SELECT t.{vector} {rows} ORDER BY t.{key} LIMIT 1", rows=self._rows(False))
            ).fetchone()
            self._found_width = len(_plain(first[0]))
        return self._found_width

    def moved_vectors(self, keys: Sequence[Any]) -> dict[Any, np.ndarray]:
        found = self._execute(
            self._compose(
                "SELECT {key}, {vector} FROM {into} WHERE {key} = ANY(%s)",
            ),
            [list(keys)],
        )
        return {key: np.asarray(_plain(vector), dtype=np.float32) for key, vector in found}

    def remembered(self) -> tuple[MoveRecord, bytes] | None:
        if not self._exists(self._moves):
            return None
        found = self._execute(
            self._compose('SELECT record, model FROM {} WHERE "into" = %s', self._moves), [self.into]
        ).fetchone()
        return None if found is None else (MoveRecord.from_json(found[0]), bytes(found[1]))

    def begin(self, record: MoveRecord, model: bytes) -> None:
        known = self.remembered()
        if known is None and self._exists(self._into):
            raise foreign_place(self.into, "table")
        if known is not None and (known[0].source, known[0].vector) != (self.source, self.vector):
            raise StoreError(
                f"{self.into!r} holds moved vectors of {known[0].source!r}.{known[0].vector}; move into "
                "another table."
            )
        with self.connection.transaction():
            self._execute(
                self._compose(
                    'CREATE TABLE IF NOT EXISTS {} ("into" text PRIMARY KEY, record text NOT NULL, '
                    "model bytea NOT NULL)",
                    self._moves,
                )
            )
            self._execute(
                self._compose("INSERT INTO {} VALUES (%s, %s, %s) ON CONFLICT DO NOTHING", self._moves),
                [self.into, record.to_json(), model],
            )
            self._execute(
                self._compose(
                    "CREATE TABLE IF NOT EXISTS {into} "
                    "({key} {key_type} PRIMARY KEY, {vector} {type} NOT NULL)",
                    key_type=self._sql.SQL(self._columns[self.key]),
                    type=self._moved_type(),
                )
            )

    def write(self, keys: Sequence[Any], vectors: np.ndarray) -> None:
        from pgvector import HalfVector, Vector

        kind = HalfVector if self._moved_kind == "halfvec" else Vector
        command = self._compose(
            "INSERT INTO {into} ({key}, {vector}) VALUES (%s, %s) "
            "ON CONFLICT ({key}) DO UPDATE SET {vector} = EXCLUDED.{vector}",
        )
        with self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.executemany(command, [(key, kind(row)) for key, row in zip(keys, vectors)])

    def tidy(self) -> None:
        self._execute(
            self._compose(
                "DELETE FROM {into} m WHERE NOT EXISTS (SELECT 1 FROM {table} t WHERE t.{key} = m.{key} "
                "AND t.{vector} IS NOT NULL)",
            )
        )

    def build_index(self) -> None:
        if self._width > INDEX_WIDTHS[self._moved_kind]:
            raise StoreError(
                f"pgvector indexes at most {INDEX_WIDTHS[self._moved_kind]} values of a {self._moved_kind}, "
                f"and these have {self._width}; keep them as halfvec, or search without an index."
            )
        self._execute(
            self._compose(
                "CREATE INDEX IF NOT EXISTS {name} ON {into} USING hnsw ({vector} {operators})",
                name=self._name(f"{self.into}_hnsw"),
                operators=self._sql.SQL(f"{self._moved_kind}_l2_ops"),
            )
        )

    def search(self, query: ColumnLike, k: int = 10, *, which: str = MOVED, exact: bool = False) -> list[Any]:
        from pgvector import Vector

        command = self._compose(
            "SELECT {key} FROM {place} ORDER BY {vector}::{type} <-> %s::vector::{type}, {key} LIMIT %s"
            if exact
            else "SELECT {key} FROM {place} ORDER BY {vector} <-> %s::vector::{type} LIMIT %s",
            place=self._into if which == MOVED else self._table,
            type=self._moved_type(),
        )
        with self.connection.transaction():
            if exact:
                self._execute(self._sql.SQL("SET LOCAL enable_indexscan = off"))
            found = self._execute(command, [Vector(np.asarray(query, dtype=np.float32)), k]).fetchall()
        return [row[0] for row in found]

    def forget(self) -> None:
        with self.connection.transaction():
            if self.remembered() is None:
                return
            self._execute(self._compose("DROP VIEW IF EXISTS {}", self._named(self._view)))
            self._execute(self._compose("DROP TABLE IF EXISTS {into}"))
            self._execute(self._compose('DELETE FROM {} WHERE "into" = %s', self._moves), [self.into])

    def _write_record(self, record: MoveRecord, model: bytes) -> None:
        self._execute(
            self._compose('UPDATE {} SET record = %s, model = %s WHERE "into" = %s', self._moves),
            [record.to_json(), model, self.into],
        )

    def _switch(self, which: str) -> None:
        """The view shows the columns of the table in their order; both ways its types are the same."""
        side = "m" if which == MOVED else "t"
        shown = [
            self._compose("t.{}", self._name(column))
            if column != self.vector
            else self._compose(
                "{}.{name}::{type} AS {name}",
                self._sql.SQL(side),
                name=self._name(column),
                type=self._moved_type(),
            )
            for column in self._columns
        ]
        join = self._compose("JOIN {into} m ON m.{key} = t.{key}")
        self._execute(
            self._compose(
                "CREATE OR REPLACE VIEW {view} AS SELECT {shown} FROM {table} t {join}",
                view=self._named(self._view),
                shown=self._sql.SQL(", ").join(shown),
                join=join if which == MOVED else self._sql.SQL(""),
            )
        )

    def close(self) -> None:
        if self._owned:
            self.connection.close()

    @property
    def _moves(self):
        return self._named(MOVES)

    def _moved_type(self):
        return self._sql.SQL(f"{self._moved_kind}({self._width})")

    def _rows(self, pending: bool):
        """FROM and WHERE of rows that have a vector, or of those among them that have no moved one."""
        joined, lacking = self._sql.SQL(""), self._sql.SQL("")
        if pending and self._exists(self._into):
            joined = self._compose("LEFT JOIN {into} m ON m.{key} = t.{key}")
            lacking = self._compose("AND m.{key} IS NULL")
        return self._compose(
            "FROM {table} t {joined} WHERE t.{vector} IS NOT NULL {lacking}",
            joined=joined,
            lacking=lacking,
        )

    def _primary_key(self) -> str:
        found = self._execute(
            "SELECT a.attname FROM pg_index i "
            "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) "
            "WHERE i.indrelid = %s::regclass AND i.indisprimary",
            [self._table.as_string(self.connection)],
        ).fetchall()
        if len(found) != 1:
            reason = "no primary key" if not found else "a primary key of several columns"
            raise StoreError(
                f"{self.source!r} has {reason}; name a unique column (key=..., on the command line --key)."
            )
        return found[0][0]

    def _columns_of(self, table) -> dict[str, str]:
        if not self._exists(table):
            raise StoreError(f"there is no table {self.source!r} in the database.")
        return dict(
            self._execute(
                "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
                "WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
                [table.as_string(self.connection)],
            ).fetchall()
        )

    def _require_column(self, column: str) -> None:
        if column not in self._columns:
            hint = close_matches(column, self._columns)
            raise StoreError(
                f"{self.source!r} has no column {column!r}.{hint} It has: {', '.join(self._columns)}."
            )

    def _exists(self, table) -> bool:
        return self._value("SELECT to_regclass(%s)::text", [table.as_string(self.connection)]) is not None

    def _named(self, name: str):
        return self._sql.Identifier(*self._place, name)

    def _name(self, name):
        return self._sql.Identifier(name)

    def _compose(self, text: str, *parts, **named):
        """A statement in which {table}, {into}, {key} and {vector} are those of this store."""
        usual = {"table": self._table, "into": self._into}
        usual |= {"key": self._name(self.key), "vector": self._name(self.vector)}
        return self._sql.SQL(text).format(*parts, **usual | named)

    def _execute(self, command, values=None):
        return self.connection.execute(command, values)

    def _value(self, command, values=None):
        return self._execute(command, values).fetchone()[0]


def _client():
    try:
        import psycopg
        import psycopg.sql
        from pgvector.psycopg import register_vector
    except ImportError as error:
        raise StoreError("PostgreSQL needs psycopg and pgvector: pip install 'nearkin[stores]'.") from error
    return psycopg, register_vector


def _plain(vector):
    """Vectors of pgvector's own types as arrays; arrays of numbers stay lists."""
    return vector.to_numpy() if hasattr(vector, "to_numpy") else vector
