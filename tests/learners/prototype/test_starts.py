"""Where training starts."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from nearkin.learners.prototype.starts import start_matrix, start_metrics, start_prototypes, weighted_moments
from nearkin.learners.prototype.training import LabelledRows


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 5)) * [1, 5, 0.1, 2, 1] + y[:, None]
    return X, y, np.full(90, 1 / 90)


@pytest.mark.parametrize("kind", ["identity", "standard", "pca", "whiten"])
def test_coordinates_are_centred_and_of_size_one(rows, kind):
    X, y, weights = rows
    matrix, origin = start_matrix(X, y, weights, kind, 4)
    U = (X - origin) * matrix if matrix.ndim == 1 else (X - origin) @ matrix.T
    np.testing.assert_allclose(U.mean(axis=0), 0, atol=1e-12)
    assert np.mean(U**2) == pytest.approx(1)
    assert U.shape[1] == (4 if kind in ("pca", "whiten") else 5)


def test_whitening_evens_out_the_spread_within_classes(rows):
    X, y, weights = rows
    matrix, origin = start_matrix(X, y, weights, "whiten", 5)
    U = (X - origin) @ matrix.T
    within = U - np.stack([U[y == c].mean(axis=0) for c in range(3)])[y]
    raw = X - np.stack([X[y == c].mean(axis=0) for c in range(3)])[y]
    assert np.linalg.cond(np.cov(within.T)) < 10 < np.linalg.cond(np.cov(raw.T))
    between = np.stack([U[y == c].mean(axis=0) for c in range(3)]).var(axis=0)
    assert between[0] == between.max()


def test_a_constant_column_has_no_deviation():
    X = np.column_stack([np.full(50, 0.1), np.arange(50.0)])
    mean, deviation = weighted_moments(X, np.full(50, 1 / 50))
    assert deviation[0] == 0
    assert deviation[1] == pytest.approx(X[:, 1].std())
    np.testing.assert_allclose(mean, X.mean(axis=0))


def test_random_prototypes_are_different_members_of_their_class(rows):
    X, y, weights = rows
    centres, labels = start_prototypes(
        LabelledRows(X, y, weights), [2, 1, 3], "random", np.random.RandomState(0)
    )
    np.testing.assert_array_equal(labels, [0, 0, 1, 2, 2, 2])
    found = [np.flatnonzero((centre == X).all(axis=1)).item() for centre in centres]
    np.testing.assert_array_equal(y[found], labels)
    assert len(set(found)) == 6


def test_kmeans_prototypes_are_means_of_their_class(rows):
    X, y, weights = rows
    centres, _ = start_prototypes(LabelledRows(X, y, weights), [1, 1, 1], "kmeans", np.random.RandomState(0))
    np.testing.assert_allclose(centres, [X[y == c].mean(axis=0) for c in range(3)])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_kmeans_prototypes_are_the_weighted_means_of_the_rows_nearest_to_them(dtype):
    rng = np.random.default_rng(4)
    X, weights = rng.normal(size=(200, 3)).astype(dtype), rng.uniform(0.1, 1, 200).astype(dtype)
    data = LabelledRows(X, np.zeros(200, dtype=int), weights)
    centres, _ = start_prototypes(data, [4], "kmeans", np.random.RandomState(0))
    nearest = np.argmin(((X[:, None] - centres) ** 2).sum(axis=2), axis=1)
    means = [np.average(X[nearest == k], axis=0, weights=weights[nearest == k]) for k in range(4)]
    np.testing.assert_allclose(centres, means, rtol=1e-4, atol=1e-5)
    assert centres.dtype == dtype


def test_kmeans_prototypes_are_about_as_good_as_those_of_scikit_learn(rows):
    X, y, _ = rows
    members = X[y == 0]

    def spread(centres):
        return ((members[:, None] - centres) ** 2).sum(axis=2).min(axis=1).mean()

    data = LabelledRows(members, np.zeros(len(members), dtype=int), np.full(len(members), 1 / len(members)))
    own = [spread(start_prototypes(data, [3], "kmeans", np.random.RandomState(i))[0]) for i in range(10)]
    theirs = [KMeans(3, n_init=1, random_state=i).fit(members).inertia_ / len(members) for i in range(10)]
    assert np.mean(own) < 1.1 * np.mean(theirs)


def test_metrics_start_as_identities():
    np.testing.assert_array_equal(start_metrics(2, 3, None, float), np.ones((2, 3)))
    np.testing.assert_array_equal(start_metrics(1, 3, 2, float), [[[1, 0, 0], [0, 1, 0]]])
