"""Target pairs against a loop over rows."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.numerics.neighbours import same_class_neighbours
from nearkin.supervision.pairs import candidate_rows, listed_pairs


@given(st.integers(0, 10**6), st.integers(2, 25), st.integers(1, 5))
@settings(max_examples=30, deadline=None)
def test_each_row_is_paired_with_its_nearest_of_the_same_class(seed, n, n_targets):
    rng = np.random.default_rng(seed)
    X, codes, weights = rng.normal(size=(n, 3)), rng.integers(4, size=n), rng.random(n) + 0.5
    expected = np.zeros((n, n))
    for i in range(n):
        mates = [j for j in np.argsort(((X - X[i]) ** 2).sum(axis=1)) if j != i and codes[j] == codes[i]]
        expected[i, mates[:n_targets]] = weights[i]
    np.testing.assert_allclose(
        listed_pairs(same_class_neighbours(X, codes, n_targets), sample_weight=weights).toarray(), expected
    )


def test_rows_alone_in_their_class_have_no_pair():
    pairs = listed_pairs(same_class_neighbours(np.arange(4.0)[:, None], np.array([0, 0, 1, 2]), 3))
    assert pairs.nnz == 2
    assert pairs[[2, 3]].nnz == 0


def test_candidates_are_few_of_each_class_and_the_same_for_any_order_of_classes():
    codes = np.repeat([0, 1, 2], [50, 10, 3])
    among = candidate_rows(codes, 8)
    assert np.bincount(codes[among]).tolist() == [8, 8, 3]
    np.testing.assert_array_equal(candidate_rows(2 - codes, 8), among)
    assert candidate_rows(codes, 50) is None
    assert candidate_rows(codes, None) is None
