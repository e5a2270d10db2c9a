"""Votes shared with Euclid, and blends of distances that no embedding can hold."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from nearkin import KNNClassifier, load, save
from nearkin.distances.blended import BlendedDistance
from nearkin.learners import all_learners
from nearkin.learners.euclid_share import SharePolicy, best_share
from nearkin.learners.euclid_vote import euclid_votes

X, y = load_wine(return_X_y=True)
X = scale(X)
NEW = X + np.random.RandomState(0).standard_normal(X.shape)
VOTING = ["LMDL", "LPD", "KernelLMDL", "LDDM"]
LOCAL = ["GLML", "PLML"]


@pytest.mark.parametrize("name", VOTING)
def test_all_euclid_votes_as_three_neighbours_do(name, tmp_path):
    model = all_learners()[name](random_state=0, euclid_share=1.0).fit(X, y)
    plain = KNNClassifier(n_neighbors=3).fit(X, y)
    np.testing.assert_array_equal(model.predict(NEW), plain.predict(NEW))
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(NEW), model.predict(NEW))


@pytest.mark.parametrize("name", VOTING)
def test_probabilities_are_the_weighted_mean(name):
    own, shared = (all_learners()[name](random_state=0, euclid_share=s).fit(X, y) for s in (0.0, 0.4))
    expected = 0.6 * own.predict_proba(NEW) + 0.4 * euclid_votes(NEW, X, y, 3)
    np.testing.assert_allclose(shared.predict_proba(NEW), expected, atol=1e-12)


@pytest.mark.parametrize("name", LOCAL)
def test_local_distances_are_blended_at_the_same_mean(name, tmp_path):
    settings = {"random_state": 0} if name == "PLML" else {}
    learned = all_learners()[name](euclid_share=0.0, **settings).fit(X, y).distance_
    blend = all_learners()[name](euclid_share=0.3, **settings).fit(X, y)
    assert isinstance(blend.distance_, BlendedDistance)
    D, plain = learned.pairwise(X, X), np.square(X[:, None] - X).sum(axis=2)
    expected = 0.7 * D + 0.3 * D.mean() / plain.mean() * plain
    np.testing.assert_allclose(blend.distance_.pairwise(X, X), expected, rtol=1e-6, atol=1e-8)
    save(blend, tmp_path / "model")
    np.testing.assert_array_equal(
        load(tmp_path / "model").distance_.pairwise(NEW, X), blend.distance_.pairwise(NEW, X)
    )


def test_a_gain_that_may_be_chance_leaves_euclid():
    policy = SharePolicy(shares=(0.0, 1.0), most_halvings=1)
    codes = np.arange(100) % 2
    lucky = np.zeros(100)
    lucky[::50] = 1.0

    def gains(of):
        return lambda seen, unseen: np.c_[of[unseen], np.zeros(len(unseen))]

    assert best_share(codes, gains(lucky), SharePolicy(shares=(0.0, 1.0), caution=2.0)) == 1.0
    assert best_share(codes, gains(lucky), SharePolicy(shares=(0.0, 1.0), caution=0.0)) == 0.0
    assert best_share(codes, gains(np.ones(100)), policy) == 0.0
    assert best_share(codes, gains(-np.ones(100)), policy) == 1.0
    assert best_share(codes, lambda seen, unseen: None, policy) == 0.0


@pytest.mark.parametrize("name", ["ITML", "RCA", "LDML"])
def test_without_labels_nothing_can_be_judged(name):
    rows = {"chunklets": y} if name == "RCA" else {"pairs": [[0, 1], [0, 70]], "similar": [True, False]}
    assert all_learners()[name]().fit(X, **rows).euclid_share_ == 0
