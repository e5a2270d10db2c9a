import numpy as np
import pytest

from nearkin.supervision.label_triplets import nearest_triplets


def test_every_triplet_is_a_target_against_an_impostor():
    rng = np.random.RandomState(0)
    X, codes = rng.standard_normal((40, 3)), rng.randint(3, size=40)
    triplets = nearest_triplets(X, codes, 2, 4)
    assert len(triplets) == 40 * 2 * 4
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    for i in range(40):
        own = triplets.anchor == i
        others = np.argsort(np.where(codes == codes[i], np.inf, D[i]))[:4]
        same = np.argsort(np.where((codes == codes[i]) & (np.arange(40) != i), D[i], np.inf))[:2]
        assert set(triplets.far[own]) == set(others)
        assert set(triplets.near[own]) == set(same)


def test_small_classes_give_what_they_have():
    X, codes = np.arange(4.0)[:, None], np.array([0, 0, 0, 1])
    triplets = nearest_triplets(X, codes, 5, 5)
    assert np.c_[triplets.anchor, triplets.near, triplets.far].tolist() == [
        [0, 1, 3],
        [0, 2, 3],
        [1, 0, 3],
        [1, 2, 3],
        [2, 1, 3],
        [2, 0, 3],
    ]


def test_single_samples_only_are_refused():
    with pytest.raises(ValueError, match="single sample"):
        nearest_triplets(np.eye(3), np.arange(3), 1, 1)
