from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_regression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.evaluation.awkward import awkward_classifier

from nearkin import evaluation
from nearkin.evaluation import (
    Candidate,
    FiveByTwo,
    RepeatRule,
    ResultsStore,
    StratifiedFolds,
    compare_candidates,
    metric_named,
)

X, Y = load_wine(return_X_y=True)


def candidates():
    return [
        Candidate("Euclid", KNeighborsClassifier()),
        Candidate("Scaled", make_pipeline(StandardScaler(), KNeighborsClassifier())),
        Candidate("Tree", DecisionTreeClassifier(), reference=True),
    ]


def test_scaling_beats_raw_features_on_wine():
    found = compare_candidates(X, Y, candidates(), isolate=False, name="wine")
    assert found.winner == "Scaled"
    assert found.row("Scaled").verdict == "beats"
    assert found.row("Scaled").hub_skewness is not None
    assert found.row("Tree").hub_skewness is None
    assert found.row("Euclid").n_folds == 10
    assert "Scaled beats Euclid" in found.statement
    assert found.dataset == "wine"


def test_the_store_answers_without_running_again():
    with ResultsStore.open() as store:
        first = compare_candidates(X, Y, candidates(), StratifiedFolds(3), store=store, isolate=False)
        times = [record.fit_seconds for record in store.results(first.run)]
        again = compare_candidates(X, Y, candidates(), StratifiedFolds(3), store=store, isolate=False)
        assert [record.fit_seconds for record in store.results(first.run)] == times
        more = compare_candidates(
            X,
            Y,
            [*candidates(), Candidate("New", KNeighborsClassifier(1))],
            StratifiedFolds(3),
            store=store,
            isolate=False,
        )
        repeated = compare_candidates(
            X, Y, candidates(), StratifiedFolds(3, n_repeats=2), store=store, isolate=False
        )
        assert [record.fit_seconds for record in store.results(repeated.run)][: len(times)] == times
    assert repeated.protocol["n_repeats"] == 2
    assert repeated.row("Scaled").scores[:3] == first.row("Scaled").scores
    assert again == first
    assert more.row("Scaled").scores == first.row("Scaled").scores


def test_a_generous_budget_scouts_and_then_runs_everything():
    stages = []
    found = compare_candidates(
        X,
        Y,
        candidates(),
        StratifiedFolds(3),
        time_budget=300,
        isolate=False,
        progress=lambda state: stages.append(state.stage),
    )
    # The first look at few rows is the first fold.
    assert stages == ["warm-up"] * 6 + ["scout"] * 3 + ["compare"] * 6
    assert all(row.status == "done" for row in found.rows)
    assert all(row.scout_score is not None for row in found.rows)


@pytest.mark.slow
def test_a_spent_budget_keeps_what_is_finished():
    slow = Candidate("Slow", awkward_classifier("sleep"))
    with ResultsStore.open() as store:
        found = compare_candidates(
            X, Y, [candidates()[0], slow], StratifiedFolds(2), store=store, time_budget=6.0
        )
        assert found.row("Slow").status == "not run (time budget)"
        if found.row("Euclid").status == "done":  # else the machine is too busy even for that
            assert found.winner == "Euclid"
            assert "Slow" in found.statement
            assert [r.status for r in store.results(found.run) if r.label == "Euclid"] == ["done"] * 2


def test_regression_with_several_targets():
    data, targets = make_regression(120, 6, n_targets=3, noise=1.0, random_state=0)
    scaled = make_pipeline(StandardScaler(), KNeighborsRegressor(weights="distance"))
    found = compare_candidates(
        data,
        targets,
        [Candidate("Euclid", KNeighborsRegressor()), Candidate("Weighted", scaled)],
        isolate=False,
    )
    assert found.metric.name == "aRRMSE"
    assert not found.metric.greater_is_better
    assert 0 < found.row("Euclid").mean < 1
    assert found.protocol["protocol"] == "Folds"


def test_five_by_two_chooses_settings_by_validation():
    grid = {"n_neighbors": [1, 100]}
    found = compare_candidates(
        X, Y, [Candidate("Euclid", KNeighborsClassifier(), grid)], FiveByTwo(), isolate=False
    )
    row = found.row("Euclid")
    assert row.setting == {"n_neighbors": 1}
    assert row.n_planned == 10


def test_string_labels_and_lone_classes():
    labels = np.array(["red", "green", "blue"])[Y].astype(object)
    labels[0] = "alone"
    with pytest.warns(UserWarning, match="single row"):
        found = compare_candidates(X, labels, candidates()[:2], StratifiedFolds(4), isolate=False)
    assert found.row("Scaled").mean > 0.9


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="baseline 'Euclid' is not among the candidates: Scaled"):
        compare_candidates(X, Y, candidates()[1:2])
    with pytest.raises(ValueError, match="labels must be unique, but Euclid"):
        compare_candidates(X, Y, candidates()[:1] * 2)


def test_a_budget_that_suffices_tunes_and_repeats():
    stages = []
    tuned = [
        Candidate("Euclid", KNeighborsClassifier(), {"n_neighbors": [1, 5]}, ("n_neighbors",)),
        Candidate("Scaled", make_pipeline(StandardScaler(), KNeighborsClassifier())),
    ]
    with ResultsStore.open() as store:
        arguments = {"time_budget": 300, "isolate": False, "store": store}
        rule = RepeatRule(most=3, looks=(), clear=0.0, hopeless=1.0)
        found = compare_candidates(
            X,
            Y,
            tuned,
            StratifiedFolds(3),
            more_repeats=rule,
            **arguments,
            progress=lambda p: stages.append(p.stage),
        )
        assert stages[4:] == ["scout"] * 2 + ["compare"] * 4 + ["tune"] * 3 + ["repeat"] * 12
        assert {row.label: (row.n_repeats, row.tuned) for row in found.rows} == {
            "Euclid": (3, True),
            "Scaled": (3, False),
        }
        stages.clear()
        again = compare_candidates(X, Y, tuned, StratifiedFolds(3), more_repeats=rule, **arguments)
        assert again == found
    fixed = compare_candidates(X, Y, tuned, StratifiedFolds(3, n_repeats=3), isolate=False)
    assert fixed.row("Euclid").scores == found.row("Euclid").scores
    assert fixed.row("Scaled").p_value == found.row("Scaled").p_value


def test_an_interrupt_returns_what_there_is_where_that_is_asked_for():
    def interrupt(state):
        if state.done == 5:
            raise KeyboardInterrupt

    arguments = {"isolate": False, "progress": interrupt}
    found = compare_candidates(X, Y, candidates()[:2], StratifiedFolds(3), interruptible=True, **arguments)
    assert found.interrupted
    assert sum(row.n_folds for row in found.rows) == 5
    with pytest.raises(KeyboardInterrupt):
        compare_candidates(X, Y, candidates()[:2], StratifiedFolds(3), **arguments)


def test_another_metric_decides_and_tunes():
    grid = {"n_neighbors": [1, 30]}
    rare = np.where(np.arange(178) % 12 == 0, 1, 0)
    noise = np.random.default_rng(0).standard_normal((178, 2)) + 1.2 * rare[:, None]
    candidate = [Candidate("Euclid", KNeighborsClassifier(), grid, ("n_neighbors",))]
    chosen = {
        name: compare_candidates(
            noise, rare, candidate, StratifiedFolds(2), metric=metric_named(name), isolate=False
        )
        for name in ("balanced-accuracy", "log-loss")
    }
    assert chosen["balanced-accuracy"].row("Euclid").setting == {"n_neighbors": 1}
    assert chosen["log-loss"].row("Euclid").setting == {"n_neighbors": 30}
    assert chosen["log-loss"].metric.name == "log loss"


def test_the_name_in_the_first_release_answers_with_a_warning():
    with pytest.warns(FutureWarning, match="is now compare_candidates"):
        assert evaluation.compare is compare_candidates
