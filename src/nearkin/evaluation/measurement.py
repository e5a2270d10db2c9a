"""A task becomes a record: tune inside the training rows, fit, time, score, look at the neighbours."""

from __future__ import annotations

import random
import traceback
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from nearkin._types import Estimator
from nearkin.datasets.dataset import take_rows
from nearkin.evaluation.candidate import INNER_FOLDS, Candidate
from nearkin.evaluation.fingerprints import describe
from nearkin.evaluation.metrics import PREDICTIONS, Metric, prepared
from nearkin.evaluation.problems import CLASSIFICATION, Problem
from nearkin.evaluation.protocols import Split, folds_for, stratified_holdout
from nearkin.evaluation.results import DONE, ERROR, MEMORY, Record
from nearkin.evaluation.tasks import Task
from nearkin.search.hubness import hubness_skewness

#: At most this many rows choose the settings of a stand-in, which happens in every fold of every candidate.
STAND_IN_ROWS = 2000
#: Length of the neighbour lists whose hubness is recorded.
HUBNESS_K = 10
#: Neighbour lists with more entries than this in total are counted but not kept.
MAX_KEPT_NEIGHBOURS = 2_000_000


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed the global random generators, for estimators that use them, and restore them afterwards."""
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    np.random.seed(seed % 2**32)  # noqa: NPY002
    random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)


def seeded_clone(estimator, setting, seed: int):
    """An unfitted copy with the setting applied and every open `random_state` set to the seed."""
    copy = clone(estimator).set_params(**setting)
    open_states = {
        name: seed % 2**31
        for name, value in copy.get_params().items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return copy.set_params(**open_states)


def fit_candidate(problem: Problem, candidate: Candidate, seed: int = 0) -> tuple[Estimator, dict[str, Any]]:
    """The candidate tuned on and fitted to all rows of the problem, and the setting chosen.

    Returns
    -------
    model : fitted estimator
    chosen : dict
    """
    X, y = problem.rows(np.arange(len(problem.y)))
    with _seeded(seed):
        chosen = _tune(problem, candidate, X, y, seed, seed)
        return seeded_clone(candidate.estimator, {**candidate.setting, **chosen}, seed).fit(X, y), chosen


def inner_training_rows(n_train: int) -> int:
    """Rows that the smallest of the inner folds trains on, of so many training rows.

    >>> inner_training_rows(10)
    6
    """
    return max(1, n_train - -(-n_train // INNER_FOLDS))


def attempt(task: Task) -> Record:
    """The record of a task, even if measuring it fails."""
    try:
        return measure(task)
    except Exception as error:
        status = MEMORY if isinstance(error, MemoryError) else ERROR
        return Record.of_task(task, status=status, error=traceback.format_exc())


def measure(task: Task) -> Record:
    """Tune on the training rows of a task, fit on all of them, and score the test rows.

    The estimator is seeded by the task, the inner folds by its fold alone, so that all candidates of
    a fold are tuned alike.
    """
    problem, candidate, split = task.problem, task.candidate, task.split
    if candidate.every_setting:
        return _measure_every_setting(task)
    metric, (X, y) = problem.metric, problem.rows(split.train)
    with _seeded(task.task_seed), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        started = perf_counter()
        chosen = _tune(problem, candidate, X, y, task.task_seed, task.tuning_seed)
        tuned = perf_counter()
        model = seeded_clone(candidate.estimator, {**candidate.setting, **chosen}, task.task_seed).fit(X, y)
        fitted = perf_counter()
        X_test, y_test = problem.rows(split.test)
        final, ready = prepared(model, X_test)
        with _searched_once(final, ready, metric, y, [HUBNESS_K]):
            predictions = np.asarray(final.predict(ready))
            predicted = perf_counter()
            plain = metric.needs == PREDICTIONS
            record = Record.of_task(
                task,
                status=DONE,
                score=metric(y_test, predictions, y) if plain else metric.score(final, ready, y_test, y),
                tune_seconds=tuned - started if chosen else 0.0,
                fit_seconds=fitted - tuned,
                predict_seconds=predicted - fitted,
                chosen=describe(chosen),
                test_rows=split.test,
                predictions=predictions,
            )
            _inspect(record, final, ready, split)
        if split.validation is not None:
            X_validation, y_validation = problem.rows(split.validation)
            record.validation_score = metric.score(model, X_validation, y_validation, y)
    record.warnings = _texts(caught)
    return record


def _texts(caught) -> list[str]:
    return sorted({f"{entry.category.__name__}: {entry.message}" for entry in caught})


def _measure_every_setting(task: Task) -> Record:
    """The test score of every setting of the grid; the score of the task is the best of them."""
    problem, candidate, split = task.problem, task.candidate, task.split
    settings = list(ParameterGrid(candidate.grid)) if candidate.grid else [{}]
    scores: list[float | None] = [None] * len(settings)
    sparsity: list[float | None] = [None] * len(settings)
    (X, y), (X_test, y_test) = problem.rows(split.train), problem.rows(split.test)
    failure = None
    fit_seconds = predict_seconds = 0.0
    with _seeded(task.task_seed), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for group in _settings_sharing_a_fit(settings, candidate.predict_time):
            started = perf_counter()
            setting = {**candidate.setting, **settings[group[0]]}
            model = seeded_clone(candidate.estimator, setting, task.task_seed).fit(X, y)
            fitted = perf_counter()
            final, ready = prepared(model, X_test)
            with _searched_once(final, ready, problem.metric, y, _neighbours_in(settings, group)):
                for position in group:
                    model.set_params(**{name: settings[position][name] for name in candidate.predict_time})
                    try:
                        scores[position] = problem.metric.score(final, ready, y_test, y)
                    except Exception as error:
                        failure = error
                        continue
                    sparsity[position] = _sparsity(final)
            fit_seconds += fitted - started
            predict_seconds += perf_counter() - fitted
    known = [score for score in scores if score is not None]
    if not known:
        raise RuntimeError(f"every setting of the grid failed; the last: {failure!r}") from failure
    return Record.of_task(
        task,
        status=DONE,
        score=max(known, key=problem.metric.better),
        fit_seconds=fit_seconds,
        predict_seconds=predict_seconds,
        tune_seconds=0.0,
        figures={"grid": describe(candidate.grid), "scores": scores, "sparsity": sparsity},
        warnings=_texts(caught),
        test_rows=split.test,
    )


def _searched_once(final, X, metric: Metric, y_train, n_neighbors: list[int]) -> AbstractContextManager:
    """Context in which a predictor searches once for all neighbours that votes, metric and hubness need."""
    if not hasattr(final, "searched_once"):
        return nullcontext()
    by_metric = [] if metric.n_neighbors is None else [metric.n_neighbors(y_train)]
    return final.searched_once(X, max([final.n_neighbors, *by_metric, *n_neighbors]))


def _neighbours_in(settings: list[dict], group: list[int]) -> list[int]:
    """Numbers of neighbours that some settings ask for."""
    named = (item for position in group for item in settings[position].items())
    return [value for name, value in named if name.rpartition("__")[2] == "n_neighbors"]


def _sparsity(final) -> float | None:
    """Share of the features that a model ignores, if it reports one."""
    found = getattr(getattr(final, "learner_", final), "sparsity_", None)
    return None if found is None else float(found)


def _tune(problem, candidate, X, y, task_seed: int, tuning_seed: int) -> dict:
    """The setting of the grid with the best mean inner score; the first one on ties."""
    if not candidate.grid and candidate.stand_in is not None:
        return _chosen_by_stand_in(problem, candidate, X, y, tuning_seed)
    settings = list(ParameterGrid(candidate.grid)) if candidate.grid else [{}]
    if len(settings) == 1:
        return settings[0]
    scores = np.zeros(len(settings))
    failure = None
    with warnings.catch_warnings():
        # The outer folds have already warned of small classes, and the final fit repeats all other warnings.
        warnings.simplefilter("ignore")
        for inner in folds_for(problem.task, candidate.inner_folds).splits(y, tuning_seed):
            for group in _settings_sharing_a_fit(settings, candidate.predict_time):
                try:
                    scores[group] += _inner_scores(
                        problem, candidate, settings, group, X, y, inner, task_seed
                    )
                except Exception as error:
                    failure = error
                    scores[group] = -np.inf
    if np.all(scores == -np.inf):
        raise RuntimeError(f"every setting of the grid failed; the last: {failure!r}") from failure
    return settings[int(np.argmax(scores))]


def _chosen_by_stand_in(problem, candidate, X, y, tuning_seed: int) -> dict:
    """What the stand-in chooses inside these rows, or some of them if they are many; fixed settings stay."""
    if len(y) > STAND_IN_ROWS:
        strata = y if problem.task == CLASSIFICATION else np.zeros(len(y), dtype=int)
        part = stratified_holdout(strata, STAND_IN_ROWS / len(y), np.random.default_rng(tuning_seed))
        X, y = take_rows(X, np.flatnonzero(part)), y[part]
    chosen = _tune(problem, candidate.stand_in, X, y, tuning_seed, tuning_seed)
    return {name: value for name, value in chosen.items() if name not in candidate.setting}


def _settings_sharing_a_fit(settings: list[dict], predict_time) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for position, setting in enumerate(settings):
        fit_part = {name: describe(value) for name, value in setting.items() if name not in predict_time}
        groups.setdefault(repr(sorted(fit_part.items())), []).append(position)
    return list(groups.values())


def _inner_scores(problem, candidate, settings, group, X, y, inner: Split, task_seed: int) -> list[float]:
    X_train, y_train = take_rows(X, inner.train), y[inner.train]
    X_test, y_test = take_rows(X, inner.test), y[inner.test]
    model = seeded_clone(candidate.estimator, {**candidate.setting, **settings[group[0]]}, task_seed)
    final, ready = prepared(model.fit(X_train, y_train), X_test)
    found: list[float] = []
    metric, failure = problem.metric, None
    with _searched_once(final, ready, metric, y_train, _neighbours_in(settings, group)):
        for position in group:
            model.set_params(**{name: settings[position][name] for name in candidate.predict_time})
            try:
                found.append(metric.better(metric.score(final, ready, y_test, y_train)))
            except Exception as error:
                # A setting that cannot predict is out of the running; those that share its fit are not.
                failure = error
                found.append(-np.inf)
    if failure is not None and max(found) == -np.inf:
        raise failure
    return found


def _inspect(record: Record, final, X_test, split: Split) -> None:
    """Record what a fitted predictor reveals: neighbours, hubness, iterations, objective."""
    learner = getattr(final, "learner_", final)
    n_iter, objective = getattr(learner, "n_iter_", None), getattr(learner, "objective_", None)
    record.n_iter = int(np.max(n_iter)) if n_iter is not None and np.size(n_iter) else None
    sparsity = _sparsity(final)
    record.figures = {} if sparsity is None else {"sparsity": sparsity}
    record.objective = float(objective) if objective is not None and np.size(objective) == 1 else None
    if not hasattr(final, "kneighbors"):
        return
    k = min(HUBNESS_K, len(split.train))
    _, indices = final.kneighbors(X_test, n_neighbors=k)
    n_references = getattr(final, "n_samples_fit_", len(split.train))
    record.hub_skewness = hubness_skewness(indices, n_references)
    # Pictures show every row once; later repeats are only for the significance tests.
    if split.repeat == 0 and indices.size <= MAX_KEPT_NEIGHBOURS and n_references == len(split.train):
        record.neighbours = split.train[indices]
