import numpy as np
import pytest
from sklearn.datasets import load_iris

from nearkin.datasets import Dataset
from nearkin.study import hubness_by_folds, make_model

X, Y = load_iris(return_X_y=True)
NAMES = ("setosa", "versicolor", "virginica")


def test_every_row_is_a_query_once():
    data = Dataset("iris", X, Y, "classification", class_names=NAMES)
    found = hubness_by_folds(make_model(None, "classification"), data, k=4, n_folds=3)
    assert found.n_queries == found.n_references == 150
    assert found.occurrences.sum() == 4 * 150
    assert found.largest(1)[0]["label"] in NAMES
    assert 0 < found.bad_share < 0.2


def test_numbers_have_no_bad_votes():
    data = Dataset("iris", X[:, 1:], X[:, 0], "regression")
    found = hubness_by_folds(make_model(None, "regression"), data, k=2, n_folds=2)
    assert found.bad_share is None
    np.testing.assert_array_equal(found.labels, X[:, 0])


def test_longer_lists_than_references_are_refused():
    data = Dataset("iris", X, Y, "classification")
    with pytest.raises(ValueError, match="n_neighbors"):
        hubness_by_folds(make_model(None, "classification"), data, k=150)
