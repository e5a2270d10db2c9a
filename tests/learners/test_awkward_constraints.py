"""Pairs, triplets and quadruplets as users bring them, for every learner found that takes them."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from nearkin.learners import all_learners
from nearkin.supervision.label_pairs import nearest_pairs

RNG = np.random.default_rng(0)
LABELS = np.arange(30) % 3
ROWS = np.c_[4.0 * LABELS, np.zeros((30, 2))] + RNG.normal(size=(30, 3))
#: A row once more, so that a pair of equal rows can be given.
ROWS = np.r_[ROWS, ROWS[:1]]
LABELS = np.r_[LABELS, LABELS[0]]

#: Learners by the kind of constraint they take.
TAKERS = {
    kind: [name for name, learner in all_learners().items() if kind in learner.supervision]
    for kind in ("pairs", "triplets", "quadruplets")
}
#: Constraints that are enough to learn from.
GIVEN = {
    "pairs": {
        "pairs": [[0, 3], [1, 4], [2, 5], [0, 1], [1, 2], [2, 3], [6, 10]],
        "similar": [1, 1, 1, 0, 0, 0, 0],
    },
    "triplets": {"triplets": [[0, 3, 1], [1, 4, 2], [2, 5, 0], [6, 9, 7]]},
    "quadruplets": {"quadruplets": [[0, 3, 1, 2], [1, 4, 0, 2], [2, 5, 0, 1]]},
}
#: Learners that set similar pairs against dissimilar ones, and those that start from similar ones.
NEED_BOTH_KINDS = {"DMLEig", "MMC", "LDML"}
NEED_SIMILAR = NEED_BOTH_KINDS | {"GMML", "DMLMJ"}
CASES = [(kind, name) for kind, names in TAKERS.items() for name in names]


def more(kind, constraint, similar=None):
    """The constraints that are enough, and one more."""
    given = {name: list(values) for name, values in GIVEN[kind].items()}
    given[kind].append(constraint)
    if similar is not None:
        given["similar"].append(similar)
    return given


def learned(name, rows=ROWS, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return all_learners()[name]().fit(rows, **given)


def assert_measures(learner, rows=ROWS):
    D = learner.distance_.pairwise(rows, rows)
    assert np.isfinite(D).all()
    assert D.max() > 0


def test_there_are_takers_of_each_kind():
    assert len(TAKERS["pairs"]) >= 8
    assert {"SCML", "LSML"} <= set(TAKERS["triplets"])
    assert "LSML" in TAKERS["quadruplets"]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_a_few_constraints_teach_what_they_say(kind, name):
    learner = learned(name, **GIVEN[kind])
    assert_measures(learner)
    # All of them hold of the first feature, which then tells the classes apart.
    same = learner.pair_distances(ROWS, [[i, i + 3] for i in range(24)])
    other = learner.pair_distances(ROWS, [[i, i + 1] for i in range(24)])
    assert same.mean() < other.mean()


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_contradictions_do_no_harm(kind, name):
    swapped = {"pairs": [0, 3], "triplets": [0, 1, 3], "quadruplets": [1, 2, 0, 3]}[kind]
    assert_measures(learned(name, **more(kind, swapped, 0 if kind == "pairs" else None)))


@pytest.mark.parametrize(("kind", "name"), CASES)
@pytest.mark.parametrize("number", [31, -1, 10**9])
def test_rows_that_are_not_there_are_named(kind, name, number):
    wrong = {"pairs": [0, number], "triplets": [0, 1, number], "quadruplets": [0, 1, 2, number]}[kind]
    with pytest.raises(ValueError, match=rf"{number}\b"):
        learned(name, **more(kind, wrong, 1 if kind == "pairs" else None))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_numbers_that_are_not_whole_are_refused(kind, name):
    wrong = {"pairs": [0, 1.5], "triplets": [0, 1, 1.5], "quadruplets": [0, 1, 2, 1.5]}[kind]
    with pytest.raises(ValueError, match=r"integer|row number|whole"):
        learned(name, **more(kind, wrong, 1 if kind == "pairs" else None))


@pytest.mark.parametrize("similar", [0, 1])
@pytest.mark.parametrize("name", TAKERS["pairs"])
def test_a_pair_of_equal_rows_changes_little(name, similar):
    """No metric can part them: nothing to learn, nothing undefined."""
    plain = learned(name, **GIVEN["pairs"])
    again = learned(name, **more("pairs", [0, 30], similar))
    assert_measures(again)
    # LDML moves its threshold towards the distance of the pair, zero.
    if name != "LDML":
        D, E = (learner.pair_distances(ROWS, [[0, 1], [0, 3], [4, 9]]) for learner in (plain, again))
        np.testing.assert_allclose(E / E[0], D / D[0], rtol=0.35)


@pytest.mark.parametrize(("kind", "name"), [case for case in CASES if case[0] != "pairs"])
def test_comparisons_with_equal_rows_are_survived(kind, name):
    for constraint in {"triplets": ([0, 30, 1], [0, 1, 30]), "quadruplets": ([0, 30, 1, 2], [1, 2, 0, 30])}[
        kind
    ]:
        assert_measures(learned(name, **more(kind, constraint)))


@pytest.mark.parametrize("similar", [0, 1])
@pytest.mark.parametrize("name", TAKERS["pairs"])
def test_pairs_of_one_kind_teach_or_are_refused_by_name(name, similar):
    pairs = [[0, 3], [1, 4], [2, 5], [6, 9]] if similar else [[0, 1], [1, 2], [3, 4], [5, 6]]
    given = {"pairs": pairs, "similar": [similar] * 4}
    if name in (NEED_BOTH_KINDS if similar else NEED_SIMILAR):
        with pytest.raises(ValueError, match="similar"):
            learned(name, **given)
    else:
        assert_measures(learned(name, **given))


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_one_feature_and_more_features_than_rows(kind, name):
    wide = np.c_[ROWS, 0.1 * RNG.normal(size=(31, 40))]
    for rows in (ROWS[:, :1], wide):
        assert_measures(learned(name, rows, **GIVEN[kind]), rows)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_two_kinds_of_supervision_at_once_are_refused(kind, name):
    with pytest.raises(ValueError, match="one kind of supervision"):
        learned(name, y=LABELS, **GIVEN[kind])


#: What labels and pairs would choose by different means, fixed.
FIXED = {"GMML": {"t": 0.5}, "DMLMJ": {"n_components": None}}


@pytest.mark.parametrize("name", TAKERS["pairs"])
def test_labels_turned_into_pairs_by_hand_give_the_same_metric(name):
    # Labels can also judge how much of Euclid to keep, pairs cannot: compared is what is learned.
    learner = all_learners()[name](euclid_share=0.0, **FIXED.get(name, {}))
    made = (
        learner._constraints_of_labels(ROWS, LABELS)
        if hasattr(learner, "_constraints_of_labels")
        else nearest_pairs(ROWS, LABELS, 3, 3)  # of LDML
    )
    by_labels = clone(learner).fit(ROWS, LABELS)
    by_hand = clone(learner).fit(ROWS, pairs=np.c_[made.left, made.right], similar=made.similar)
    M, N = by_labels.get_mahalanobis_matrix(), by_hand.get_mahalanobis_matrix()
    np.testing.assert_allclose(N, M, rtol=1e-6, atol=1e-6 * np.abs(M).max())
