import numpy as np
from tests.losses.pair_sets import listed, near

from nearkin.numerics.near_pair_search import NearPairSearch


def test_search_in_principal_dimensions_finds_the_same_pairs():
    rng = np.random.RandomState(0)
    Z = rng.standard_normal((150, 40)) * 0.8 ** np.arange(40)
    limits = rng.uniform(1.0, 2.0, 150)
    search = NearPairSearch()
    found = listed(search(Z, limits, 20_000)[0])
    assert search.directions.shape[1] < 40
    assert found == near(Z, limits)


def test_misleading_principal_dimensions_are_given_up():
    rng = np.random.RandomState(0)
    Z = 2.0 * rng.standard_normal((150, 40))
    # In the leading dimensions the rows fall into ten-fold copies, in the others they are far apart.
    Z[:, :8] = 30.0 * np.repeat(rng.standard_normal((15, 8)), 10, axis=0)
    search = NearPairSearch()
    for _ in range(4):
        assert near(Z, np.full(150, 5.0)) == listed(search(Z, np.full(150, 5.0), 20_000)[0])
    assert search.share > 0.9
