from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine, make_classification
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale

import nearkin
from nearkin import LFDA, LMDL, RCA, AverageVote
from nearkin.predictors.average_vote import picked

X, Y = load_wine(return_X_y=True)
X = scale(X)


def test_votes_are_the_mean_of_those_picked():
    model = AverageVote([None, RCA()], n_neighbors=(1, 5), n_picks=4).fit(X[::2], Y[::2])
    expected = np.zeros((len(X[1::2]), 3))
    rca = RCA().fit(X[::2], Y[::2])
    for pick in model.picks_:
        learner, n_neighbors = model.choices_[pick]
        rows, queries = (X[::2], X[1::2]) if learner == 0 else map(rca.transform, (X[::2], X[1::2]))
        plain = KNeighborsClassifier(n_neighbors).fit(rows, Y[::2])
        expected += plain.predict_proba(queries) / 4
    np.testing.assert_allclose(model.predict_proba(X[1::2]), expected, atol=1e-9)
    assert len(model.picks_) == 4
    assert model.scores_[model.picks_[0]] == max(model.scores_)


def test_who_is_right_more_often_together_is_picked():
    codes = np.array([0, 0, 1, 1])

    def sure_of(right):
        P = np.full((4, 2), 0.5)
        for row, share in enumerate(right):
            P[row, codes[row]] = share
            P[row, 1 - codes[row]] = 1 - share
        return P

    votes = [sure_of(right) for right in ([0.9, 0.9, 0.9, 0.4], [0.9, 0.9, 0.9, 0.3], [0.2, 0.4, 0.4, 1.0])]
    assert picked(votes, codes, 2) == [0, 2]
    # One pick is the best by itself.
    assert picked(votes, codes, 1) == [0]


def test_learners_without_neighbours_and_labels_of_any_kind(tmp_path):
    names = np.array(["red", "green", "blue"])[Y]
    model = AverageVote([LMDL(random_state=0), LFDA()], n_picks=3).fit(X, names)
    assert set(model.predict(X)) <= set(names)
    assert (0, None) in model.choices_
    assert model.score(X, names) > 0.9
    path = tmp_path / "committee.nearkin"
    nearkin.save(model, path)
    np.testing.assert_array_equal(nearkin.load(path).predict_proba(X), model.predict_proba(X))


def test_scikit_learn_can_clone_and_validate_it():
    model = clone(AverageVote([None], n_neighbors=(3,), n_picks=1))
    plain = KNeighborsClassifier(3)
    # A single choice is plain k nearest neighbours.
    np.testing.assert_allclose(
        cross_val_score(model, X, Y, cv=3), cross_val_score(plain, X, Y, cv=3), atol=0.02
    )


def test_rare_classes_and_few_rows():
    y = Y.copy()
    y[:2] = 7
    model = AverageVote([None], n_picks=3).fit(X, y)
    assert model.predict_proba(X).shape == (len(X), 4)
    few = AverageVote([None], n_picks=2).fit(X[[0, 1, 100, 101]], Y[[0, 1, 100, 101]])
    assert all(n_neighbors <= 2 for _, n_neighbors in few.choices_)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learners": []}, "at least one learner"),
        ({"learners": "rca"}, "at least one learner"),
        ({"learners": RCA()}, "at least one learner"),
        ({"learners": [None], "n_picks": 0}, "n_picks=0"),
        ({"learners": [None], "cv": 1}, "cv=1"),
        ({"learners": [None], "n_neighbors": (0, 3)}, "n_neighbors"),
    ],
)
def test_mistakes_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        AverageVote(**settings).fit(X, Y)
    with pytest.raises(ValueError, match="only one row"):
        AverageVote([None]).fit(X[:3], [0, 1, 2])


def test_it_takes_part_in_a_comparison(tmp_path):
    rows, labels = make_classification(90, 6, n_informative=4, random_state=0)
    quick = {"folds": 3, "repeats": 1, "isolate": False, "time_budget": None}
    study = nearkin.compare(rows, labels, ["rca", "lfda"], average=True, **quick)
    assert "Average vote" in study.leaderboard.index
    saved = nearkin.load(study.save(tmp_path / "a.nearkin", "Average vote"))
    assert isinstance(saved[-1], AverageVote)
    assert len(saved[-1].learners) == 3
    with pytest.raises(ValueError, match="classification of dense rows"):
        nearkin.compare(rows, rows[:, 0] * 1.5, "dmlmtp", average=True, **quick)


def test_missing_values_are_named_by_row():
    model = AverageVote([None], n_picks=1).fit(X, Y)
    broken = X.copy()
    broken[7, 2] = np.nan
    with pytest.raises(ValueError, match="row 7"):
        model.predict(broken)
    with pytest.raises(ValueError, match="row 7"):
        clone(model).fit(broken, Y)
