import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import ParameterGrid
from sklearn.pipeline import make_pipeline

from nearkin import LMDL, RCA, KNNClassifier
from nearkin.datasets import Dataset
from nearkin.evaluation import Folds
from nearkin.learners import all_learners
from nearkin.study.data import as_dataset
from nearkin.study.models import (
    NEIGHBOUR_GRID,
    chosen_learners,
    learner_named,
    make_candidates,
    make_model,
    make_scaler,
    named_corrections,
    settled_scale,
    smallest_training_part,
    thinned,
)
from nearkin.study.references import reference_candidates


@pytest.mark.parametrize("scale", ["auto", "standard", "minmax", "none"])
def test_sparse_rows_stay_sparse(scale):
    X = sparse.random(20, 8, density=0.3, random_state=0, format="csr")
    scaler = make_scaler(scale, sparse=True)
    if scaler != "passthrough":
        assert sparse.issparse(scaler.fit_transform(X))


@given(st.integers(4, 300), st.integers(2, 12))
def test_smallest_training_part_is_what_nested_folds_leave(n_rows, n_folds):
    n_folds = min(n_folds, n_rows)
    y = np.zeros(n_rows)
    left = (
        min(
            len(inner.train)
            for outer in Folds(n_folds).splits(y, 0)
            for inner in Folds(min(3, max(2, len(outer.train)))).splits(y[outer.train], 0)
            if len(outer.train) > 2
        )
        if n_rows - -(-n_rows // n_folds) > 2
        else 1
    )
    assert smallest_training_part(n_rows, n_folds) <= max(1, left)


def test_every_learner_of_the_task_takes_part():
    found, notices = chosen_learners(None, "regression", sparse=False)
    assert found
    assert not notices
    assert all("regression" in learner.tasks for learner in found.values())
    dense = chosen_learners(None, "classification", sparse=False)[0]
    assert set(dense) == {
        name for name, learner in all_learners().items() if "classification" in learner.tasks
    }


def test_names_are_found_however_they_are_written():
    assert learner_named("move_labeled") is learner_named("MoveLabeled")
    found, _ = chosen_learners(" rca , Euclid,", "classification", sparse=False)
    assert list(found) == ["RCA"]
    with pytest.raises(ValueError, match="sparse"):
        chosen_learners("lmdl", "classification", sparse=True)


def test_prototype_learners_predict_by_themselves_unless_neighbours_are_wanted():
    learner = learner_named("LPD")()
    assert make_model(learner, "classification").steps[-1][1] is learner
    by_neighbours = make_model(learner, "classification", by_neighbours=True)
    assert by_neighbours.steps[-1][1].learner is learner


def test_transformers_of_scikit_learn_serve_as_learners():
    """By what they transform, even where they predict as well."""
    data = as_dataset(*load_wine(return_X_y=True))
    requested = [LinearDiscriminantAnalysis(), make_pipeline(PCA(3), LinearDiscriminantAnalysis()), RCA()]
    found, _ = chosen_learners(requested, "classification", sparse=False)
    assert list(found) == ["LinearDiscriminantAnalysis", "Pipeline", "RCA"]
    candidates = make_candidates(data, found, scale="auto", n_neighbors=None, n_folds=5)
    for candidate in candidates[1:]:
        model = clone(candidate.estimator).fit(data.X, data.y)
        assert isinstance(model[-1], KNNClassifier)
        assert model.score(data.X, data.y) > 0.9
        assert "model__n_neighbors" in candidate.grid[0]
    with pytest.raises(TypeError, match="nor a transformer"):
        chosen_learners([LinearRegression()], "classification", sparse=False)


def test_candidates_can_be_set_as_their_grids_say():
    data = Dataset(
        "toy", np.random.default_rng(0).standard_normal((30, 4)), np.arange(30) % 3, "classification"
    )
    candidates = make_candidates(data, all_learners(), scale="auto", n_neighbors=None, n_folds=3)
    assert candidates[0].label == "Euclid"
    limit = smallest_training_part(30, 3)
    for candidate in candidates:
        for setting in ParameterGrid(candidate.grid):
            clone(candidate.estimator).set_params(**setting)
            assert setting.get("model__n_neighbors", 1) in NEIGHBOUR_GRID
            assert setting.get("model__n_neighbors", 1) <= limit
        assert candidate.n_fits <= 3
        # Prototype learners have no number of neighbours that Euclid could lend them.
        assert (candidate.stand_in is None) == (not candidate.predict_time)
    fixed = make_candidates(data, all_learners(), scale="auto", n_neighbors=3, n_folds=3)
    assert all(candidate.stand_in is None for candidate in fixed)


@pytest.mark.parametrize("limit", [2, 3, 5])
def test_quick_tuning_keeps_the_defaults(limit):
    grid = {"a": [1, 2, 3, 4], "b": ["x", "y"]}
    kept = thinned(grid, {"a": 2, "b": "y"}, limit)
    assert len(kept) == limit
    assert {"a": 2, "b": "y"} in kept
    assert len({tuple(setting.items()) for setting in kept}) == limit
    assert thinned(grid, {}, None) == list(ParameterGrid(grid))


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_reference_models_are_marked_and_fit(task):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    y = (X[:, 0] > 0).astype(int) if task == "classification" else X[:, :2]
    for candidate in reference_candidates(task, sparse=False, n_targets=2):
        assert candidate.reference
        assert clone(candidate.estimator).fit(X, y).predict(X).shape == y.shape


def test_rows_of_unit_length_are_not_scaled_unless_asked():
    rows = np.random.default_rng(0).normal(size=(30, 8))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    scale, notices = settled_scale("auto", unit.astype(np.float16).astype(np.float32))
    assert scale == "none"
    assert "unit length" in notices[0]
    assert settled_scale("auto", sparse.csr_array(unit))[0] == "none"
    assert settled_scale("standard", unit) == ("standard", [])
    assert settled_scale("auto", rows) == ("auto", [])
    assert settled_scale("auto", np.sign(rows[:, :1])) == ("auto", [])


def test_settings_for_wide_data_can_be_fitted_in_the_inner_folds():
    from nearkin import LMCA

    rng = np.random.default_rng(0)
    rows, labels = rng.standard_normal((60, 400)), np.arange(60) % 3
    rows[:, :5] += labels[:, None]
    for n_components in LMCA.tuning_grid(60, 400, 3)["n_components"]:
        inner = LMCA(n_components, max_iter=500).fit(
            rows[:20], labels[:20]
        )  # two folds, then three inner ones
        assert inner.components_.shape == (n_components, 400)


def test_hub_corrections_take_part_beside_what_they_correct():
    data = as_dataset(*load_wine(return_X_y=True))
    requested = {"RCA": RCA, "LMDL": LMDL}
    found = make_candidates(
        data, requested, scale="auto", n_neighbors=None, n_folds=5, corrected=requested, hubs=["csls"]
    )
    labels = [candidate.label for candidate in found]
    # LMDL decides without neighbours, so there is nothing to correct.
    assert labels == ["Euclid", "RCA", "LMDL", "Euclid + csls", "RCA + csls"]
    assert [candidate.estimator[-1].hubs for candidate in found if "+" in candidate.label] == ["csls"] * 2
    with pytest.raises(ValueError, match="nicdm"):
        named_corrections("cslx")
