from __future__ import annotations

import sqlite3
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from nearkin.evaluation import Candidate, Problem, ResultsStore, StratifiedFolds, plan_tasks, run_tasks
from nearkin.evaluation.owners import LEASE_SECONDS, Owner
from nearkin.evaluation.runner import run_name
from nearkin.evaluation.tasks import Record


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


def test_a_task_is_claimed_once(tasks):
    with ResultsStore.open() as store:
        store.register("run", tasks, {})
        one, two = Owner.of_this_process(), Owner.of_this_process()
        store.join(one)
        store.join(two)
        key = tasks[0].key
        assert store.claim(key, one) == "claimed"
        assert store.claim(key, two) == "running"
        store.release(key, two)  # not its own
        assert store.claim(key, two) == "running"
        store.release(key, one)
        assert store.claim(key, two) == "claimed"
        assert not store.finish(Record.of_task(tasks[0], status="done", score=0.1), one)
        assert store.finish(Record.of_task(tasks[0], status="done", score=0.9), two)
        assert store.claim(key, one) == "done"
        assert store.results("run")[0].score == 0.9


def test_tasks_of_the_dead_are_freed_and_those_of_the_living_are_not(tasks):
    alive = Owner.of_this_process()
    reused_process_number = replace(alive, name="old", started="1")
    silent_elsewhere = replace(alive, name="far", machine="another")
    beating_elsewhere = replace(alive, name="near", machine="another")
    assert alive.is_alive(last_heartbeat=0.0)
    assert not reused_process_number.is_alive(time.time())
    assert not silent_elsewhere.is_alive(time.time() - LEASE_SECONDS - 1)
    assert beating_elsewhere.is_alive(time.time())
    with ResultsStore.open() as store:
        store.register("run", tasks, {})
        for owner, task in zip((alive, reused_process_number, beating_elsewhere), tasks, strict=True):
            store.join(owner)
            store.claim(task.key, owner)
        store.free_abandoned()
        assert list(store.statuses(task.key for task in tasks).values()) == ["running", "not run", "running"]
        store.leave(alive)
        assert list(store.statuses(task.key for task in tasks).values()) == ["not run", "not run", "running"]


def test_threads_may_share_a_store(tasks, tmp_path):
    with ResultsStore.open(tmp_path / "runs.sqlite") as store:
        store.register("run", tasks, {})
        owners = [Owner.of_this_process() for _ in range(8)]
        claims = []
        threads = [
            threading.Thread(
                target=lambda owner=owner: claims.extend(store.claim(t.key, owner) for t in tasks)
            )
            for owner in owners
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert claims.count("claimed") == 3


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
