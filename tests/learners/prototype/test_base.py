"""What all three learners do: classify by the nearest prototype, weigh rows, stop, refuse bad settings."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from nearkin.learners.prototype import LMDL, LPD
from nearkin.predictors import KNNClassifier


def test_prediction_is_the_class_of_the_nearest_prototype(learner, blobs):
    X, y = blobs
    model = learner(n_prototypes=2, random_state=0, euclid_share=0.0).fit(X, y)
    nearest = model.distance_.to_prototypes(X).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(X), model.prototype_labels_[nearest])
    assert model.prototypes_.shape[0] == model.metrics_.shape[0] == 6
    np.testing.assert_array_equal(model.prototype_labels_, np.repeat(model.classes_, 2))


def test_probabilities_follow_the_ratios(learner, blobs):
    X, y = blobs
    model = learner(n_prototypes=2, random_state=0, euclid_share=0.0).fit(X, y)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
    D = model.distance_.to_prototypes(X[:1]).reshape(3, 2).min(axis=1)
    R = [D[c] / np.delete(D, c).min() for c in range(3)]
    scores = 1 / (1 + np.exp(model.beta * (np.array(R) - 1)))
    np.testing.assert_allclose(P[0], scores / scores.sum(), atol=1e-6)


def test_training_lowers_the_objective(learner, blobs):
    model = learner(random_state=0).fit(*blobs)
    objectives = np.array([epoch["objective"] for epoch in model.history_])
    fifth = len(objectives) // 5
    means = [part.mean() for part in np.split(objectives[: 5 * fifth], 5)]
    assert means == sorted(means, reverse=True)
    assert model.objective_ < objectives[0]
    assert model.n_iter_ == len(objectives)


def test_the_same_seed_gives_the_same_model(learner, blobs):
    X, y = blobs
    once, again, other = (learner(random_state=seed).fit(X, y) for seed in (5, 5, 6))
    np.testing.assert_array_equal(once.prototypes_, again.prototypes_)
    np.testing.assert_array_equal(once.metrics_, again.metrics_)
    assert not np.array_equal(once.prototypes_, other.prototypes_)


def test_the_order_of_the_rows_does_not_matter(learner, blobs):
    X, y = blobs
    order = np.random.default_rng(0).permutation(len(y))
    straight = learner(random_state=0).fit(X, y)
    shuffled = learner(random_state=0).fit(X[order], y[order])
    np.testing.assert_array_equal(straight.prototypes_, shuffled.prototypes_)


def test_weights_count_like_repeated_rows(learner, blobs):
    X, y = blobs
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = learner(n_prototypes=2, random_state=0, euclid_share=0.0).fit(X, y, sample_weight=weights)
    repeated = learner(n_prototypes=2, random_state=0, euclid_share=0.0).fit(
        X.repeat(weights, axis=0), y.repeat(weights)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_a_class_without_weight_is_refused(learner, blobs):
    X, y = blobs
    with pytest.raises(ValueError, match=r"every row of class \['b'\] has sample_weight 0"):
        learner().fit(X, y, sample_weight=(y != "b").astype(float))


def test_running_out_of_epochs_warns(learner, blobs):
    with pytest.warns(ConvergenceWarning, match="still improving after max_epochs=2"):
        model = learner(max_epochs=2, random_state=0).fit(*blobs)
    assert model.n_iter_ == 2


def test_early_stopping_watches_the_held_out_rows(learner, blobs):
    model = learner(early_stopping=True, validation_fraction=0.3, tol=0.01, random_state=0).fit(*blobs)
    watched = [epoch["validation"] for epoch in model.history_]
    assert len(watched) == model.n_iter_
    assert model.n_iter_ < model.max_epochs


def test_more_starts_do_not_raise_the_objective(learner, blobs):
    one = learner(n_init=1, random_state=0).fit(*blobs)
    two = learner(n_init=2, random_state=0).fit(*blobs)
    assert two.objective_ <= one.objective_


@pytest.mark.parametrize("init", ["random", "kmeans"])
def test_either_start_classifies(learner, blobs, init):
    assert learner(init=init, random_state=0).fit(*blobs).score(*blobs) > 0.8


def test_float32_stays(learner, blobs):
    X, y = blobs
    model = learner(random_state=0).fit(X.astype(np.float32), y)
    assert model.prototypes_.dtype == model.metrics_.dtype == np.float32
    assert model.predict_proba(X.astype(np.float32)).dtype == np.float32
    double = learner(random_state=0).fit(X, y)
    assert abs(model.score(X, y) - double.score(X, y)) < 0.1


def test_it_serves_a_nearest_neighbour_classifier(learner, blobs):
    X, y = blobs
    scores = cross_val_score(KNNClassifier(learner(random_state=0), n_neighbors=5), X, y, cv=3)
    assert scores.mean() > 0.75


def test_verbose_prints_every_epoch(learner, blobs, capsys):
    model = learner(verbose=1, random_state=0).fit(*blobs)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert lines[0].startswith(f"[{learner.__name__}] epoch 1, objective ")


@pytest.mark.parametrize(
    ("setting", "value", "complaint"),
    [
        ("beta", 0, "beta=0: expected a positive number"),
        ("beta", np.inf, "expected a positive number"),
        ("batch_size", 0, "batch_size=0: expected 'auto' or an integer of at least 1"),
        ("max_epochs", 0, "max_epochs=0"),
        ("tol", -1.0, "tol=-1.0"),
        ("n_init", 0, "n_init=0"),
        ("init", "corners", "init='corners': expected one of"),
        ("init_metric", "cosine", "init_metric='cosine': expected one of"),
        ("validation_fraction", 1.0, "expected a number from 0 to 1, without 1"),
        ("n_prototypes", 0, "n_prototypes=0"),
        ("n_prototypes", 2.5, "n_prototypes=2.5"),
        ("n_prototypes", "many", "n_prototypes='many'"),
    ],
)
def test_bad_settings_are_named(learner, blobs, setting, value, complaint):
    with pytest.raises(ValueError, match=complaint):
        learner(**{setting: value}).fit(*blobs)


def test_nothing_to_validate_on_is_refused(learner):
    X = np.arange(6.0)[:, None]
    with pytest.raises(ValueError, match="leaves none to validate on"):
        learner(early_stopping=True).fit(X, [0, 1, 0, 1, 0, 1])


def test_one_class_is_refused(learner):
    with pytest.raises(ValueError, match=r"needs at least 2 classes.*only one class, 1\."):
        learner().fit(np.eye(3), [1, 1, 1])


def test_more_prototypes_than_members_are_capped(learner):
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = np.r_[np.zeros(17), np.ones(3)]
    model = learner(n_prototypes=5, random_state=0, max_epochs=500).fit(X, y)
    assert (model.prototype_labels_ == 0).sum() == 5
    assert (model.prototype_labels_ == 1).sum() == 3


def test_a_class_of_one_row_gets_one_prototype(learner):
    X = np.random.default_rng(0).normal(size=(20, 2))
    X[-1] = 9.0
    y = np.r_[np.zeros(19), 1]
    model = learner(random_state=0, max_epochs=500).fit(X, y)
    assert (model.prototype_labels_ == 1).sum() == 1
    assert model.predict(X[-1:]) == [1]


@pytest.mark.parametrize("kept", [1, 2])
def test_coinciding_rows_of_different_classes_do_not_break_training(learner, kept):
    """Every prototype of one class lies on one of the other, so that every ratio starts at 0/0 or 1."""
    X = np.repeat(np.random.default_rng(0).normal(size=(4, 2)), 2, axis=0)
    y = np.arange(8) % 2
    model = learner(n_prototypes=kept, random_state=0, max_epochs=500).fit(X, y)
    assert np.isfinite(model.metrics_).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_identical_rows_everywhere_are_survived(learner):
    model = learner(random_state=0).fit(np.ones((6, 2)), [0, 1] * 3)
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 2))), 0.5)


def test_a_constant_column_has_no_say(learner, blobs):
    X, y = blobs
    constant = np.column_stack([X, np.full(len(y), 1e8)])
    model = learner(random_state=0).fit(constant, y)
    assert model.score(constant, y) > 0.85
    assert np.isfinite(model.metrics_).all()


@pytest.mark.parametrize("scale", [2.0**-30, 2.0**300])
def test_units_do_not_matter(learner, blobs, scale):
    X, y = blobs
    X = X - X.mean(axis=0)
    model, scaled = (learner(random_state=0).fit(data, y) for data in (X, X * scale))
    np.testing.assert_array_equal(model.predict(X), scaled.predict(X * scale))


@pytest.mark.parametrize("learner", [LPD, LMDL])
def test_mixed_units_do_not_matter(learner, blobs):
    X, y = blobs
    units = np.array([1e-8, 1.0, 1e4, 1e8])
    model, scaled = (learner(random_state=0).fit(data, y) for data in (X, X * units))
    assert (model.predict(X) == scaled.predict(X * units)).mean() > 0.95


@pytest.mark.parametrize("prototype", [6, -7])
def test_a_prototype_that_is_not_there_cannot_be_projected_on(learner, blobs, prototype):
    model = learner(n_prototypes=2, random_state=0).fit(*blobs)
    with pytest.raises(ValueError, match="does not exist; there are 6"):
        model.project(blobs[0], prototype)


def test_tuning_grid_is_modest_and_valid(learner, blobs):
    grid = learner.tuning_grid(150, 4, 3)
    assert np.prod([len(values) for values in grid.values()]) <= 6
    learner(random_state=0, **{name: values[0] for name, values in grid.items()}).fit(*blobs)
