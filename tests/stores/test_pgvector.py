"""What only PostgreSQL has: other column types, keys, schemas and the view that switches."""

import signal
import subprocess
import sys

import numpy as np
import pytest

from nearkin import save
from nearkin.stores import Mover, PgVectorStore, StoreError, check_moved, move_rows

N, WIDTH = 300, 12


def kinds_by_view(tables, query):
    return tables.connection.execute(
        "SELECT id FROM items_search ORDER BY embedding <-> %s::real[]::vector LIMIT 10", [query.tolist()]
    ).fetchall()


def test_the_view_switches_there_and_back(pg_tables, rows, learner):
    X, y = rows
    pg_tables.make(X[:N], y[:N])
    with pg_tables.open() as store:
        move_rows(store, learner)
        for which in ("moved", "raw", "moved"):
            store.use(which)
            found = [row[0] for row in kinds_by_view(pg_tables, X[N])]
            assert found == store.search(X[N], 10, which=which, exact=True)
        assert store.search(X[N], 10) != store.search(X[N], 10, which="raw")
        store.forget()
    assert pg_tables.connection.execute("SELECT to_regclass('items_search')").fetchone()[0] is None


@pytest.mark.parametrize("kind", [f"halfvec({WIDTH})", "real[]", "double precision[]", "vector"])
def test_other_column_types_are_moved_too(pg_tables, rows, learner, kind):
    X, y = rows
    pg_tables.make(X[:0], y[:0], kind=kind)
    cast = "real[]" if "[]" in kind else f"real[]::{kind}"
    with pg_tables.connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO items VALUES (%s, %s::{cast}, %s)",
            [(at, X[at].tolist(), str(y[at])) for at in range(40)],
        )
    with pg_tables.open() as store:
        assert move_rows(store, learner).moved == 40
        assert check_moved(store).is_sound
        store.use("moved")
        store.use("raw")
        assert store.search(X[3], 1, which="raw", exact=True) == [3]


@pytest.mark.parametrize(
    ("bad", "said"),
    [("'{1,2,NaN,4,5,6,7,8,9,10,11,12}'", "missing or infinite"), ("'{1,2,3}'", "has 3 values, but 12")],
)
def test_unsound_rows_are_named_by_their_key(pg_tables, rows, learner, bad, said):
    X, y = rows
    pg_tables.make(X[:0], y[:0], kind="real[]")
    for at in range(20):
        pg_tables.connection.execute("INSERT INTO items VALUES (%s, %s::real[], 'a')", [at, X[at].tolist()])
    pg_tables.connection.execute(f"INSERT INTO items VALUES (4711, {bad}, 'a')")
    with pg_tables.open() as store, pytest.raises(StoreError, match=f"id = 4711 .*{said}"):
        move_rows(store, learner)


def test_rows_without_a_vector_are_passed_over(pg_tables, rows, learner):
    X, y = rows
    pg_tables.make(X[:20], y[:20])
    pg_tables.connection.execute("INSERT INTO items VALUES (999, NULL, 'music')")
    with pg_tables.open() as store:
        assert move_rows(store, learner).total == 20
        assert store.count(pending=True) == 0


def test_text_keys_in_another_schema(pg_tables, rows, learner):
    X, _ = rows
    pg_tables.connection.execute('DROP SCHEMA IF EXISTS "my shop" CASCADE; CREATE SCHEMA "my shop"')
    pg_tables.connection.execute(f'CREATE TABLE "my shop".goods (sku text PRIMARY KEY, v vector({WIDTH}))')
    for at in range(30):
        pg_tables.connection.execute(
            'INSERT INTO "my shop".goods VALUES (%s, %s::real[]::vector)',
            [f"Ä-{at % 7}-{at}", X[at].tolist()],
        )
    with PgVectorStore(pg_tables.url, "my shop.goods", "v", into="goods_moved") as store:
        assert move_rows(store, learner, rows=7).moved == 30
        assert check_moved(store, rows=4).is_sound


def test_names_that_do_not_exist_are_answered_with_those_that_do(pg_tables, rows):
    X, y = rows
    pg_tables.make(X[:5], y[:5])
    with pytest.raises(StoreError, match="no table 'itms'"):
        PgVectorStore(pg_tables.url, "itms", "embedding", into="m")
    with pytest.raises(StoreError, match="Did you mean 'embedding'"):
        PgVectorStore(pg_tables.url, "items", "embeding", into="m")
    with pytest.raises(StoreError, match="not a vector"):
        PgVectorStore(pg_tables.url, "items", "kind", into="m")
    with pytest.raises(StoreError, match="cannot be reached"):
        PgVectorStore("postgresql:///?host=/nowhere", "items", "embedding", into="m")


KILLED = """
import os, signal, sys
from nearkin import load
from nearkin.stores import PgVectorStore, move_rows

def kill(done, total):
    if done >= 100:
        os.kill(os.getpid(), signal.SIGKILL)

store = PgVectorStore(sys.argv[1], "items", "embedding", into="items_moved")
move_rows(store, load(sys.argv[2]), rows=20, progress=kill)
"""


@pytest.mark.slow
def test_a_killed_process_leaves_whole_blocks_and_the_model(pg_tables, rows, learner, tmp_path):
    X, y = rows
    pg_tables.make(X[:N], y[:N])
    save(learner, tmp_path / "m.nearkin")
    script = [sys.executable, "-c", KILLED, pg_tables.url, str(tmp_path / "m.nearkin")]
    assert subprocess.run(script, timeout=120).returncode == -signal.SIGKILL
    with pg_tables.open(label=None) as store:
        assert store.count(pending=True) == N - 100
        assert move_rows(store).moved == N - 100
        keys = list(range(1, N + 1))
        found = store.moved_vectors(keys)
    np.testing.assert_array_equal(np.array([found[key] for key in keys]), Mover(learner)(X[:N]))


def test_the_index_itself_finds_what_an_exact_scan_finds(pg_tables, rows, learner):
    X, y = rows
    pg_tables.make(X[:N], y[:N])
    with pg_tables.open() as store:
        move_rows(store, learner)
        store.build_index()
        # Of so few rows PostgreSQL would rather read all than use the index.
        store.connection.execute("SET enable_seqscan = off")
        plan = store.connection.execute(
            "EXPLAIN SELECT id FROM items_moved ORDER BY embedding <-> %s::real[]::vector LIMIT 10",
            [X[N].tolist()],
        ).fetchall()
        assert "items_moved_hnsw" in str(plan)
        shares = [len({*store.search(q, 10)} & {*store.search(q, 10, exact=True)}) / 10 for q in X[N:]]
    assert np.mean(shares) >= 0.99
