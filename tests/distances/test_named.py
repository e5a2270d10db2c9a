import numpy as np
import pytest
from scipy.spatial.distance import cdist

from nearkin.distances.named import NAMES, NamedDistance

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(6, 4)), RNG.normal(size=(5, 4))


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("manhattan", "l1", "minkowski")])
def test_agrees_with_scipy(name):
    np.testing.assert_allclose(np.sqrt(NamedDistance(name).pairwise(A, B)), cdist(A, B, name), atol=1e-12)


def test_the_power_is_used():
    found = NamedDistance("minkowski", 3.0).pairwise(A, B)
    np.testing.assert_allclose(np.sqrt(found), cdist(A, B, "minkowski", p=3))


def test_single_precision_stays():
    found = NamedDistance("manhattan").pairwise(A.astype(np.float32), B.astype(np.float32))
    assert found.dtype == np.float32
