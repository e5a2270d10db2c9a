from __future__ import annotations

import sqlite3
import threading

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from nearkin.evaluation import Candidate, Problem, ResultsStore, StratifiedFolds, plan_tasks, run_tasks
from nearkin.evaluation.results import Record
from nearkin.evaluation.runner import run_name


@pytest.fixture(scope="module")
def tasks():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)
    return plan_tasks(
        Problem("iris", X, names[y]), [Candidate("Euclid", KNeighborsClassifier())], StratifiedFolds(3)
    )


def test_records_come_back_as_they_were(tasks, tmp_path):
    with ResultsStore.open(tmp_path / "runs.sqlite") as store:
        written = run_tasks(tasks, store=store, isolate=False, description={"why": "test"})
    with ResultsStore.open(tmp_path / "runs.sqlite") as store:
        read = store.results(run_name(tasks))
        frame = store.frame()
        assert store.runs()[0]["description"] == {"why": "test"}
        assert store.targets(run_name(tasks)).tolist() == tasks[0].problem.y.tolist()
        assert len(store.targets(run_name(tasks), "iris")) == 150
        light = store.results(run_name(tasks), arrays=False)
    assert len(read) == 3
    for one, two in zip(written, read, strict=True):
        for name, value in vars(one).items():
            assert np.array_equal(value, getattr(two, name)), name
    assert read[0].versions["scikit-learn"]
    assert read[0].protocol == {"protocol": "StratifiedFolds", "n_folds": 3, "n_repeats": 1}
    assert frame["score"].between(0.9, 1).all()
    assert light[0].predictions is None
    assert light[0].score == read[0].score


def test_the_first_outcome_of_a_task_stands(tasks):
    with ResultsStore.open() as store:
        store.register("run", tasks, {})
        assert store.status(tasks[0].key) == "not run"
        assert store.finish(Record.of_task(tasks[0], status="done", score=0.9))
        assert not store.finish(Record.of_task(tasks[0], status="error", error="late"))
        assert store.results("run")[0].score == 0.9
        assert store.status(tasks[0].key) == "done"
        store.free_failed([tasks[0].key], ["error"])
        assert store.status(tasks[0].key) == "done"


def test_threads_may_share_a_store(tasks, tmp_path):
    with ResultsStore.open(tmp_path / "runs.sqlite") as store:
        store.register("run", tasks, {})
        counted = []

        def finish_all():
            counted.extend(store.finish(Record.of_task(task, status="done", score=0.5)) for task in tasks)

        threads = [threading.Thread(target=finish_all) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {record.status for record in store.results("run")} == {"done"}
    assert (counted.count(True), counted.count(False)) == (3, 21)


def test_tasks_marked_by_runs_of_earlier_versions_are_open_again(tasks, tmp_path):
    path = tmp_path / "runs.sqlite"
    with ResultsStore.open(path) as store:
        store.register("run", tasks, {})
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE tasks SET status = 'running'")
    with ResultsStore.open(path) as store:
        assert {record.status for record in store.results("run")} == {"not run"}


def test_foreign_files_are_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to have a header of its own" * 10)
    with pytest.raises(ValueError, match="not a nearkin results file"):
        ResultsStore.open(text)
    assert text.read_text().startswith("not a database")
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE secrets (value TEXT)")
    with pytest.raises(ValueError, match="another program"):
        ResultsStore.open(foreign)
    with pytest.raises(FileNotFoundError, match="no folder"):
        ResultsStore.open(tmp_path / "missing" / "runs.sqlite")


def test_files_of_a_newer_version_are_refused(tmp_path):
    path = tmp_path / "runs.sqlite"
    ResultsStore.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(ValueError, match="newer nearkin"):
        ResultsStore.open(path)


def test_files_from_before_a_column_are_read_and_written(tasks, tmp_path):
    path = tmp_path / "runs.sqlite"
    with ResultsStore.open(path) as store:
        run_tasks(tasks[:1], store=store, isolate=False)
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE tasks DROP COLUMN figures")
    with ResultsStore.open(path) as store:
        assert [record.figures for record in store.results()] == [{}]
        assert [record.status for record in run_tasks(tasks, store=store, isolate=False)] == ["done"] * 3


def test_artifacts_are_kept_beside_a_run():
    with ResultsStore.open() as store:
        assert store.artifact("run", "view") is None
        store.put_artifact("run", "view", {"points": [[0.5, 1.0]]})
        store.put_artifact("run", "view", {"points": [[0.5, 2.0]]})
        assert store.artifact("run", "view") == {"points": [[0.5, 2.0]]}
        with pytest.raises(KeyError, match="no run"):
            store.targets("missing", "iris")


def test_a_full_disk_loses_nothing_that_was_finished(tasks, tmp_path):
    path = tmp_path / "runs.sqlite"
    with ResultsStore.open(path) as store:
        store.register("run", tasks, {})
        store.finish(Record.of_task(tasks[0], status="done", score=0.5))
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        large = Record.of_task(
            tasks[1], status="done", score=0.5, predictions=np.random.default_rng(0).random(9999)
        )
        with pytest.raises(OSError, match=r"runs.sqlite: the disk is full; free some space"):
            store.finish(large)
        store._connection.execute("PRAGMA max_page_count = 100000")
        assert store.finish(large)  # the transaction that failed has left no trace
    with ResultsStore.open(path) as store:
        assert [record.status for record in store.results("run")] == ["done", "done", "not run"]


def test_a_file_that_another_program_holds_is_named(tasks, tmp_path):
    path = tmp_path / "runs.sqlite"
    with ResultsStore.open(path) as store:
        store.register("run", tasks, {})
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(OSError, match=r"runs.sqlite: another program is holding it; wait"):
        ResultsStore.open(path, busy_seconds=0.05)
    holder.execute("ROLLBACK")
    holder.close()
    ResultsStore.open(path).close()


def test_a_file_that_may_not_be_written_is_named(tasks, tmp_path):
    path = tmp_path / "runs.sqlite"
    with ResultsStore.open(path) as store:
        store.register("run", tasks, {})
        store._connection.execute("PRAGMA query_only = 1")
        with pytest.raises(OSError, match=r"runs.sqlite: it is read-only; change its permissions"):
            store.finish(Record.of_task(tasks[0], status="done", score=0.5))
    with pytest.raises(OSError, match="it cannot be opened; look at the permissions"):
        ResultsStore.open(tmp_path)
