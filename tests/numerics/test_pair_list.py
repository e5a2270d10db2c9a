import numpy as np
import pytest

from nearkin.numerics.pair_list import ListedPairs


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_and_gradients_are_those_of_a_loop(dtype):
    rng = np.random.RandomState(0)
    # Far from the origin, where products would lose the digits in which rows differ.
    Z = (rng.standard_normal((20, 3)) + 100).astype(dtype)
    left, right = rng.randint(20, size=(2, 60))
    slopes = rng.standard_normal(60)
    pairs = ListedPairs(left, right, 20)
    expected = np.zeros((20, 3))
    for a, b, slope in zip(left, right, slopes, strict=True):
        difference = Z[a].astype(float) - Z[b]
        expected[a] += 2 * slope * difference
        expected[b] -= 2 * slope * difference
    gradient = pairs.gradient(Z, slopes)
    assert gradient.dtype == dtype
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5 if dtype == np.float32 else 1e-10)
    np.testing.assert_allclose(
        pairs.distances(Z), ((Z[left].astype(float) - Z[right]) ** 2).sum(axis=1), rtol=1e-5
    )
    assert len(pairs) == 60
