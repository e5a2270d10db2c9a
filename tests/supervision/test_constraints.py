"""Constraints as users give them: right ones are kept as they are, wrong ones name the problem."""

import numpy as np
import pytest

from nearkin.supervision.constraints import Pairs, Quadruplets, TripletList


def test_flags_may_be_booleans_zeros_and_ones_or_signs():
    rows = [[0, 1], [1, 2], [2, 0]]
    expected = [True, False, True]
    for flags in ([True, False, True], [1, 0, 1], [1, -1, 1], np.array([1.0, -1.0, 1.0])):
        assert Pairs.checked(rows, flags, n_samples=3).similar.tolist() == expected


def test_weights_have_mean_one_and_zeros_are_left_out():
    pairs = Pairs.checked([[0, 1], [1, 2], [2, 0]], [1, 0, 1], n_samples=3, weight=[2, 0, 6])
    assert pairs.weight.tolist() == [0.5, 1.5]
    assert pairs.left.tolist() == [0, 2]


def test_triplets_are_quadruplets_with_one_anchor():
    quadruplets = TripletList.checked([[0, 1, 2]], n_samples=3).as_quadruplets()
    assert isinstance(quadruplets, Quadruplets)
    assert [quadruplets.near_left[0], quadruplets.near_right[0]] == [0, 1]
    assert [quadruplets.far_left[0], quadruplets.far_right[0]] == [0, 2]


@pytest.mark.parametrize(
    ("pairs", "similar", "weight", "said"),
    [
        ([[0, 1, 2]], None, None, r"shape \(1, 3\); expected \(n_constraints, 2\)"),
        ([], None, None, "shape"),
        (np.empty((0, 2), int), None, None, "empty"),
        ([[0, 3]], None, None, r"pairs\[0\] names row 3, but X has rows 0 to 2"),
        ([[0, -1]], None, None, "names row -1"),
        ([[0, 0.5]], None, None, "whole row numbers"),
        ([["a", "b"]], None, None, "row numbers"),
        ([[0, np.nan]], None, None, "whole row numbers"),
        ([[0, 1]], [1, 0], None, "one flag per pair"),
        ([[0, 1]], [2], None, "booleans"),
        ([[0, 1], [1, 2]], [-1, 0], None, "booleans"),
        ([[0, 1]], [1], [-1], "not negative"),
        ([[0, 1]], [1], [0], "some of it positive"),
        ([[0, 1]], [1], [1, 2], "shape"),
    ],
)
def test_what_cannot_be_meant_is_refused(pairs, similar, weight, said):
    with pytest.raises(ValueError, match=said):
        Pairs.checked(pairs, similar, n_samples=3, weight=weight)


def test_pairs_among_rows_have_both_ends_there():
    pairs = Pairs.checked([[0, 1], [1, 2], [2, 3]], [1, 0, 1], n_samples=4)
    among = pairs.among(np.array([True, True, True, False]))
    assert np.c_[among.left, among.right, among.similar].tolist() == [[0, 1, 1], [1, 2, 0]]
