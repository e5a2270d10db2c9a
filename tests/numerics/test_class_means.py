import numpy as np
import pytest
from scipy import sparse

from nearkin.numerics.class_means import ClassMeans
from nearkin.numerics.ridge import normal_equations

rng = np.random.default_rng(0)
codes = np.array([0, 1, 0, 2, 1, 0, 1, 1])
weights = rng.uniform(0.5, 2, size=8)
X = rng.normal(size=(8, 3))


def naive():
    sizes = np.bincount(codes)
    same = (codes[:, None] == codes) & ~np.eye(8, dtype=bool)
    return same * weights / np.maximum(sizes[codes] - 1, 1)[:, None]


def test_it_is_the_matrix_it_says():
    means = ClassMeans(codes, weights)
    np.testing.assert_allclose(means.tocsr().toarray(), naive())
    assert means.nnz == (naive() > 0).sum()
    for axis in (0, 1):
        np.testing.assert_allclose(means.sum(axis), naive().sum(axis=axis))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_moments_need_no_list_of_pairs(kind):
    means = ClassMeans(codes, weights)
    np.testing.assert_allclose(means.moment(kind(X)), X.T @ naive() @ X)


def test_normal_equations_are_those_of_the_listed_pairs():
    means, mean = ClassMeans(codes, weights), X.mean(axis=0)
    for rows in (X - mean, sparse.csr_array(X)):
        by_class = normal_equations(rows, means.sum(1), means, mean)
        listed = normal_equations(rows, means.sum(1), means.tocsr(), mean)
        for one, other in zip(by_class, listed):
            np.testing.assert_allclose(one, other, atol=1e-12)
