"""Pieces of exact search that are of use by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nearkin.numerics.neighbours_blocked import (
    ScanPolicy,
    coarse_origin,
    nearest_references,
    squared_distances_to,
)
from nearkin.numerics.threads import allowed_workers


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array])
def test_distances_to_chosen_rows(wrap):
    rng = np.random.default_rng(0)
    Q, R = rng.standard_normal((7, 5)), rng.standard_normal((11, 5))
    chosen = rng.integers(0, 11, (7, 3))
    expected = ((Q[:, None] - R[chosen]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared_distances_to(wrap(Q), wrap(R), chosen), expected)


def test_origin_only_where_it_helps():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5_000, 3))
    assert coarse_origin(X) is None
    origin = coarse_origin(X + [0, 100, -3000])
    np.testing.assert_allclose(origin, [0, 100, -3000], atol=1)


def test_origin_keeps_whole_numbers_whole_and_takes_constant_columns():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(990, 1010, 2_000), np.full(2_000, 7)]).astype(np.float32)
    origin = coarse_origin(X)
    assert origin.dtype == np.float32
    assert origin[1] == 7
    np.testing.assert_array_equal(origin, np.round(origin))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_single_query_finds_the_same_row_by_row(workers, dtype):
    rng = np.random.default_rng(0)
    Q, R = rng.standard_normal((1, 30)).astype(dtype), rng.standard_normal((500, 30)).astype(dtype)
    half = np.square(R).sum(axis=1) / 2
    with allowed_workers(workers):
        distances, places = nearest_references(Q, R, half, 7, policy=ScanPolicy(long_rows=1, many_entries=1))
    expected = np.square(R - Q).sum(axis=1)
    assert places[0].tolist() == expected.argsort()[:7].tolist()
    np.testing.assert_allclose(distances[0], np.sort(expected)[:7], rtol=1e-5)
