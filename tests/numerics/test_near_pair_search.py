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


def test_distances_are_as_exact_as_asked():
    Z = (1000 + np.random.RandomState(0).standard_normal((60, 3))).astype(np.float32)
    limits = np.full(60, 4.0, dtype=np.float32)
    for largest_error, exact in ((0.0, True), (1e9, False)):
        (indptr, others), distances = NearPairSearch(largest_error=largest_error)(Z, limits, 10_000)
        owners = np.repeat(np.arange(60), np.diff(indptr))
        errors = np.abs(((Z[owners] - Z[others]) ** 2).sum(axis=1) - distances)
        assert (errors.max() < 1e-5) == exact
