"""Exact search against distances taken one by one."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import NotFittedError

from nearkin.numerics.neighbours_blocked import ScanPolicy
from nearkin.search import ExactIndex


def naive(queries, references, k):
    """Squared distances in float64 and a stable sort."""
    squared = ((queries[:, None].astype(np.float64) - references[None].astype(np.float64)) ** 2).sum(axis=2)
    order = np.argsort(squared, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(squared, order, axis=1), order


PLAIN, COMPILED = ScanPolicy(compiled_from=np.inf), ScanPolicy(compiled_from=0)


@pytest.fixture(params=[PLAIN, COMPILED], ids=["plain", "compiled"])
def scan(request):
    """Both ways of selecting, whatever the size."""
    return request.param


whole_number_cases = st.fixed_dictionaries(
    {
        "n": st.integers(1, 300),
        "m": st.integers(1, 40),
        "d": st.integers(1, 6),
        "dtype": st.sampled_from([np.float32, np.float64]),
        "offset": st.sampled_from([0, 0, 1000]),
        "sparse": st.booleans(),
        "compiled": st.booleans(),
        "budget": st.sampled_from([1, 5_000, 2**27]),
        "seed": st.integers(0, 2**16),
    }
)


@settings(max_examples=60, deadline=None)
@given(case=whole_number_cases, share=st.floats(0, 1))
@pytest.mark.slow
def test_whole_numbers_are_settled_exactly(case, share):
    """Few distinct values make many ties and duplicates; products of whole numbers are exact."""
    rng = np.random.default_rng(case["seed"])
    references = (rng.integers(0, 3, (case["n"], case["d"])) + case["offset"]).astype(case["dtype"])
    queries = references[rng.integers(0, case["n"], case["m"])]
    k = max(1, round(share * case["n"]))
    wrap = sparse.csr_array if case["sparse"] else np.asarray
    index = ExactIndex(case["budget"], COMPILED if case["compiled"] else PLAIN)
    found, rows = index.build(wrap(references)).query(wrap(queries), k)
    expected, expected_rows = naive(queries, references, k)
    np.testing.assert_array_equal(rows, expected_rows)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == case["dtype"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_real_numbers_far_from_zero(scan, dtype, offset):
    rng = np.random.default_rng(0)
    references = (rng.standard_normal((3_000, 12)) + offset).astype(dtype)
    queries = (rng.standard_normal((600, 12)) + offset).astype(dtype)
    found, rows = ExactIndex(policy=scan).build(references).query(queries, 7)
    expected, expected_rows = naive(queries, references, 7)
    np.testing.assert_array_equal(rows, expected_rows)
    np.testing.assert_allclose(found, expected, rtol=1e-5 if dtype == np.float32 else 1e-12)


def test_identical_rows_are_at_zero(scan):
    rows = (np.random.default_rng(0).standard_normal((400, 30)) * 100).astype(np.float32)
    found, indices = ExactIndex(policy=scan).build(rows).query(rows, 1)
    assert (found == 0).all()
    np.testing.assert_array_equal(indices[:, 0], np.arange(400))


def test_blocks_do_not_change_the_answer(scan):
    rows = np.random.default_rng(1).standard_normal((1_500, 8))
    whole = ExactIndex(policy=scan).build(rows).query(rows, 20)
    small = replace(scan, block_bytes=20_000)
    cut = ExactIndex(memory_budget=100_000, policy=small).build(rows).query(rows, 20)
    np.testing.assert_array_equal(whole[1], cut[1])
    np.testing.assert_array_equal(whole[0], cut[0])


def test_mixed_dense_and_sparse_and_dtypes():
    rng = np.random.default_rng(2)
    references = rng.standard_normal((50, 6)) * (rng.random((50, 6)) < 0.5)
    queries = rng.standard_normal((9, 6)) * (rng.random((9, 6)) < 0.5)
    expected = naive(queries, references, 4)
    for wrap_r in (np.asarray, sparse.csr_array, sparse.csc_matrix):
        for wrap_q in (np.asarray, sparse.csr_matrix):
            found = ExactIndex().build(wrap_r(references)).query(wrap_q(queries), 4)
            np.testing.assert_array_equal(found[1], expected[1])
            np.testing.assert_allclose(found[0], expected[0])
    found, _ = ExactIndex().build(references.astype(np.float32)).query(queries, 4)
    assert found.dtype == np.float32
    found, _ = ExactIndex().build(np.array([[0], [3]])).query(np.array([[1]]), 2)
    np.testing.assert_array_equal(found, [[1.0, 4.0]])


def test_memory_stays_within_the_budget(scan):
    rows = np.random.default_rng(3).standard_normal((20_000, 4)).astype(np.float32)
    index = ExactIndex(memory_budget=16 * 2**20, policy=scan).build(rows)
    index.query(rows[:100], 5)  # compile before counting
    tracemalloc.start()
    index.query(rows[:1_500], 5)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * 2**20


def test_small_queries_load_no_compiler():
    code = (
        "import sys, numpy as np; from nearkin.search import ExactIndex;"
        "X = np.eye(300); ExactIndex().build(X).query(X, 5);"
        "assert 'numba' not in sys.modules and 'faiss' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_clear_errors():
    index = ExactIndex()
    with pytest.raises(NotFittedError, match="build"):
        index.query(np.eye(2), 1)
    index.build(np.eye(3))
    with pytest.raises(ValueError, match="between 1 and 3"):
        index.query(np.eye(3), 4)
    with pytest.raises(ValueError, match="between 1 and 3"):
        index.query(np.eye(3), 0)
    with pytest.raises(ValueError, match="3 columns"):
        index.query(np.eye(2), 1)
    with pytest.raises(ValueError, match="2-D"):
        index.query(np.ones(3), 1)
    with pytest.raises(ValueError, match="0 rows"):
        index.build(np.empty((0, 3)))
    with pytest.raises(ValueError, match="overflow float32"):
        index.build(np.array([[1e30], [2e30]], dtype=np.float32))
    with pytest.raises(ValueError, match="NaN"):
        index.build(np.array([[np.nan]]))
    with pytest.raises(ValueError, match="NaN"):
        ExactIndex().build(np.eye(3)).query(np.full((1, 3), np.nan), 2)
    many = ExactIndex().build(np.random.RandomState(0).uniform(size=(3_000, 3)).astype(np.float32))
    for value in (np.nan, np.inf, 1e30):
        with pytest.raises(ValueError, match="NaN"):
            many.query(np.array([[value, 0, 0]], dtype=np.float32), 2)


def test_no_queries():
    found, rows = ExactIndex().build(np.eye(3)).query(np.empty((0, 3)), 2)
    assert found.shape == rows.shape == (0, 2)


@pytest.mark.parametrize("n", [1, 7, 60, 3_000])
@pytest.mark.parametrize("k", [1, 10])
@pytest.mark.parametrize("tied", [False, True])
def test_one_query_at_a_time_finds_what_many_find(n, k, tied):
    rng = np.random.RandomState(0)
    references = rng.standard_normal((n, 5)).astype(np.float32)
    if tied:
        # Few different rows: most places are settled by row number.
        references = np.round(references[rng.randint(min(n, 3), size=n)])
    queries = rng.standard_normal((4, 5)).astype(np.float32)
    k = min(k, n)
    index = ExactIndex().build(references)
    distances, rows = index.query(queries, k)
    for query, expected, places in zip(queries, distances, rows, strict=True):
        alone, found = index.query(query[None], k)
        np.testing.assert_array_equal(found[0], places)
        np.testing.assert_allclose(alone[0], expected, rtol=1e-6)
