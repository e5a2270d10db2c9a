"""Triplets of labels against a naive search."""

import numpy as np
import pytest

from nearkin.supervision.label_triplets import nearest_triplets


def test_every_target_with_every_impostor():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(30, 3)), np.arange(30) % 3
    found = nearest_triplets(X, codes, 2, 4)
    assert len(found) == 30 * 8
    D = np.square(X[:, None] - X).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    for i in range(30):
        mine = found.anchor == i
        own = np.where(codes == codes[i], D[i], np.inf)
        assert set(found.near[mine]) == set(np.argsort(own)[:2])
        others = np.where(codes == codes[i], np.inf, D[i])
        assert set(found.far[mine]) == set(np.argsort(others)[:4])
        assert len({(a, b) for a, b in zip(found.near[mine], found.far[mine])}) == 8


def test_small_classes_give_what_they_have_and_none_is_an_error():
    X = np.arange(6.0)[:, None]
    found = nearest_triplets(X, np.array([0, 0, 0, 0, 1, 2]), 5, 5)
    assert set(found.anchor) == {0, 1, 2, 3}
    assert len(found) == 4 * 3 * 2
    with pytest.raises(ValueError, match="no triplet"):
        nearest_triplets(X, np.arange(6), 1, 1)
