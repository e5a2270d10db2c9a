"""Kernels by name against their formulas, and the checks on a kernel matrix."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels, polynomial_kernel, rbf_kernel

from nearkin import NCA, KernelLMDL, MoveLabeled
from nearkin.distances import CentredKernel
from nearkin.numerics.mercer import check_kernel, kernel_basis, kernel_eigenpairs, kernel_scale, mercer_kernel

RNG_ROWS = np.random.RandomState(0)


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(7, 3)), rng.normal(size=(5, 3))


def test_kernels_equal_their_formulas(rows):
    A, B = rows
    np.testing.assert_allclose(mercer_kernel(A, B, "rbf", gamma=0.3), rbf_kernel(A, B, 0.3))
    np.testing.assert_allclose(
        mercer_kernel(A, B, "polynomial", gamma=0.3, degree=2, coef0=2.0),
        polynomial_kernel(A, B, 2, 0.3, 2.0),
    )
    np.testing.assert_allclose(mercer_kernel(A, B, "linear"), A @ B.T)
    np.testing.assert_allclose(mercer_kernel(A, B, lambda a, b: 2 * a @ b.T), 2 * A @ B.T)


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "linear"])
def test_float32_stays(rows, kernel):
    A, B = (part.astype(np.float32) for part in rows)
    assert mercer_kernel(A, B, kernel).dtype == np.float32


def test_a_far_off_mean_costs_no_digits(rows):
    A, B = rows
    np.testing.assert_allclose(mercer_kernel(A + 1e8, B + 1e8), mercer_kernel(A, B), rtol=1e-6)


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="'sigmoid' is not known; use one of"):
        check_kernel("sigmoid")


def test_function_of_the_wrong_shape_is_refused(rows):
    with pytest.raises(ValueError, match="one value per pair"):
        mercer_kernel(*rows, lambda a, b: a @ a.T)


def test_function_with_missing_values_is_refused(rows):
    with pytest.raises(ValueError, match="infinite or missing"):
        mercer_kernel(*rows, lambda a, b: np.full((len(a), len(b)), np.nan))


def test_scale_is_one_over_the_summed_variances(rows):
    A, _ = rows
    assert kernel_scale(A + [0, 1e3, 0], "scale") == pytest.approx(1 / A.var(axis=0).sum())
    assert kernel_scale(np.ones((4, 2)), "scale") == 1.0
    assert kernel_scale(A, 0.7) == 0.7


@pytest.mark.parametrize("gamma", [0, -1.0, np.inf, "auto"])
def test_bad_gamma_is_refused(rows, gamma):
    with pytest.raises(ValueError, match="expected 'scale' or a positive number"):
        kernel_scale(rows[0], gamma)


def test_eigenpairs_rebuild_the_matrix_without_its_null_space(rows):
    A, _ = rows
    values, vectors = kernel_eigenpairs(A @ A.T)
    assert len(values) == 3
    assert (np.diff(values) <= 0).all()
    np.testing.assert_allclose((vectors * values) @ vectors.T, A @ A.T, atol=1e-12)


def test_indefinite_matrices_are_refused():
    with pytest.raises(ValueError, match="not positive semi-definite"):
        kernel_eigenpairs(np.array([[0.0, 1.0], [1.0, 0.0]]))
    with pytest.raises(ValueError, match="not symmetric"):
        kernel_eigenpairs(np.array([[1.0, 0.5], [0.0, 1.0]]))
    with pytest.raises(ValueError, match="zero between all rows"):
        kernel_eigenpairs(np.zeros((3, 3)))


@pytest.mark.parametrize("spoil", ["nothing", "equal rows", "float32"])
def test_the_basis_turns_kernel_values_into_coordinates(rows, spoil):
    # Equal rows make the matrix singular; single precision leaves too few digits for a Cholesky factor.
    landmarks = np.vstack([rows[0], rows[0]]) if spoil == "equal rows" else rows[0]
    landmarks = landmarks.astype(np.float32) if spoil == "float32" else landmarks
    K = mercer_kernel(landmarks, landmarks, "rbf", gamma=0.1)
    features = K @ kernel_basis(K).T
    assert features.dtype == K.dtype
    np.testing.assert_allclose(features @ features.T, K, atol=1e-3 if spoil == "float32" else 1e-8)


def test_single_precision_sees_the_directions_of_a_wide_kernel():
    # Such a kernel is nearly linear and its values are nearly 1: small eigenvalues tell rows apart.
    X = np.random.default_rng(0).normal(size=(300, 60)).astype(np.float32) / np.float32(60**0.5)
    exact = X.astype(np.float64)
    T = kernel_basis(mercer_kernel(exact, exact, "rbf", gamma=1e-2), np.float32)
    assert T.dtype == np.float32
    features = mercer_kernel(X, X, "rbf", gamma=1e-2) @ T.T
    centred = (features - features.mean(axis=0)).astype(np.float64)
    rows = exact - exact.mean(axis=0)
    spread = np.linalg.svd(centred, compute_uv=False)[:60]
    np.testing.assert_allclose(spread, np.sqrt(2e-2) * np.linalg.svd(rows, compute_uv=False), rtol=0.02)


@pytest.mark.parametrize(
    ("K", "problem"),
    [([[1.0, 2.0], [2.0, 1.0]], "semi-definite"), ([[1.0, 0.5], [0.0, 1.0]], "symmetric")],
)
def test_a_basis_needs_a_kernel(K, problem):
    with pytest.raises(ValueError, match=problem):
        kernel_basis(np.array(K))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["poly", "polynomial", "laplacian", "cosine"])
def test_one_name_serves_every_kernel_learner(name):
    rows, codes = RNG_ROWS.standard_normal((30, 3)), np.arange(30) % 2
    NCA(2, kernel=name, max_iter=2, tol=1.0).fit(rows, codes)
    KernelLMDL(1, kernel=name, max_epochs=2, tol=1.0, random_state=0).fit(rows, codes)
    MoveLabeled(kernel=name, alpha=1.0).fit(rows, codes)
    expected = pairwise_kernels(
        rows, metric=check_kernel(name), filter_params=True, gamma=0.5, degree=2, coef0=1
    )
    np.testing.assert_allclose(mercer_kernel(rows, rows, name, gamma=0.5, degree=2, coef0=1.0), expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_rows_have_the_kernel_of_the_same_dense_rows(dtype):
    rows = (5 + RNG_ROWS.standard_normal((40, 3))).astype(dtype)
    found = mercer_kernel(sparse.csr_array(rows[:30]), sparse.csr_array(rows[30:]), gamma=0.5)
    expected = mercer_kernel(rows[:30].astype(np.float64), rows[30:].astype(np.float64), gamma=0.5)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert found.dtype == dtype


def test_scale_means_the_same_to_every_kernel_learner():
    rows = RNG_ROWS.standard_normal((30, 3))
    kernel, _ = CentredKernel.fit(rows, "rbf", {"gamma": "scale"})
    assert kernel.params["gamma"] == kernel_scale(rows, "scale")
    assert kernel_scale(sparse.csr_array(rows), "scale") == pytest.approx(kernel_scale(rows, "scale"))
