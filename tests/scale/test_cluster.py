"""A comparison on a cluster of processes: the table of one machine, also when a worker is lost."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from nearkin.evaluation import Candidate, StratifiedFolds, compare_candidates
from nearkin.scale.cluster import ClusterError, ClusterPolicy, ClusterPool
from nearkin.study import compare as study_of

distributed = pytest.importorskip("distributed")


class SlowNeighbours(KNeighborsClassifier):
    """Takes its time, and leaves a note of whose process it is in."""

    def __init__(self, n_neighbors=5, notes=None):
        super().__init__(n_neighbors)
        self.notes = notes

    def fit(self, X, y):
        if self.notes is not None:
            with open(os.path.join(self.notes, str(os.getppid())), "a") as file:
                file.write("x")
            time.sleep(0.15)
        return super().fit(X, y)


def table(comparison):
    return [(row.label, row.mean, row.scores, row.verdict) for row in comparison.rows]


def test_the_table_of_a_cluster_is_that_of_one_machine():
    X, y = load_iris(return_X_y=True)
    settings = {"learners": "RCA", "folds": 2, "repeats": 1, "time_budget": None, "name": "iris"}
    here = study_of(X, y, isolate=False, **settings)
    # Threads of this process in the place of workers: folds are measured in processes of their own anyway.
    with distributed.LocalCluster(
        1, threads_per_worker=1, processes=False, dashboard_address=None, memory_limit=0
    ) as cluster:
        there = study_of(X, y, scheduler=cluster.scheduler_address, **settings)
    assert table(there.comparison) == table(here.comparison)
    for a, b in zip(here.records, there.records):
        assert a.key == b.key
        np.testing.assert_array_equal(a.predictions, b.predictions)


@pytest.mark.slow
def test_a_lost_worker_costs_nothing_but_time(tmp_path):
    X, y = load_iris(return_X_y=True)

    def candidates(notes):
        return [Candidate(name, SlowNeighbours(k, notes)) for name, k in (("Euclid", 5), ("one", 1))]

    here = compare_candidates(X, y, candidates(None), StratifiedFolds(5), isolate=False)
    killed = []

    def kill_one():
        while not killed:
            busy = [int(file.name) for file in tmp_path.iterdir() if file.stat().st_size >= 2]
            if busy:
                killed.append(busy[0])
                os.kill(busy[0], signal.SIGKILL)
            time.sleep(0.02)

    killer = threading.Thread(target=kill_one, daemon=True)
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster,
        ClusterPool(cluster, policy=ClusterPolicy(look_seconds=0.2)) as pool,
    ):
        killer.start()
        there = compare_candidates(X, y, candidates(str(tmp_path)), StratifiedFolds(5), pool=pool)
    assert killed
    assert table(there) == table(here)


def test_what_is_not_there_is_named():
    with pytest.raises(ClusterError, match="no Dask scheduler"):
        ClusterPool("tcp://127.0.0.1:1", policy=ClusterPolicy(connect_seconds=0.5))


def test_a_cluster_without_workers_does_not_hang():
    X, y = load_iris(return_X_y=True)
    candidates = [Candidate("Euclid", KNeighborsClassifier(5))]
    with distributed.LocalCluster(
        1, threads_per_worker=1, processes=False, dashboard_address=None, memory_limit=0
    ) as empty:
        pool = ClusterPool(empty, policy=ClusterPolicy(look_seconds=0.1, empty_seconds=0.5))
        empty.scale(0)
        while pool.client.nthreads():
            time.sleep(0.05)
        with pool, pytest.raises(ClusterError, match="no workers left"):
            compare_candidates(X, y, candidates, StratifiedFolds(3), pool=pool)
