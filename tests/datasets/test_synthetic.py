import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors

from nearkin.datasets.synthetic import (
    make_concentric_circles,
    make_eight_classes,
    make_helix,
    make_mixture,
    make_two_classes,
)

SETS = {
    make_two_classes: (2, 2),
    make_eight_classes: (8, 2),
    make_helix: (5, 3),
    make_concentric_circles: (2, 2),
}


@pytest.mark.parametrize("make", SETS)
def test_shape_balance_and_repeatability(make):
    n_classes, n_features = SETS[make]
    X, y = make(101, random_state=3)
    assert X.shape == (101, n_features)
    counts = np.bincount(y)
    assert len(counts) == n_classes
    assert counts.max() - counts.min() <= 1
    np.testing.assert_array_equal(X, make(101, random_state=3)[0])
    assert not np.array_equal(X, make(101, random_state=4)[0])


@pytest.mark.parametrize("make", SETS)
def test_neighbours_help_where_a_linear_model_cannot(make):
    X, y = make(random_state=0)
    linear = LogisticRegression(max_iter=500).fit(X, y).score(X, y)
    nearest = (y[NearestNeighbors(n_neighbors=1).fit(X).kneighbors(return_distance=False)[:, 0]] == y).mean()
    assert linear < 0.7
    assert 0.75 < nearest < 0.999  # good, and with room for a learned metric
    assert nearest > linear + 0.25


@pytest.mark.parametrize("make", [*SETS, make_mixture])
def test_too_few_samples(make):
    with pytest.raises(ValueError, match=r"too few"):
        make(1, random_state=0)


def test_inner_circle_must_be_inside():
    with pytest.raises(ValueError, match=r"factor"):
        make_concentric_circles(factor=1.5)


def skewness_of_neighbour_counts(X, k=10):
    neighbours = NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)
    counts = np.bincount(neighbours.ravel(), minlength=len(X)) - k
    return (counts**3).mean() / (counts**2).mean() ** 1.5


def test_more_features_make_more_hubs():
    low, high = (skewness_of_neighbour_counts(make_mixture(600, d, 4, random_state=0)[0]) for d in (4, 300))
    assert low < 0.5
    assert high > 2.0


def test_mixture_keeps_float32_and_draws_blocks_alike():
    X, y = make_mixture(300, 20, 3, random_state=0, dtype=np.float32, parts=2)
    again, labels = make_mixture(300, 20, 3, random_state=0, parts=2)
    assert X.dtype == np.float32
    np.testing.assert_allclose(X, again, rtol=1e-6)
    np.testing.assert_array_equal(y, labels)
