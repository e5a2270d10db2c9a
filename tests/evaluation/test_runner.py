from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.evaluation.awkward import LOG_VARIABLE, awkward_classifier

from nearkin.evaluation import Candidate, Problem, ResultsStore, StratifiedFolds, plan_tasks, run_tasks
from nearkin.evaluation.runner import run_name

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork to kill runs cheaply")


@pytest.fixture(scope="module")
def problem():
    X, y = load_iris(return_X_y=True)
    return Problem("iris", X, np.array(["setosa", "versicolor", "virginica"])[y])


def cheap_candidates():
    knn = make_pipeline(StandardScaler(), KNeighborsClassifier())
    return [
        Candidate("Euclid", knn, {"kneighborsclassifier__n_neighbors": [1, 5]}),
        Candidate("Tree", DecisionTreeClassifier(max_features=2)),
        Candidate("Slow", awkward_classifier("doze")),
    ]


def table(records):
    """What must be the same however a run went."""
    return [
        (r.key, r.label, r.fold, r.status, r.score, r.hub_skewness, r.chosen, r.predictions.tolist())
        for r in records
    ]


def in_child(tasks, path, log, **how):
    """Run the tasks in a forked process, which can be killed."""
    # A shell starts background jobs deaf to Ctrl-C, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ[LOG_VARIABLE] = str(log)
    with ResultsStore.open(path) as store:
        run_tasks(tasks, store=store, **how)


def start(*arguments, **how):
    process = multiprocessing.get_context("fork").Process(target=in_child, args=arguments, kwargs=how)
    process.start()
    return process


def n_lines(path):
    return len(path.read_text().splitlines()) if path.exists() else 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_run_killed_ten_times_ends_with_the_same_table(problem, tmp_path):
    tasks = plan_tasks(problem, cheap_candidates(), StratifiedFolds(17, n_repeats=2), seed=3)
    expected = table(run_tasks(tasks, isolate=False))
    path, log = tmp_path / "runs.sqlite", tmp_path / "fits.log"
    chance, kills, finished_before = random.Random(0), 0, 0
    process = start(tasks, path, log, isolate=False)
    while kills < 10:
        time.sleep(chance.uniform(0.02, 0.2))
        if process.exitcode is not None:
            break
        process.kill()
        process.join()
        kills += 1
        with ResultsStore.open(path) as store:
            finished = sum(record.status == "done" for record in store.results(arrays=False))
        assert finished >= finished_before
        finished_before = finished
        process = start(tasks, path, log, isolate=False)
    process.join()
    assert process.exitcode == 0
    assert kills >= 3
    with ResultsStore.open(path) as store:
        assert table(store.results(run_name(tasks))) == expected
    # Only a task that was under way at a kill may have been begun again.
    assert n_lines(log) <= 34 + kills


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_workers_die_with_a_killed_run_and_the_next_one_continues(problem, tmp_path):
    candidates = [Candidate("Slow", awkward_classifier("doze"))]
    tasks = plan_tasks(problem, candidates, StratifiedFolds(10, n_repeats=8), seed=3)
    path, log = tmp_path / "runs.sqlite", tmp_path / "fits.log"
    process = start(tasks, path, log, jobs=2)
    while n_lines(log) < 20:
        time.sleep(0.02)
        assert process.exitcode is None
    process.kill()
    process.join()
    workers = {int(line) for line in log.read_text().splitlines()}
    deadline = time.monotonic() + 10
    while any(is_running(worker) for worker in workers):
        assert time.monotonic() < deadline, "orphaned workers go on"
        time.sleep(0.02)
    begun = n_lines(log)
    with ResultsStore.open(path) as store:
        done = sum(record.status == "done" for record in store.results(arrays=False))
        assert done >= begun - 2
        os.environ[LOG_VARIABLE] = str(log)
        records = run_tasks(tasks, store=store, isolate=False)
    assert {record.status for record in records} == {"done"}
    assert n_lines(log) == begun + len(tasks) - done


def is_running(pid):
    try:
        os.kill(pid, 0)
        # An orphan that nobody has collected yet is dead all the same.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_two_runs_on_one_file_lose_nothing(problem, tmp_path):
    candidates = [Candidate("Slow", awkward_classifier("doze")), *cheap_candidates()[:2]]
    tasks = plan_tasks(problem, candidates, StratifiedFolds(10, n_repeats=2), seed=0)
    expected = table(run_tasks(tasks, isolate=False))
    path, log = tmp_path / "runs.sqlite", tmp_path / "fits.log"
    # Opposite orders: each meets, half way, what the other has done.
    orders = (tasks, tasks[::-1], tasks)
    processes = [start(tasks, path, log, isolate=False, order=order) for order in orders]
    processes[2].kill()  # whatever it was doing
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes[:2]] == [0, 0]
    with ResultsStore.open(path) as store:
        assert table(store.results(run_name(tasks))) == expected
        assert len(store.results()) == len(tasks)
    # A task may be done by both at the same time, but what is finished is not begun again.
    assert n_lines(log) < 2 * 20


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_jobs(problem):
    tasks = plan_tasks(problem, cheap_candidates(), StratifiedFolds(4), seed=1)
    here = table(run_tasks(tasks, isolate=False))
    assert table(run_tasks(tasks, jobs=1)) == here
    assert table(run_tasks(tasks, jobs=2)) == here


def test_the_seed_decides_what_is_random(problem):
    def scores(seed):
        candidates = [Candidate("Tree", DecisionTreeClassifier(max_features=1))]
        tasks = plan_tasks(problem, candidates, StratifiedFolds(5), seed)
        return [record.score for record in run_tasks(tasks, isolate=False)]

    assert scores(0) == scores(0)
    assert scores(0) != scores(1)


def test_failures_are_recorded_and_the_rest_goes_on(problem):
    troubles = ["raise", "die", "sleep", "print"]
    if sys.platform.startswith("linux"):
        troubles.append("eat")
    candidates = [Candidate(trouble, awkward_classifier(trouble)) for trouble in troubles]
    tasks = plan_tasks(problem, candidates, StratifiedFolds(2), seed=0)
    order = [task for task in tasks if task.split.fold == 0]
    records = run_tasks(tasks, order=order, task_seconds=0.7, task_memory=2**30)
    found = {record.label: record for record in records if record.fold == "0.0"}
    assert found["raise"].status == "error"
    assert "this estimator always fails" in found["raise"].error
    assert found["die"].status == "crash"
    assert "Segmentation fault" in found["die"].error
    assert found["sleep"].status == "timeout"
    assert "0.7 s" in found["sleep"].error
    assert found["print"].status == "done"
    if "eat" in found:
        assert found["eat"].status == "memory"
    assert {record.status for record in records if record.fold == "0.1"} == {"not run"}


def test_failed_tasks_are_tried_again_only_on_request(problem, tmp_path, monkeypatch):
    monkeypatch.setenv(LOG_VARIABLE, str(tmp_path / "fits.log"))
    tasks = plan_tasks(problem, [Candidate("raise", awkward_classifier("raise"))], StratifiedFolds(2), seed=0)
    with ResultsStore.open() as store:
        run_tasks(tasks, store=store, isolate=False)
        run_tasks(tasks, store=store, isolate=False)
        assert n_lines(tmp_path / "fits.log") == 2
        run_tasks(tasks, store=store, isolate=False, retry=("error",))
        assert n_lines(tmp_path / "fits.log") == 4


def test_the_time_budget_stops_a_fit_under_way_without_blaming_it(problem):
    tasks = plan_tasks(problem, [Candidate("sleep", awkward_classifier("sleep"))], StratifiedFolds(2), seed=0)
    records = run_tasks(tasks, deadline=time.monotonic() + 0.1)
    assert [record.status for record in records] == ["not run", "not run"]
    assert all(record.error is None for record in records)


def test_progress_counts_and_estimates(problem):
    tasks = plan_tasks(problem, cheap_candidates(), StratifiedFolds(3), seed=0)
    seen = []
    with ResultsStore.open() as store:
        run_tasks(tasks, store=store, isolate=False, progress=seen.append)
        assert [one.done for one in seen] == list(range(1, 10))
        assert seen[-1].remaining == 0.0
        assert seen[3].remaining > 0
        seen.clear()
        run_tasks(tasks, store=store, isolate=False, progress=seen.append)
        assert seen[-1].done == seen[-1].total == 9
        assert {one.status for one in seen} == {"done"}


def test_an_interrupt_gives_the_tasks_back(problem, tmp_path):
    tasks = plan_tasks(problem, cheap_candidates(), StratifiedFolds(3), seed=0)

    def interrupt(progress):
        if progress.done == 2:
            raise KeyboardInterrupt

    with ResultsStore.open(tmp_path / "runs.sqlite") as store:
        for isolate in (False, True):
            with pytest.raises(KeyboardInterrupt):
                run_tasks(tasks, store=store, isolate=isolate, progress=interrupt)
        statuses = [record.status for record in store.results(run_name(tasks))]
    assert set(statuses) == {"done", "not run"}


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_ctrl_c_stops_a_fit_under_way_without_blaming_it(problem, tmp_path):
    tasks = plan_tasks(problem, [Candidate("sleep", awkward_classifier("sleep"))], StratifiedFolds(2), seed=0)
    path, log = tmp_path / "runs.sqlite", tmp_path / "fits.log"
    process = start(tasks, path, log)
    while n_lines(log) < 1:
        time.sleep(0.02)
        assert process.exitcode is None
    os.kill(process.pid, signal.SIGINT)
    process.join(20)
    assert process.exitcode not in (None, 0)
    with ResultsStore.open(path) as store:
        assert {record.status for record in store.results(run_name(tasks))} == {"not run"}


def test_an_estimator_that_cannot_travel_is_an_error_of_its_own(problem):
    locked = KNeighborsClassifier(metric_params={"lock": threading.Lock()})
    candidates = [Candidate("locked", locked), Candidate("Euclid", KNeighborsClassifier())]
    tasks = plan_tasks(problem, candidates, StratifiedFolds(2), seed=0)
    records = run_tasks(tasks, order=tasks[:1])
    assert records[0].status == "error"
    assert "cannot be sent to a worker" in records[0].error


def test_limits_need_a_process_of_their_own(problem):
    with pytest.raises(ValueError, match="isolate=True"):
        run_tasks([], task_seconds=1.0, isolate=False)
