"""Neighbours searched for once serve every later question about the same rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine

from nearkin import KNNClassifier

X, Y = load_wine(return_X_y=True)


class Counting:
    """A search that counts how often it is asked."""

    def __init__(self, search):
        self.search, self.asked = search, 0

    def query(self, queries, n_neighbors):
        self.asked += 1
        return self.search.query(queries, n_neighbors)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_answers_are_those_of_separate_searches(form):
    model = KNNClassifier().fit(form(X[::2]), Y[::2])
    queries = form(X[1::2])
    apart = {k: (model.set_params(n_neighbors=k).predict(queries), model.kneighbors(queries)) for k in (1, 9)}
    counting = model._search = Counting(model._search)
    with model.searched_once(queries, 9):
        for k, (predictions, (distances, indices)) in apart.items():
            model.set_params(n_neighbors=k)
            assert np.array_equal(model.predict(queries.copy()), predictions)
            assert np.array_equal(model.kneighbors(queries)[0], distances)
            assert np.array_equal(model.kneighbors(queries)[1], indices)
        assert counting.asked == 1
        # Other rows and more neighbours are searched for as ever.
        assert model.kneighbors(queries[:5], 2)[1].tolist() == indices[:5, :2].tolist()
        assert model.kneighbors(queries, 12)[1].shape == (queries.shape[0], 12)
        assert counting.asked == 3
    assert model._search is counting
