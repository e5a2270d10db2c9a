"""Pairs from labels: of the kind they claim to be, and the nearest where that is claimed."""

import numpy as np
import pytest

from nearkin.numerics.neighbours import other_class_neighbours
from nearkin.supervision.label_pairs import (
    all_pairs,
    balanced_pairs,
    nearest_pairs,
    random_others,
    random_pairs,
)


@pytest.fixture
def labelled():
    rng = np.random.RandomState(0)
    return rng.standard_normal((60, 3)), rng.choice([0, 0, 0, 1, 1, 2], 60)


def test_other_class_neighbours_agree_with_a_sort_of_all_distances(labelled):
    X, codes = labelled
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    D[codes[:, None] == codes] = np.inf
    assert np.array_equal(other_class_neighbours(X, codes, 4), np.argsort(D, axis=1)[:, :4])


def test_nearest_pairs_are_of_their_kind_and_as_many_as_the_classes_allow(labelled):
    X, codes = labelled
    codes = np.where(np.arange(60) == 7, 3, codes)
    similar, dissimilar = nearest_pairs(X, codes, 3, 2).split()
    assert np.array_equal(codes[similar.left], codes[similar.right])
    assert not (codes[dissimilar.left] == codes[dissimilar.right]).any()
    assert 7 not in similar.left
    assert np.bincount(similar.left, minlength=60).tolist() == [3] * 7 + [0] + [3] * 52
    assert np.bincount(dissimilar.left).tolist() == [2] * 60


@pytest.mark.parametrize("draw", [random_pairs, balanced_pairs])
def test_drawn_pairs_join_different_rows_and_are_what_they_claim(draw, labelled):
    _, codes = labelled
    pairs = draw(codes, 400, np.random.RandomState(0))
    assert len(pairs) == 400
    assert not (pairs.left == pairs.right).any()
    assert np.array_equal(pairs.similar, codes[pairs.left] == codes[pairs.right])


def test_balanced_pairs_are_half_similar_and_reach_every_row(labelled):
    _, codes = labelled
    pairs = balanced_pairs(codes, 4000, np.random.RandomState(0))
    assert pairs.similar.sum() == 2000
    for part in pairs.split():
        assert set(np.r_[part.left, part.right]) == set(range(60))


def test_balanced_pairs_do_with_one_kind_where_there_is_no_other():
    assert not balanced_pairs(np.arange(5), 6, np.random.RandomState(0)).similar.any()
    assert balanced_pairs(np.zeros(5, int), 6, np.random.RandomState(0)).similar.all()


def test_all_pairs_hold_each_pair_of_rows_once():
    pairs = all_pairs(np.array([0, 1, 0, 1]))
    listed = {(a, b): flag for a, b, flag in zip(pairs.left, pairs.right, pairs.similar.tolist())}
    assert listed == {(0, 1): False, (0, 2): True, (0, 3): False, (1, 2): False, (1, 3): True, (2, 3): False}


def test_random_others_give_every_row_its_share_of_every_other_class(labelled):
    _, codes = labelled
    pairs = random_others(codes, 200, np.random.RandomState(0))
    assert np.array_equal(np.bincount(pairs.left), np.full(60, 200))
    assert not pairs.similar.any()
    assert (codes[pairs.left] != codes[pairs.right]).all()
    assert set(pairs.right[pairs.left == 0]) == set(np.flatnonzero(codes != codes[0]))
