"""The kernel of a move: the same names, settings and functions as for every other learner."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import pairwise_kernels

from nearkin import MoveLabeled
from nearkin.maps import KernelMap
from nearkin.numerics.mercer import kernel_scale, mercer_kernel

X, y = load_iris(return_X_y=True)
SETTINGS = {"n_targets": 1, "alpha": 0.1}


def unmoved(**settings) -> np.ndarray:
    """Squared distances of all rows in the feature space, without a move."""
    still = MoveLabeled(1, 1.0, share=0.0, **settings).fit(X, y)
    return still.distance_.pairwise(X, X)


def apart(K: np.ndarray) -> np.ndarray:
    """Squared distances from inner products."""
    return np.diagonal(K)[:, None] + np.diagonal(K) - 2 * K


@pytest.mark.parametrize("name", ["rbf", "polynomial", "laplacian"])
def test_a_name_means_the_kernel_of_a_kernel_map(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = unmoved(kernel=name)
        again = unmoved(kernel=KernelMap(kernel=name))
    expected = mercer_kernel(X, X, name, gamma=kernel_scale(X, "scale"), degree=3, coef0=1.0)
    np.testing.assert_allclose(found, apart(expected), atol=1e-6 * expected.max())
    np.testing.assert_array_equal(found, again)


def test_settings_of_a_kernel_map_reach_scikit_learns_kernels():
    found = unmoved(kernel=KernelMap(kernel="laplacian", gamma=0.3))
    np.testing.assert_allclose(found, apart(pairwise_kernels(X, metric="laplacian", gamma=0.3)), atol=1e-6)


def test_a_function_takes_sets_of_rows_as_everywhere():
    def product(A, B):
        return 1.0 + (A @ B.T) ** 2

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = unmoved(kernel=product)
    np.testing.assert_allclose(found, apart(product(X, X)), atol=1e-6 * found.max())
    np.testing.assert_array_equal(found, unmoved(kernel=KernelMap(kernel=product)))


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_a_function_of_two_rows_still_works_with_a_warning(columns):
    def product(a, b):
        return 1.0 + np.dot(a, b) ** 2

    rows = X[:, :columns]
    with pytest.warns(FutureWarning, match=r"arrays of m and of n rows") as caught:
        found = MoveLabeled(1, 1.0, product, share=0.0).fit(rows, y)
    assert caught[0].filename == __file__
    expected = apart(1.0 + (rows @ rows.T) ** 2)
    np.testing.assert_allclose(found.distance_.pairwise(rows, rows), expected, atol=1e-6 * expected.max())


def test_sigmoid_still_works_with_a_warning():
    with pytest.warns(FutureWarning, match="not an inner product"):
        found = unmoved(kernel="sigmoid")
    expected = np.maximum(apart(pairwise_kernels(X, metric="sigmoid")), 0)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_an_unknown_kernel_is_named():
    with pytest.raises(ValueError, match="kernel='gauss' is not known"):
        MoveLabeled(kernel="gauss", **SETTINGS).fit(X, y)


def test_kernel_params_keep_the_defaults_of_scikit_learn():
    with pytest.warns(FutureWarning, match="kernel=KernelMap") as caught:
        found = unmoved(kernel="rbf", kernel_params={})
    assert caught[0].filename == __file__
    np.testing.assert_allclose(found, apart(pairwise_kernels(X, metric="rbf", gamma=1 / 4)), atol=1e-6)
    with pytest.warns(FutureWarning, match="kernel=KernelMap"):
        found = unmoved(kernel="polynomial", kernel_params={"degree": 2})
    np.testing.assert_allclose(
        found, apart(pairwise_kernels(X, metric="poly", degree=2)), atol=1e-6 * found.max()
    )


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "laplacian"])
def test_sparse_rows_move_as_dense_ones_do(kernel):
    # Without ties, which rounding would break either way.
    shaken = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)
    rows = sparse.csr_array(shaken)
    found, expected = (
        MoveLabeled(kernel=kernel, **SETTINGS).fit(each, y).distance_.pairwise(each[:9], each)
        for each in (rows, shaken)
    )
    np.testing.assert_allclose(found, expected, atol=1e-6 * expected.max())


def test_a_function_that_is_neither_of_sets_nor_of_two_rows_is_refused():
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.arange(20) % 2
    with pytest.raises(ValueError, match="must return the m x n kernel values"):
        MoveLabeled(kernel=lambda a, b: np.ones((1, 1))).fit(X, y)
