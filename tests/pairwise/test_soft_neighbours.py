import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from nearkin.pairwise.policy import SoftPolicy
from nearkin.pairwise.soft_neighbours import reach

POLICY = SoftPolicy()
ROWS_PROBED = POLICY.rows_probed


def shares_beyond(Z, sharpness, decay):
    """Share of each row's weights that neighbours beyond the reach hold."""
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    exponents = sharpness[:, None] * (D - D.min(axis=1, keepdims=True))
    weights = np.exp(-exponents)
    return (weights * (exponents > decay)).sum(axis=1) / weights.sum(axis=1), exponents


@given(seed=st.integers(0, 100), spread=st.sampled_from([0.1, 1.0, 3.0, 30.0]))
@settings(max_examples=40, deadline=None)
def test_what_lies_beyond_is_negligible(seed, spread):
    rng = np.random.RandomState(seed)
    # Few enough rows for all of them to be looked at.
    Z, sharpness = spread * rng.standard_normal((ROWS_PROBED, 3)), rng.uniform(0.5, 2, ROWS_PROBED)
    usual, certain = reach(Z, sharpness, POLICY), reach(Z, sharpness, POLICY, certain=True)
    assert shares_beyond(Z, sharpness, usual.decay)[0].mean() <= POLICY.neglected_share
    shares, exponents = shares_beyond(Z, sharpness, certain.decay)
    assert shares.max() <= POLICY.certain_share
    assert usual.decay <= certain.decay
    # Counted up to the end of the last bin.
    assert certain.neighbours == pytest.approx((exponents <= certain.decay).sum(axis=1).mean(), rel=0.05)
    assert usual.neighbours == pytest.approx((exponents <= usual.decay).sum(axis=1).mean(), abs=0.1)


def test_usual_reach_is_shorter_where_few_neighbours_matter():
    Z = 10 * np.random.RandomState(0).standard_normal((500, 4))
    assert reach(Z, np.ones(500), POLICY).decay < reach(Z, np.ones(500), POLICY, certain=True).decay - 3


def test_identical_rows_all_count():
    assert reach(np.zeros((50, 2)), np.ones(50), POLICY).neighbours == 49
