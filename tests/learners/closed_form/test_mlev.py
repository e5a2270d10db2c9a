"""MLEV and ANMM: their margin, Euclid as the limit, and what their two views share."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.preprocessing import scale

from nearkin.learners.closed_form.mlev import ANMM, MLEV
from nearkin.supervision.label_pairs import all_pairs, nearest_pairs

X, y = load_wine(return_X_y=True)
X = scale(X)
BOTH = [
    MLEV(euclid_share=0.0),
    MLEV("local", euclid_share=0.0),
    MLEV(balance=0.5, euclid_share=0.0),
    ANMM(euclid_share=0.0),
]


@pytest.mark.parametrize("learner", BOTH, ids=str)
def test_all_directions_are_euclid(learner):
    Z = learner.set_params(n_components=None).fit_transform(X, y)
    np.testing.assert_allclose(euclidean_distances(Z), euclidean_distances(X), atol=1e-6)


@pytest.mark.parametrize(
    ("learner", "pairs"),
    [
        (MLEV(balance=0.7, n_components=3, euclid_share=0.0), all_pairs(y)),
        (MLEV("local", balance=0.7, n_components=3, euclid_share=0.0), nearest_pairs(X, y, 5, 5)),
        (ANMM(n_components=3, euclid_share=0.0), nearest_pairs(X, y, 3, 1)),
    ],
    ids=["global", "local", "anmm"],
)
def test_objective_is_the_margin_between_both_kinds_of_pairs_and_the_largest(learner, pairs):
    balance = getattr(learner, "balance", 1.0)
    differences = X[pairs.left] - X[pairs.right]

    def margin(L):
        squares = np.sum((differences @ L.T) ** 2, axis=1)
        return squares[~pairs.similar].mean() - balance * squares[pairs.similar].mean()

    learner.fit(X, y)
    assert learner.objective_ == pytest.approx(margin(learner.components_))
    assert learner.objective_ == pytest.approx(learner.eigenvalues_.sum())
    np.testing.assert_allclose(learner.components_ @ learner.components_.T, np.eye(3), atol=1e-10)
    rng = np.random.default_rng(0)
    others = (np.linalg.qr(rng.normal(size=(13, 3)))[0].T for _ in range(200))
    assert max(map(margin, others)) < learner.objective_


def test_the_local_view_of_everything_is_the_global_view():
    near, all_of_them = (
        MLEV(view, n_neighbors=len(X), n_components="positive", euclid_share=0.0).fit(X, y)
        for view in ("local", "global")
    )
    # Rows of small classes have fewer friends, so means agree where each pair counts the same: here.
    np.testing.assert_allclose(near.eigenvalues_, all_of_them.eigenvalues_)
    np.testing.assert_allclose(near.components_, all_of_them.components_, atol=1e-8)


def test_anmm_with_as_many_friends_as_enemies_is_the_local_view():
    ours, theirs = (
        ANMM(n_friends=4, n_enemies=4, euclid_share=0.0).fit(X, y),
        MLEV("local", n_neighbors=4, euclid_share=0.0).fit(X, y),
    )
    np.testing.assert_array_equal(ours.components_, theirs.components_)


@pytest.mark.parametrize("learner", BOTH, ids=str)
def test_distances_follow_rotations(learner):
    learner.set_params(n_components="positive")
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(13, 13)))[0]
    plain = learner.fit(X, y).distance_.pairwise(X[:9], X)
    np.testing.assert_allclose(learner.fit(X @ Q, y).distance_.pairwise(X[:9] @ Q, X @ Q), plain, atol=1e-9)


def test_positive_keeps_just_the_directions_with_a_margin():
    every, positive = (MLEV(n_components=kept, euclid_share=0.0).fit(X, y) for kept in (None, "positive"))
    assert len(positive.components_) == np.sum(every.eigenvalues_ > 0) < 13
    np.testing.assert_array_equal(positive.components_, every.components_[: len(positive.components_)])


def test_without_any_margin_the_best_direction_is_kept_with_a_warning():
    with pytest.warns(UserWarning, match="only the best one is kept"):
        learner = MLEV(balance=100.0, n_components="positive", euclid_share=0.0).fit(X, y)
    assert learner.components_.shape == (1, 13)


@pytest.mark.parametrize("learner", [MLEV(euclid_share=0.0), ANMM(euclid_share=0.0)], ids=str)
def test_auto_keeps_the_directions_that_tell_held_out_classes_apart(learner):
    # Two features tell, 38 are noise in which any margin is chance.
    rng = np.random.default_rng(0)
    labels = np.arange(120) % 3
    rows = rng.normal(size=(120, 40))
    rows[:, 0] += 4 * (labels == 1)
    rows[:, 1] += 4 * (labels == 2)
    learner.fit(rows, labels)
    scores = learner.validation_scores_
    assert {1, 2, 40} <= set(scores)
    best, kept = max(scores.values()), len(learner.components_)
    error = np.sqrt(best * (1 - best) / 120)
    assert scores[40] < best - error <= scores[kept]
    assert all(scores[count] < best - error for count in scores if count > kept)


def test_auto_keeps_all_where_no_direction_may_be_dropped():
    # The class is the parity of two signs: no direction has a margin of its own.
    rng = np.random.default_rng(0)
    corners = rng.choice([-1, 1], size=(400, 2))
    rows = 3 * corners + rng.normal(size=(400, 2))
    learner = MLEV(euclid_share=0.0).fit(rows, corners.prod(axis=1))
    assert len(learner.components_) == 2


def test_the_docstring_says_that_it_is_reimplemented():
    assert "after Li, Tian" in MLEV.__doc__
    assert "Reimplemented" in MLEV.__doc__


def test_clear_errors():
    for learner, name in [
        (MLEV(view="near", euclid_share=0.0), "view"),
        (MLEV(balance=-1, euclid_share=0.0), "balance"),
        (MLEV(balance=np.inf, euclid_share=0.0), "balance"),
        (MLEV(n_neighbors=0, euclid_share=0.0), "n_neighbors"),
        (MLEV(n_components=14, euclid_share=0.0), "n_components"),
        (MLEV(n_components="best", euclid_share=0.0), "n_components"),
        (ANMM(n_friends=0, euclid_share=0.0), "n_friends"),
        (ANMM(n_enemies=0.5, euclid_share=0.0), "n_enemies"),
    ]:
        with pytest.raises(ValueError, match=name):
            learner.fit(X, y)
