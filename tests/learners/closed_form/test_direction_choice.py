"""Choosing among weights of directions: against scikit-learn's neighbours and its area under the curve."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from nearkin import KNNClassifier
from nearkin.learners.closed_form.alpha import held_out_rows
from nearkin.learners.closed_form.direction_choice import (
    ChoicePolicy,
    WeightedDirections,
    held_out_accuracies,
    held_out_orders,
    middle_of_best,
)
from nearkin.supervision.constraints import Pairs
from nearkin.supervision.label_pairs import all_pairs

X, y = load_iris(return_X_y=True)
X = X - X.mean(axis=0) + 1e-3 * np.random.default_rng(0).normal(size=X.shape)  # no ties
axes = np.random.default_rng(1).normal(size=(3, 4))
NESTED = np.tril(np.ones((3, 3)))
UNRELATED = np.random.default_rng(2).uniform(0.1, 3, size=(4, 3))
NEAREST_ONLY = ChoicePolicy(neighbourhoods=(1,))


@pytest.mark.parametrize("weights", [NESTED, UNRELATED], ids=["nested", "unrelated"])
@pytest.mark.parametrize("scores_at_once", [1, 2**18])
def test_accuracies_are_those_of_nearest_neighbours_fold_by_fold(weights, scores_at_once):
    policy = ChoicePolicy(neighbourhoods=(1,), scores_at_once=scores_at_once)
    found = held_out_accuracies(X, y, lambda kept: WeightedDirections(axes, weights), policy)
    for accuracy, w in zip(found, weights):
        Z = X @ axes.T * np.sqrt(w)
        right = 0
        for held_out in held_out_rows(y):
            kept = np.setdiff1d(np.arange(len(y)), held_out)
            model = KNeighborsClassifier(1).fit(Z[kept], y[kept])
            right += np.sum(model.predict(Z[held_out]) == y[held_out])
        assert accuracy == pytest.approx(right / len(y))


def test_votes_are_counted_as_the_predictor_counts_them():
    """With several classes that overlap, ties decide the vote of many rows."""
    rng = np.random.default_rng(1)
    rows, codes = rng.normal(size=(200, 2)), rng.integers(5, size=200)
    policy = ChoicePolicy(neighbourhoods=(5,))
    unit = WeightedDirections(np.eye(2), np.ones((1, 2)))
    right = []
    for held_out in held_out_rows(codes):
        kept = np.setdiff1d(np.arange(200), held_out)
        model = KNNClassifier(n_neighbors=5).fit(rows[kept], codes[kept])
        right.extend(model.predict(rows[held_out]) == codes[held_out])
    assert held_out_accuracies(rows, codes, lambda kept: unit, policy)[0] == pytest.approx(np.mean(right))


def test_held_out_rows_are_hidden_from_the_fit():
    seen = []

    def fit(kept):
        seen.append(kept)
        return WeightedDirections(axes, NESTED)

    held_out_accuracies(X, y, fit)
    # Every row is held out just once.
    np.testing.assert_array_equal(np.sum(~np.array(seen), axis=0), 1)


def test_the_unit_of_the_weights_does_not_matter():
    for unit in (1e-30, 1e30):
        np.testing.assert_array_equal(
            held_out_accuracies(X, y, lambda kept, unit=unit: WeightedDirections(axes, UNRELATED * unit)),
            held_out_accuracies(X, y, lambda kept: WeightedDirections(axes, UNRELATED)),
        )


def test_few_references_are_enough_where_many_would_cost_too_much():
    few = ChoicePolicy(neighbourhoods=(1,), most_references=30)
    accuracies = held_out_accuracies(X, y, lambda kept: WeightedDirections(axes, NESTED), few)
    full = held_out_accuracies(X, y, lambda kept: WeightedDirections(axes, NESTED), NEAREST_ONLY)
    assert accuracies[2] > 0.85
    assert not np.array_equal(accuracies, full)


def test_folds_that_cannot_be_learned_from_are_left_out():
    assert held_out_accuracies(X, y, lambda kept: None) is None
    only_first = held_out_accuracies(
        X, y, lambda kept: None if kept[0] else WeightedDirections(axes, NESTED), NEAREST_ONLY
    )
    assert only_first.shape == (3,)


def test_orders_are_mean_areas_under_the_curve_of_held_out_pairs():
    pairs = all_pairs(y[::5]).take(np.arange(0, 400, 4))
    pairs = Pairs(5 * pairs.left, 5 * pairs.right, pairs.similar, pairs.weight)
    seen = []

    def fit(known):
        seen.append(known)
        return WeightedDirections(axes, UNRELATED)

    found = held_out_orders(X, pairs, fit)
    assert [len(known) for known in seen] == [80] * 5
    wanted = []
    for known in seen:
        hidden = np.array(
            [not np.any((known.left == a) & (known.right == b)) for a, b in zip(pairs.left, pairs.right)]
        )
        difference = (X[pairs.left] - X[pairs.right])[hidden] @ axes.T
        wanted.append([roc_auc_score(pairs.similar[hidden], -(difference**2 @ w)) for w in UNRELATED])
    np.testing.assert_allclose(found, np.mean(wanted, axis=0))


def test_one_kind_of_pairs_tells_nothing():
    pairs = Pairs.checked([[0, 1], [1, 2]], n_samples=3)
    assert held_out_orders(X, pairs, lambda known: WeightedDirections(axes, NESTED)) is None


def test_the_middle_of_equally_good_candidates_is_taken():
    assert middle_of_best(np.array([0.2, 0.7, 0.7, 0.7, 0.3])) == 2
    assert middle_of_best(np.array([0.9, 0.1])) == 0
