"""Trees agree with exact search, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from nearkin.search import ExactIndex, TreeIndex


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(["kd_tree", "ball_tree"]),
    n=st.integers(1, 200),
    d=st.integers(1, 3),
    k=st.integers(1, 200),
    seed=st.integers(0, 2**16),
)
def test_same_as_exact_on_a_grid(kind, n, d, k, seed):
    rng = np.random.default_rng(seed)
    references = rng.integers(0, 5, (n, d)).astype(float)
    queries = rng.integers(0, 5, (20, d)).astype(float)
    found = TreeIndex(kind, leaf_size=5).build(references).query(queries, min(k, n))
    expected = ExactIndex().build(references).query(queries, min(k, n))
    np.testing.assert_array_equal(found[1], expected[1])
    np.testing.assert_allclose(found[0], expected[0], atol=1e-9)


def test_dtype_is_kept_and_errors_are_clear():
    rows = np.random.default_rng(0).standard_normal((30, 2)).astype(np.float32)
    assert TreeIndex().build(rows).query(rows, 3)[0].dtype == np.float32
    with pytest.raises(ValueError, match="ball_tree"):
        TreeIndex("oak").build(rows)
    with pytest.raises(TypeError, match="index='exact'"):
        TreeIndex().build(sparse.csr_array(rows))
    with pytest.raises(ValueError, match="between 1 and 30"):
        TreeIndex().build(rows).query(rows, 31)
