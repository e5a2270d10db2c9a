"""The smallest entries of each row against a stable sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.numerics.selection import smallest_per_row


@settings(max_examples=150, deadline=None)
@given(
    m=st.integers(0, 6),
    n=st.integers(1, 400),
    k=st.integers(1, 40),
    values=st.sampled_from(["few", "real", "same", "infinite"]),
    dtype=st.sampled_from([np.float32, np.float64]),
    seed=st.integers(0, 2**16),
)
def test_same_as_a_stable_sort(m, n, k, values, dtype, seed):
    rng = np.random.default_rng(seed)
    D = {
        "few": lambda: rng.integers(0, 4, (m, n)),
        "real": lambda: rng.standard_normal((m, n)),
        "same": lambda: np.zeros((m, n)),
        "infinite": lambda: np.where(rng.random((m, n)) < 0.9, np.inf, rng.random((m, n))),
    }[values]().astype(dtype)
    found, columns = smallest_per_row(D, k)
    expected = np.argsort(D, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(columns, expected)
    np.testing.assert_array_equal(found, np.take_along_axis(D, expected, axis=1))
    assert found.dtype == dtype
