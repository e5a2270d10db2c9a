"""Results on disk: every finished task is committed to SQLite the moment it ends."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nearkin.evaluation.problems import Problem
from nearkin.evaluation.results import FAILURES, NOT_RUN, Record
from nearkin.evaluation.rows import (
    ARRAYS,
    COLUMN_DEFINITIONS,
    COLUMNS,
    FILE_COLUMNS,
    column_type,
    pack_array,
    plain,
    to_record,
    to_row,
    unpack_array,
)
from nearkin.evaluation.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1
# "NEAR" in ASCII, written into the file header so that foreign databases are recognised.
APPLICATION_ID = 0x4E454152
BUSY_SECONDS = 60.0

_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS tasks (
    key TEXT PRIMARY KEY,
    problem TEXT,
    {COLUMN_DEFINITIONS}
);
CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY, description TEXT, created_at TEXT);
CREATE TABLE IF NOT EXISTS run_tasks (run TEXT, position INTEGER, key TEXT, PRIMARY KEY (run, position));
CREATE TABLE IF NOT EXISTS problems (
    fingerprint TEXT PRIMARY KEY, name TEXT, task TEXT, n_rows INTEGER, n_features INTEGER, targets BLOB
);
CREATE TABLE IF NOT EXISTS artifacts (run TEXT, name TEXT, content TEXT, PRIMARY KEY (run, name));
"""


class ResultsFileError(OSError):
    """The results file cannot be used; the message names the file, the problem and the remedy."""


def _explained(path: str, error: sqlite3.Error) -> Exception:
    """An SQLite error as a message with a remedy."""
    text = str(error).lower()
    if "full" in text or "disk i/o" in text:
        problem, remedy = "the disk is full", "free some space and run it again: what is finished is kept"
    elif "locked" in text or "busy" in text:
        problem = "another program is holding it"
        remedy = "wait for it to end, or choose another file"
    elif "readonly" in text or "read-only" in text:
        problem, remedy = "it is read-only", "change its permissions, or choose another file"
    elif "unable to open" in text:
        problem, remedy = "it cannot be opened", "look at the permissions of the file and its folder"
    elif "malformed" in text:
        problem, remedy = "it is damaged", "choose another file, or restore this one"
    elif isinstance(error, sqlite3.OperationalError):
        problem, remedy = f"SQLite says: {error}", "choose another file"
    else:
        return ValueError(f"{path} is not a nearkin results file ({error}); choose another file.")
    return ResultsFileError(f"results cannot be kept in {path}: {problem}; {remedy}.")


class ResultsStore:
    """Results of comparisons in one SQLite file, safe to share between threads and processes.

    Open one with `ResultsStore.open(path)`; without a path it lives in memory only. The file is in
    write-ahead mode, so it must be on a local disk. Reading never runs anything again.

    Examples
    --------
    >>> store = ResultsStore.open()
    >>> store.results()
    []
    """

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self._lock = threading.RLock()
        self.path = path

    @classmethod
    def open(cls, path: str | PathLike | None = None, busy_seconds: float = BUSY_SECONDS) -> ResultsStore:
        """Open a results file, created if there is none; None keeps everything in memory.

        Waits up to `busy_seconds` for others that write to the file. Raises ValueError if the file holds
        anything but nearkin results, and ResultsFileError if it cannot be used.
        """
        location = ":memory:" if path is None else str(path)
        if path is not None and not Path(path).parent.is_dir():
            raise FileNotFoundError(f"there is no folder {Path(path).parent} to keep {Path(path).name} in.")
        try:
            # Autocommit: every transaction below is explicit.
            connection = sqlite3.connect(
                location, timeout=busy_seconds, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise _explained(location, error) from error
        connection.row_factory = sqlite3.Row
        store = cls(connection, location)
        try:
            store._prepare(busy_seconds)
        except BaseException:
            connection.close()
            raise
        return store

    def _prepare(self, busy_seconds: float) -> None:
        with self._explaining():
            _retry_while_locked(
                lambda: self._connection.execute("PRAGMA journal_mode = WAL").fetchone(), busy_seconds
            )
            # Committed results survive however the process dies; a power cut may cost the last few of
            # them, never the file.
            self._connection.execute("PRAGMA synchronous = NORMAL")
        with self._transaction() as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            application = connection.execute("PRAGMA application_id").fetchone()[0]
            n_tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if n_tables and application != APPLICATION_ID:
                raise ValueError(f"{self.path} is a database of another program, not nearkin results.")
            if version > SCHEMA_VERSION:
                raise ValueError(f"{self.path} was written by a newer nearkin; upgrade to read it.")
            if not n_tables:
                for statement in _SCHEMA.split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            known = {row["name"] for row in connection.execute("PRAGMA table_info(tasks)")}
            for name in FILE_COLUMNS:
                if name not in known:
                    connection.execute(f"ALTER TABLE tasks ADD COLUMN {name} {column_type(name)}")
            # Earlier versions marked tasks as running; a run that died left such marks behind.
            connection.execute("UPDATE tasks SET status = ? WHERE status = 'running'", (NOT_RUN,))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._explaining():
            # Immediate: with the write lock taken now, what is read here holds until it is written.
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk has rolled it back already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Errors of SQLite with the file's name and a remedy."""
        try:
            yield
        except sqlite3.Error as error:
            raise _explained(self.path, error) from error

    def _query(self, statement: str, values: Sequence = ()) -> list[sqlite3.Row]:
        with self._lock, self._explaining():
            return self._connection.execute(statement, values).fetchall()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __enter__(self) -> ResultsStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What the runner writes

    def register(
        self, run: str, tasks: Sequence[Task], description: Mapping, positions: Sequence[int] | None = None
    ) -> None:
        """Register a run and its tasks, or more tasks of it; those already there keep their results.

        `positions` are the tasks' places in the run, by default in the order given.
        """
        positions = range(len(tasks)) if positions is None else positions
        problems: dict[str, Problem] = {task.problem.fingerprint: task.problem for task in tasks}
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO problems VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (key, found.name, found.task, *found.X.shape, pack_array(found.y))
                    for key, found in problems.items()
                ],
            )
            connection.executemany(
                f"INSERT OR IGNORE INTO tasks (problem, {', '.join(FILE_COLUMNS)}) "
                f"VALUES ({', '.join('?' * (len(COLUMNS) + 1))})",
                [(task.problem.fingerprint, *to_row(Record.of_task(task))) for task in tasks],
            )
            connection.execute(
                "INSERT INTO runs VALUES (?, ?, ?) "
                "ON CONFLICT (run) DO UPDATE SET description = excluded.description",
                (run, json.dumps(dict(description)), _now()),
            )
            connection.executemany(
                "INSERT OR IGNORE INTO run_tasks VALUES (?, ?, ?)",
                [(run, position, task.key) for position, task in zip(positions, tasks, strict=True)],
            )

    def free_failed(self, keys: Iterable[str], failures: Iterable[str]) -> None:
        """Reset tasks that ended with one of these failures, so that they are tried once more."""
        chosen = [(NOT_RUN, key, failure) for key in keys for failure in failures if failure in FAILURES]
        if chosen:
            with self._transaction() as connection:
                connection.executemany(
                    "UPDATE tasks SET status = ?, error = NULL WHERE key = ? AND status = ?", chosen
                )

    def finish(self, record: Record) -> bool:
        """Commit an outcome; False if the task has one already, which then stands."""
        record.finished_at = _now()
        assignments = ", ".join(f"{name} = ?" for name in FILE_COLUMNS)
        with self._transaction() as connection:
            return bool(
                connection.execute(
                    f"UPDATE tasks SET {assignments} WHERE key = ? AND status = ?",
                    (*to_row(record), record.key, NOT_RUN),
                ).rowcount
            )

    # What anyone may read

    def results(self, run: str | None = None, arrays: bool = True) -> list[Record]:
        """Records of a run in their planned order, or of everything in the file.

        Tasks not finished have the status "not run"; `arrays=False` leaves out predictions and
        neighbours.
        """
        columns = ", ".join(
            f"{f'tasks.{column}' if arrays or name not in ARRAYS else 'NULL'} AS {name}"
            for name, column in zip(COLUMNS, FILE_COLUMNS)
        )
        if run is None:
            rows = self._query(f"SELECT {columns} FROM tasks ORDER BY rowid")
        else:
            rows = self._query(
                f"SELECT {columns} FROM run_tasks JOIN tasks USING (key) WHERE run = ? ORDER BY position",
                (run,),
            )
        return [to_record(dict(row)) for row in rows]

    def frame(self, run: str | None = None) -> pd.DataFrame:
        """The records without their arrays as a pandas DataFrame."""
        import pandas as pd

        columns = [name for name in COLUMNS if name not in ARRAYS]
        found = self.results(run, arrays=False)
        return pd.DataFrame(
            [{name: getattr(record, name) for name in columns} for record in found], columns=columns
        )

    def status(self, key: str) -> str:
        """Status of a task."""
        return self._query("SELECT status FROM tasks WHERE key = ?", (key,))[0]["status"]

    def runs(self) -> list[dict]:
        """All runs in the file, oldest first: their name, description and time."""
        rows = self._query("SELECT * FROM runs ORDER BY rowid")
        return [{**dict(row), "description": json.loads(row["description"])} for row in rows]

    def targets(self, run: str, dataset: str | None = None) -> np.ndarray:
        """Labels or targets of the data of a run, row by row; of its first data set by default."""
        rows = self._query(
            "SELECT targets FROM run_tasks JOIN tasks USING (key) JOIN problems ON problem = fingerprint "
            "WHERE run = ? AND (dataset = ? OR ? IS NULL) ORDER BY position LIMIT 1",
            (run, dataset, dataset),
        )
        if not rows:
            about = "" if dataset is None else f" about {dataset!r}"
            raise KeyError(f"there is no run {run!r}{about} in {self.path}.")
        targets = unpack_array(rows[0]["targets"])
        assert targets is not None  # every problem is registered with its targets
        return targets

    def put_artifact(self, run: str, name: str, content: Any) -> None:
        """Keep plain values beside a run, such as the views of its report."""
        with self._transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO artifacts VALUES (?, ?, ?)", (run, name, json.dumps(plain(content)))
            )

    def artifact(self, run: str, name: str) -> Any:
        """What `put_artifact` kept, or None."""
        rows = self._query("SELECT content FROM artifacts WHERE run = ? AND name = ?", (run, name))
        return json.loads(rows[0]["content"]) if rows else None


def _retry_while_locked(action, seconds: float) -> None:
    """Changing the journal mode does not wait for others by itself."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            action()
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
