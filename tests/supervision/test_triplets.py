"""Triplets against the definition written out row by row."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.supervision.triplets import nearest_other_rows, output_ordered_triplets, standardised_targets


def as_rows(triplets):
    rows, neighbours = triplets.pairs()
    assert np.array_equal(rows[triplets.near], rows[triplets.far])
    return set(
        zip(
            rows[triplets.near].tolist(),
            neighbours[triplets.near].tolist(),
            neighbours[triplets.far].tolist(),
        )
    )


def by_definition(X, Y, n_neighbors):
    Z = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    expected = set()
    for i in range(len(X)):
        order = [j for j in np.argsort(((X - X[i]) ** 2).sum(axis=1), kind="stable") if j != i]
        for j, l in combinations(order[:n_neighbors], 2):
            d_j, d_l = ((Z[j] - Z[i]) ** 2).sum(), ((Z[l] - Z[i]) ** 2).sum()
            if not np.isclose(d_j, d_l, rtol=1e-9, atol=0):
                expected.add((i, j, l) if d_j < d_l else (i, l, j))
    return expected


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(5, 25), q=st.integers(1, 3), n_neighbors=st.integers(2, 4))
def test_triplets_follow_the_definition(seed, n, q, n_neighbors):
    random = np.random.default_rng(seed)
    X, Y = random.normal(size=(n, 3)), random.integers(0, 4, size=(n, q)).astype(float)
    Y[:2] = [[0.0], [5.0]]
    triplets = output_ordered_triplets(X, Y, n_neighbors)
    assert as_rows(triplets) == by_definition(X, Y, n_neighbors)
    assert len(as_rows(triplets)) == len(triplets)


@pytest.mark.parametrize("n_neighbors", [2, 3, 5])
def test_a_smaller_neighbourhood_is_a_prefix(n_neighbors):
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(40, 4)), random.normal(size=(40, 2))
    large = output_ordered_triplets(X, Y, 6)
    part, alone = large.within(n_neighbors), output_ordered_triplets(X, Y, n_neighbors)
    assert np.array_equal(part.neighbours, alone.neighbours)
    assert np.array_equal(part.near, alone.near)
    assert np.array_equal(part.far, alone.far)
    assert np.shares_memory(part.near, large.near)


def test_ties_are_dropped_even_across_rounding():
    X = np.arange(4.0)[:, None]
    # The outputs of rows 1 and 2 lie equally far from row 0's, but not once they are rounded.
    Y = np.array([0.1, 0.0, 0.2, 0.3])
    assert as_rows(output_ordered_triplets(X, Y, 2)) == {(1, 0, 2), (2, 3, 1), (3, 2, 1)}


def test_targets_of_any_unit_count_alike():
    random = np.random.default_rng(1)
    X, Y = random.normal(size=(30, 3)), random.normal(size=(30, 2))
    triplets, rescaled = output_ordered_triplets(X, Y, 4), output_ordered_triplets(X, Y * [1e6, 1e-3], 4)
    assert as_rows(triplets) == as_rows(rescaled)


def test_duplicate_rows_never_find_themselves():
    X = np.zeros((6, 2))
    found = nearest_other_rows(X, 3)
    assert found.shape == (6, 3)
    assert not (found == np.arange(6)[:, None]).any()


def test_too_few_rows_is_an_error_that_says_what_to_do():
    with pytest.raises(ValueError, match=r"n_neighbors=4 needs at least 5 rows.*n_neighbors <= 2"):
        output_ordered_triplets(np.zeros((3, 1)), np.arange(3.0), 4)


def test_constant_targets_are_zero_however_large():
    Y = np.column_stack([np.full(7, 1e9 + 0.1), np.arange(7.0)])
    Z = standardised_targets(Y)
    assert not Z[:, 0].any()
    assert Z[:, 1].std() == pytest.approx(1)


def test_all_targets_tied_gives_no_triplets():
    triplets = output_ordered_triplets(np.random.default_rng(0).normal(size=(10, 2)), np.ones(10), 3)
    assert len(triplets) == 0
    assert len(triplets.within(2)) == 0
