import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

from nearkin.learners.gradient import MEGM
from nearkin.learners.gradient.base import usual_spread
from nearkin.losses import MEGMLoss

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("solver", ["lbfgs", "cg"])
def test_solvers_lower_the_error_of_kernel_predictions(solver):
    fitted = MEGM(solver=solver, early_stopping=False, euclid_share=0.0).fit(X, y)
    assert fitted.objective_ < 0.7 * fitted.history_[0]
    loss = MEGMLoss()
    value, _ = loss.value_and_grad(fitted.transform(X), loss.prepare(X, y, start=X / usual_spread(X)))
    assert value == pytest.approx(fitted.objective_, rel=1e-6)


def test_real_targets_find_the_feature_that_matters():
    rng = np.random.RandomState(0)
    data = rng.standard_normal((150, 4))
    fitted = MEGM(euclid_share=0.0).fit(data, np.sin(2 * data[:, 2]))
    lengths = np.linalg.norm(fitted.components_, axis=0)
    assert lengths.argmax() == 2
    assert lengths[2] > 3 * np.delete(lengths, 2).max()
    assert not hasattr(fitted, "classes_")


def test_units_of_targets_do_not_matter():
    rng = np.random.RandomState(0)
    data = rng.standard_normal((80, 3))
    targets = np.column_stack([data[:, 0], data[:, 1] ** 2])
    plain = MEGM(random_state=0, euclid_share=0.0).fit(data, targets)
    scaled = MEGM(random_state=0, euclid_share=0.0).fit(data, targets * [1e4, 1e-3] + 7)
    np.testing.assert_allclose(scaled.components_, plain.components_, rtol=1e-5, atol=1e-7)


def test_task_overrules_what_y_looks_like():
    counts = np.arange(60) % 5
    data = np.random.RandomState(0).standard_normal((60, 2)) + counts[:, None]
    assert hasattr(MEGM(euclid_share=0.0).fit(data, counts), "classes_")
    assert not hasattr(MEGM(task="regression", euclid_share=0.0).fit(data, counts), "classes_")


def test_whole_numbers_as_floats_are_measurements_if_there_are_many():
    data, target = load_diabetes(return_X_y=True)
    assert not hasattr(MEGM(1, tol=1e-1, euclid_share=0.0).fit(data[:100], target[:100]), "classes_")
    assert hasattr(MEGM(1, tol=1e-1, euclid_share=0.0).fit(X, y.astype(float)), "classes_")


def test_penalty_keeps_it_near_the_start():
    free = MEGM(early_stopping=False, euclid_share=0.0).fit(X, y)
    held = MEGM(early_stopping=False, penalty=10.0, euclid_share=0.0).fit(X, y)
    assert np.linalg.norm(held.components_ - np.eye(4)) < 0.2 * np.linalg.norm(free.components_ - np.eye(4))


def test_restarts_never_make_it_worse():
    data, target = load_diabetes(return_X_y=True)
    data, target = data[:150], target[:150]
    once = MEGM(2, tol=1e-3, early_stopping=False, random_state=0, euclid_share=0.0).fit(data, target)
    thrice = MEGM(2, tol=1e-3, early_stopping=False, n_init=3, random_state=0, euclid_share=0.0).fit(
        data, target
    )
    assert thrice.objective_ <= once.objective_


def test_constant_targets_are_refused():
    with pytest.raises(ValueError, match="constant"):
        MEGM(task="regression", euclid_share=0.0).fit(X, np.full(150, 2.5))


@pytest.mark.parametrize(
    "settings", [{"task": "ranking"}, {"n_neighbors": 0}, {"penalty": -1}, {"early_stopping": "late"}]
)
def test_impossible_settings_are_named(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        MEGM(**settings, euclid_share=0.0).fit(X, y)
