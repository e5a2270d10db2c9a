"""Embedded distances against plain differences."""

import numpy as np
import pytest
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


def test_a_share_of_the_move_mixes_rows_with_their_moved_selves():
    left, right = rng.normal(size=(2, 4)), rng.normal(size=(2, 4))
    whole, half = FactoredEmbedding(left, right, origin), FactoredEmbedding(left, right, origin, share=0.5)
    np.testing.assert_allclose(half(Q), (whole(Q) + Q) / 2)
    np.testing.assert_allclose(half(sparse.csr_array(Q)), half(Q))
    matrix, constant = half.affine(4)
    np.testing.assert_allclose(Q @ matrix.T + constant, half(Q))


def test_a_factored_map_may_lead_to_another_width():
    left, right = rng.normal(size=(2, 4)), rng.normal(size=(2, 7))
    shift = rng.normal(size=7)
    expected = (Q - origin) @ left.T @ right + shift
    np.testing.assert_allclose(FactoredEmbedding(left, right, origin, shift)(Q), expected)
    np.testing.assert_allclose(FactoredEmbedding(sparse.csr_array(left), right, origin, shift)(Q), expected)


def test_rows_are_checked_on_both_sides():
    distance = EmbeddedDistance.symmetric(AffineEmbedding(M, origin))
    bad = Q.copy()
    bad[4, 0] = np.nan
    for embed in (distance.embed_queries, distance.embed_references):
        with pytest.raises(ValueError, match="NaN in row 4"):
            embed(bad)
        with pytest.raises(ValueError, match="3 columns"):
            embed(Q[:, :3])
        whole = np.round(10 * Q)
        for narrow in (np.int8, np.float16):
            found = embed(whole.astype(narrow))
            assert found.dtype == np.float32
            np.testing.assert_allclose(found, embed(whole), rtol=1e-4, atol=1e-4)
