"""Held-out errors against scikit-learn's regressor, and the choice between settings they lead to."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from nearkin.learners.constraint.cross_fitting import (
    FoldPolicy,
    Setting,
    arrmse_of,
    best_of_each_mixture,
    cross_fitted_errors,
    held_out_errors,
    simplest_good_setting,
    training_errors,
)
from nearkin.learners.constraint.metric_path import diagonal_path
from nearkin.supervision.triplets import output_ordered_triplets

FULL, SHRUNK, DIAGONAL = Setting(4, 0.9, 0.0), Setting(4, 0.9, 0.5), Setting(4, 0.9, 1.0)
HALF_EUCLID = DIAGONAL._replace(euclid_share=0.5)


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    Y = np.column_stack([X[:, 0], X[:, 1] ** 2]) + 0.1 * random.normal(size=(60, 2))
    return X, (Y - Y.mean(axis=0)) / Y.std(axis=0)


def test_the_mean_of_the_shares_is_the_error_without_each_row(data):
    X, Y = data
    held_out = np.arange(7, 27)
    shares = held_out_errors(X, Y, held_out, [1, 4, 9])
    assert shares.shape == (20, 3)
    for place, k in enumerate([1, 4, 9]):
        found = NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)[held_out]
        expected = np.sqrt(((Y[found].mean(axis=1) - Y[held_out]) ** 2).mean(axis=0)).mean()
        assert shares[:, place].mean() == pytest.approx(expected, rel=1e-5)
    assert arrmse_of(shares) == pytest.approx(shares.mean(axis=0).min(), rel=1e-5)


def test_duplicates_do_not_leak_a_rows_own_target():
    Z, Y = np.zeros((6, 1)), np.array([[5.0], [-1.0], [-1.0], [-1.0], [-1.0], [-1.0]])
    # The mean of the five others is 1.2 times as far off as the mean of all, whose error is sqrt(5).
    assert arrmse_of(held_out_errors(Z, Y, np.arange(6), [5])) == pytest.approx(1.2 * np.sqrt(5))


def test_perfect_predictions_have_no_error():
    X = np.repeat(np.arange(5.0), 2)[:, None]
    assert not held_out_errors(X, X, np.arange(10), [1]).any()


def learn_diagonal(X, triplets, settings):
    K, nu = settings[0][:2]
    shares = [setting.euclid_share for setting in settings]
    return diagonal_path(X, triplets, (K,), (nu,), euclid_shares=shares, tol=1e-3, max_iter=100)


def test_no_metric_sees_the_rows_it_is_scored_on(data):
    X, Y = data
    seen = []

    def learn(part, triplets, settings):
        seen.append({tuple(row) for row in part})
        return learn_diagonal(part, triplets, settings)

    # What differs only in its share of Euclid is learned once.
    contenders = [None, DIAGONAL, HALF_EUCLID]
    errors = cross_fitted_errors(X, Y, contenders, learn, random=np.random.RandomState(0))
    rows = {tuple(row) for row in X}
    held_out = [rows - part for part in seen]
    assert len(held_out) == 10
    assert set().union(*held_out) == rows
    assert sum(map(len, held_out)) == 60
    assert set(errors) == set(contenders)
    assert {len(table) for table in errors.values()} == {60}


def test_more_rows_take_fewer_folds_and_at_most_the_limit_is_scored(data):
    few = {"random": np.random.RandomState(0), "policy": FoldPolicy(folds_up_to=((30, 5),), scored_rows=21)}
    errors = cross_fitted_errors(*data, [None, DIAGONAL], learn_diagonal, **few)
    assert {len(table) for table in errors.values()} == {21}
    path = diagonal_path(data[0], output_ordered_triplets(*data, 4), (4,), (0.9,), tol=1e-3, max_iter=100)
    assert [len(table) for table in training_errors(*data, path, **few).values()] == [21]


def test_settings_that_a_training_part_cannot_teach_are_left_out(data):
    X, Y = data
    settings = [None, Setting(2, 1.0, 1.0), Setting(5, 1.0, 1.0)]
    errors = cross_fitted_errors(X[:6], Y[:6], settings, learn_diagonal, random=np.random.RandomState(0))
    assert None in errors
    assert Setting(5, 1.0, 1.0) not in errors


def table(level, wobble=0.0, n=100):
    """Errors of one mean, the better number of neighbours second; alternating so that the mean is exact."""
    signs = np.where(np.arange(n) % 2, 1.0, -1.0)
    better = level + wobble * signs
    return np.column_stack([better + 0.1, better]).astype(np.float32)


def test_a_sure_gain_pays_for_flexibility():
    errors = {None: table(0.9), DIAGONAL: table(0.8), SHRUNK: table(0.7), FULL: table(0.6)}
    assert simplest_good_setting(errors) == FULL


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ((0.61, 0.61, 0.61, 0.6), None),
        ((0.9, 0.61, 0.61, 0.6), DIAGONAL),
        ((0.9, 0.8, 0.61, 0.6), SHRUNK),
    ],
)
def test_a_gain_within_one_standard_error_does_not(levels, expected):
    # A difference that wobbles by 0.3 over 100 rows is known to 0.03.
    kinds = zip((None, DIAGONAL, SHRUNK), levels)
    errors = {setting: table(level, 0.3) for setting, level in kinds}
    errors[FULL] = table(levels[3])
    assert simplest_good_setting(errors) == expected


def test_a_few_rows_of_huge_errors_decide_nothing():
    misled = table(0.9)
    misled[:5] = 0.0
    assert arrmse_of(misled) < 0.86
    assert simplest_good_setting({None: table(0.87), DIAGONAL: misled}) is None
    helped = table(0.7)
    helped[:5] = 9.0
    assert arrmse_of(helped) > 1
    assert simplest_good_setting({None: table(0.9), DIAGONAL: helped}) == DIAGONAL


def test_within_one_kind_the_lowest_error_wins():
    errors = {None: table(0.9), DIAGONAL: table(0.701, 0.3), Setting(2, 1.0, 1.0): table(0.7, 0.3)}
    assert simplest_good_setting(errors) == Setting(2, 1.0, 1.0)


def test_shares_of_euclid_are_of_one_kind():
    errors = {None: table(0.9), HALF_EUCLID: table(0.701, 0.3), DIAGONAL: table(0.7, 0.3)}
    assert simplest_good_setting(errors) == DIAGONAL


def test_each_mixture_sends_its_best():
    other = Setting(2, 1.0, 0.0)
    errors = {SHRUNK: table(0.7), FULL: table(0.6), other: table(0.5), HALF_EUCLID: table(0.9)}
    errors[DIAGONAL] = table(0.8)
    assert best_of_each_mixture(errors) == [HALF_EUCLID, DIAGONAL, SHRUNK, other]
    assert best_of_each_mixture({}) == []
