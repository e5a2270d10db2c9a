import numpy as np
import pytest
from scipy import sparse

from nearkin.distances import AffineMap, Distance, EmbeddedDistance
from nearkin.report.neighbour_map import all_distances, neighbour_map, scaled_distances

RNG = np.random.default_rng(0)


class Scaled(Distance):
    """A distance without an embedding, larger in one direction than in the other."""

    def bind(self, references):
        return lambda queries: (1 + queries[:, :1] ** 2) * ((queries[:, None] - references[None]) ** 2).sum(2)


def groups(n=60, width=30):
    """Three groups that only the last of many columns tells apart."""
    X = RNG.normal(size=(n, width))
    labels = np.arange(n) % 3
    X[:, -1] = labels + 0.1 * RNG.normal(size=n)
    return X, labels


def share_of_friends(at, labels, k=5):
    squared = ((at[:, None] - at[None]) ** 2).sum(2) + np.diag(np.full(len(at), np.inf))
    return np.mean(labels[np.argsort(squared, axis=1)[:, :k]] == labels[:, None])


def test_a_learned_distance_shows_its_neighbourhoods_and_euclid_does_not():
    X, labels = groups()
    plain = neighbour_map(None, X[:20], X[20:])
    learned = EmbeddedDistance.symmetric(AffineMap(np.eye(30)[-1:]))
    after = neighbour_map(learned, X[:20], X[20:], start=plain)
    assert share_of_friends(plain, labels) < 0.8
    assert share_of_friends(after, labels) > 0.95


def test_few_points_and_coinciding_points_have_places():
    assert neighbour_map(None, np.zeros((1, 3)), np.ones((2, 3))).shape == (3, 2)
    at = neighbour_map(None, np.zeros((10, 2)), np.zeros((10, 2)))
    assert np.isfinite(at).all()


def test_scaling_recovers_a_plane():
    X = RNG.normal(size=(40, 2))
    squared = ((X[:, None] - X[None]) ** 2).sum(2)
    at = scaled_distances(squared)
    np.testing.assert_allclose(((at[:, None] - at[None]) ** 2).sum(2), squared, atol=1e-8)


@pytest.mark.parametrize("kind", ["embedded", "sparse", "bare"])
def test_distances_are_those_of_the_two_kinds_of_points(kind):
    X = np.abs(RNG.normal(size=(9, 4)))
    if kind == "bare":
        found = all_distances(Scaled(), X[:3], X[3:])
        whole = Scaled().pairwise(X, X)
        np.testing.assert_allclose(found, (whole + whole.T) / 2)
        return
    distance = EmbeddedDistance(references=AffineMap(0.5 * np.eye(4)))
    rows = sparse.csr_array(X) if kind == "sparse" else X
    found = all_distances(distance, rows[:3], rows[3:])
    np.testing.assert_allclose(found[:3, 3:], distance.pairwise(X[:3], X[3:]), atol=1e-12)
    np.testing.assert_array_equal(found, found.T)
