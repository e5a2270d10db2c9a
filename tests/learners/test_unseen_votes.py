"""Votes on unseen rows: the rule is that of the predictor, which is what settings are chosen for."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nearkin import KNNClassifier
from nearkin.learners.unseen_votes import right_votes


def predicted(near: list[int], k: int) -> int:
    """The predictor's vote, if the references lie on a line in the order of the list."""
    places = np.arange(1.0, len(near) + 1)[:, None]
    return int(KNNClassifier(n_neighbors=k, weights="uniform").fit(places, near).predict([[0.0]])[0])


@given(
    st.integers(1, 12).flatmap(
        lambda k: st.lists(st.lists(st.integers(0, 4), min_size=k, max_size=k), min_size=1, max_size=6)
    ),
    st.integers(0, 4),
)
def test_votes_are_those_of_the_predictor(lists, truth):
    near = np.array(lists)
    counts = range(1, near.shape[1] + 1)
    expected = [[predicted(row, k) == truth for row in lists] for k in counts]
    np.testing.assert_array_equal(right_votes(near, np.full(len(near), truth), counts), expected)


def test_a_tie_goes_to_the_nearest_voter_and_not_to_the_sum_of_ranks():
    near = np.array([[0, 1, 1, 2, 0]])
    assert right_votes(near, np.array([0]), (5,)).all()
    assert predicted([0, 1, 1, 2, 0], 5) == 0


def test_with_fewer_neighbours_than_asked_for_all_vote():
    near, truth = np.array([[1, 0, 0], [2, 2, 1]]), np.array([0, 1])
    np.testing.assert_array_equal(
        right_votes(near, truth, (10, 1, 3)), [[True, False], [False, False], [True, False]]
    )


def test_more_voters_than_a_byte_counts():
    near = np.array([[1] + [0] * 150 + [1] * 149])
    assert right_votes(near, np.array([1]), (300,)).all()
