import numpy as np
from scipy import sparse

from nearkin.distances import AffineMap, EmbeddedDistance
from nearkin.search.radius import within_radius

RNG = np.random.default_rng(0)


def test_blocks_change_nothing():
    X = RNG.normal(size=(40, 3))
    whole = within_radius(EmbeddedDistance(), X, X, 1.0)
    blocks = within_radius(EmbeddedDistance(), X, X, 1.0, memory_budget=8 * 40 * 7)
    for a, b in zip(whole[1], blocks[1], strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_rim_is_inside_far_from_the_origin():
    # Products of such rows are wrong by far more than the radius.
    rows = 1e6 + np.arange(5.0)[:, None] * np.array([[1.0, 0.0]])
    distances, indices = within_radius(EmbeddedDistance(), rows, rows[:1], 2.0)
    np.testing.assert_array_equal(indices[0], [0, 1, 2])
    np.testing.assert_array_equal(distances[0], [0, 1, 2])


def test_sides_of_their_own_and_sparse_rows():
    X = sparse.random(30, 8, density=0.4, random_state=0, format="csr")
    distance = EmbeddedDistance(references=AffineMap(2 * np.eye(8)))
    thin = within_radius(distance, X, X, 1.2)
    full = within_radius(distance, X.toarray(), X.toarray(), 1.2)
    assert sum(map(len, thin[1])) > 0
    for a, b in zip(thin[1], full[1], strict=True):
        np.testing.assert_array_equal(a, b)
