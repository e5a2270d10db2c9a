"""Leave-one-out error against scikit-learn's neighbours, which leave out each row when asked for its own."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from nearkin.learners.constraint.leave_one_out import leave_one_out_arrmse


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    Z = random.normal(size=(40, 3))
    Y = np.column_stack([Z[:, 0], Z[:, 1] ** 2]) + 0.1 * random.normal(size=(40, 2))
    return Z, Y - Y.mean(axis=0)


def by_scikit_learn(Z, Y, k):
    predicted = Y[NearestNeighbors(n_neighbors=k).fit(Z).kneighbors(return_distance=False)].mean(axis=1)
    return np.sqrt(((predicted - Y) ** 2).mean(axis=0) / (Y**2).mean(axis=0)).mean()


def test_equals_prediction_without_each_row(data):
    Z, Y = data
    for k in (1, 4):
        assert leave_one_out_arrmse(Z, Y, [k], np.arange(40)) == pytest.approx(by_scikit_learn(Z, Y, k))


def test_the_best_number_of_neighbours_counts(data):
    Z, Y = data
    offered = [1, 3, 7]
    expected = min(by_scikit_learn(Z, Y, k) for k in offered)
    assert leave_one_out_arrmse(Z, Y, offered, np.arange(40)) == pytest.approx(expected)


def test_duplicates_do_not_leak_a_rows_own_target():
    Z, Y = np.zeros((6, 1)), np.array([[5.0], [-1.0], [-1.0], [-1.0], [-1.0], [-1.0]])
    # Every row is predicted from others only: the mean of all others cannot beat the mean of all.
    assert leave_one_out_arrmse(Z, Y, [5], np.arange(6)) == pytest.approx(1.2)
