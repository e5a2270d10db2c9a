"""Kernel LMDL: the kernel map, its agreement with LMDL, and kernels that are none."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.decomposition import KernelPCA
from sklearn.exceptions import ConvergenceWarning

from nearkin.learners.prototype import LMDL, KernelLMDL
from nearkin.maps import KernelMap


def test_the_linear_kernel_gives_the_distances_of_lmdl(blobs):
    X, y = blobs
    settings = {"n_prototypes": 2, "init_metric": "pca", "tol": 0.01, "random_state": 0}
    linear = LMDL(**settings, euclid_share=0.0).fit(X, y)
    kernel = KernelLMDL(kernel="linear", **settings, euclid_share=0.0).fit(X, y)
    np.testing.assert_allclose(
        kernel.distance_.to_prototypes(X), linear.distance_.to_prototypes(X), rtol=1e-3, atol=1e-6
    )
    np.testing.assert_allclose(
        kernel.distance_.pairwise(X, X), linear.distance_.pairwise(X, X), rtol=1e-3, atol=1e-6
    )


def test_coordinates_are_the_kernel_principal_components(blobs):
    X, y = blobs
    model = KernelLMDL(gamma=0.05, n_components=5, random_state=0, euclid_share=0.0).fit(X, y)
    U = model.distance_.embedding(X)
    expected = KernelPCA(5, kernel="rbf", gamma=0.05).fit_transform(X)
    expected /= np.sqrt(np.mean(expected**2))
    np.testing.assert_allclose(np.abs(U), np.abs(expected), atol=1e-6)


def test_landmarks_stand_for_many_rows(blobs):
    X, y = blobs
    model = KernelLMDL(n_landmarks=30, random_state=0, euclid_share=0.0).fit(X, y)
    assert model.landmarks_.shape == (30, 4)
    assert model.distance_.embedding.matrix.shape[1] == 30
    assert model.score(X, y) > 0.85


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "linear", lambda a, b: (1 + a @ b.T) ** 2])
def test_every_kernel_classifies(blobs, kernel):
    X, y = blobs
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    assert KernelLMDL(kernel=kernel, random_state=0, euclid_share=0.0).fit(X, y).score(X, y) > 0.85


def test_unknown_kernels_are_refused(blobs):
    with pytest.raises(ValueError, match="kernel='sigmoid' is not known; use one of"):
        KernelLMDL(kernel="sigmoid", euclid_share=0.0).fit(*blobs)


def test_kernels_that_are_not_positive_are_refused(blobs):
    with pytest.raises(ValueError, match="not positive semi-definite"):
        KernelLMDL(kernel=lambda a, b: -(a @ b.T), euclid_share=0.0).fit(*blobs)


def test_kernels_that_are_not_symmetric_are_refused(blobs):
    with pytest.raises(ValueError, match="not symmetric"):
        KernelLMDL(kernel=lambda a, b: np.exp(a @ b.T / 100) + a[:, :1], euclid_share=0.0).fit(*blobs)


@pytest.mark.parametrize("setting", ["n_landmarks", "n_components"])
def test_bad_sizes_are_refused(blobs, setting):
    with pytest.raises(ValueError, match=f"{setting}=0: expected None or an integer of at least 1"):
        KernelLMDL(**{setting: 0}, euclid_share=0.0).fit(*blobs)


def test_a_kernel_map_brings_its_parameters():
    X, y = load_iris(return_X_y=True)
    settings = {"n_prototypes": 1, "max_epochs": 2, "random_state": 0}
    apart = KernelLMDL(
        kernel="polynomial", gamma=0.1, degree=2, coef0=0.5, n_landmarks=40, **settings, euclid_share=0.0
    )
    together = KernelLMDL(kernel=KernelMap(None, "polynomial", 0.1, 2, 0.5, 40), **settings, euclid_share=0.0)
    with pytest.warns(ConvergenceWarning):
        distances = [learner.fit(X, y).distance_.pairwise(X[:5], X) for learner in (apart, together)]
    assert np.array_equal(*distances)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_failing_routine_for_some_eigenvectors_is_replaced_by_the_one_for_all(monkeypatch):
    """LAPACK's fails on some matrices whose eigenvalues are all alike, as those of narrow kernels are."""
    from scipy.linalg import LinAlgError, eigh

    from nearkin.learners.prototype import starts

    def failing(a, *, driver, **settings):
        if driver == "evr":
            raise LinAlgError("Internal Error.")
        return eigh(a, driver=driver, **settings)

    X, y = load_iris(return_X_y=True)
    model = KernelLMDL(1, gamma=0.25, n_components=20, max_epochs=2, random_state=0)
    expected = model.fit(X, y).distance_.to_prototypes(X)
    monkeypatch.setattr(starts, "eigh", failing)
    np.testing.assert_allclose(model.fit(X, y).distance_.to_prototypes(X), expected, rtol=1e-5)
