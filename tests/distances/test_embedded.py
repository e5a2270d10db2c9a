"""Embedded distances against plain differences."""

import numpy as np
from scipy import sparse

from nearkin.distances import AffineEmbedding, EmbeddedDistance, FactoredEmbedding

rng = np.random.default_rng(0)
Q, R = rng.normal(size=(6, 4)), rng.normal(size=(9, 4))
M, origin, shift = rng.normal(size=(3, 4)), rng.normal(size=4), rng.normal(size=3)


def naive(A, B):
    return ((A[:, None] - B[None]) ** 2).sum(axis=2)


def test_without_embeddings_it_is_squared_euclid():
    np.testing.assert_allclose(EmbeddedDistance().pairwise(Q, R), naive(Q, R))
    thin = EmbeddedDistance().pairwise(sparse.csr_array(Q), sparse.csr_array(R))
    np.testing.assert_allclose(thin, naive(Q, R))


def test_affine_map_subtracts_multiplies_and_shifts():
    expected = (Q - origin) @ M.T + shift
    np.testing.assert_allclose(AffineEmbedding(M, origin, shift)(Q), expected)
    np.testing.assert_allclose(AffineEmbedding(M, origin, shift)(sparse.csr_array(Q)), expected)
    np.testing.assert_allclose(AffineEmbedding(origin=origin)(sparse.csr_array(Q)), Q - origin)


def test_maps_keep_float32():
    assert AffineEmbedding(M, origin, shift)(Q.astype(np.float32)).dtype == np.float32


def test_factored_map_is_its_matrix_about_the_origin():
    left, right = rng.normal(size=(2, 4)), rng.normal(size=(2, 4))
    factored = FactoredEmbedding(left, right, origin)
    np.testing.assert_allclose(factored(Q), (Q - origin) @ factored.matrix.T + origin)


def test_sides_may_be_embedded_differently():
    distance = EmbeddedDistance(queries=AffineEmbedding(M), references=AffineEmbedding(2 * M))
    np.testing.assert_allclose(distance.pairwise(Q, R), naive(Q @ M.T, 2 * R @ M.T))
    to_self = EmbeddedDistance.symmetric(AffineEmbedding(M)).pairwise(Q, Q).diagonal()
    np.testing.assert_allclose(to_self, 0, atol=1e-12)
