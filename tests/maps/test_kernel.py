import numpy as np
import pytest

from nearkin.distances.embeddings import KernelEmbedding
from nearkin.maps import GatedMap, KernelMap, LinearMap
from nearkin.numerics.mercer import kernel_scale, kernel_slope, mercer_kernel

RNG = np.random.RandomState(0)
X = RNG.standard_normal((40, 3))
y = np.arange(40) % 2


@pytest.mark.parametrize(("kernel", "degree"), [("rbf", 3), ("polynomial", 2), ("linear", 1)])
def test_features_have_the_kernels_distances(kernel, degree):
    F = KernelMap(kernel=kernel, degree=degree).lift(X, RNG)(X)
    K = mercer_kernel(X, X, kernel, gamma=kernel_scale(X, "scale"), degree=degree)
    slope = kernel_slope(kernel, gamma=kernel_scale(X, "scale"), degree=degree)
    expected = (np.diag(K)[:, None] + np.diag(K) - 2 * K) / slope
    actual = ((F[:, None] - F[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(actual, expected, atol=1e-5 * expected.max())


@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "linear"])
def test_small_distances_are_those_of_the_inputs(kernel):
    near = 1e-3 * X
    F = KernelMap(kernel=kernel, gamma=0.7, n_landmarks=40).lift(near, RNG)(near)
    actual, expected = (((A[:, None] - A[None]) ** 2).sum(axis=2) for A in (F, near))
    np.testing.assert_allclose(actual, expected, rtol=1e-2, atol=1e-2 * expected.max())


def test_rows_are_lifted_in_blocks():
    class SevenRows(KernelEmbedding):
        rows_at_once = 7

    features = KernelMap(n_landmarks=20).lift(X, RNG)
    np.testing.assert_allclose(SevenRows(**vars(features))(X), features(X), atol=1e-9)


def test_features_are_centred_on_the_landmarks():
    F = KernelMap().lift(X, RNG)(X)
    np.testing.assert_allclose(F.mean(axis=0), 0, atol=1e-10)


def test_few_landmarks_bound_the_features():
    features = KernelMap(n_landmarks=7).lift(X, RNG)
    assert features(X).shape[1] <= 7


def test_float32_is_kept():
    features = KernelMap().lift(X.astype(np.float32), RNG)
    assert features(X.astype(np.float32)).dtype == np.float32


@pytest.mark.parametrize("inner", [None, LinearMap(2), GatedMap(2, n_components=2)])
def test_frozen_map_takes_raw_inputs(inner):
    map_ = KernelMap(inner)
    lift = map_.lift(X, RNG)
    F = lift(X)
    theta = map_.start(F, y, RNG)
    np.testing.assert_allclose(map_.freeze(theta, lift, F.shape[1])(X), map_.forward(theta, F)[0])


def test_unknown_kernel_is_refused():
    with pytest.raises(ValueError, match="not known"):
        KernelMap(kernel="nonsense").lift(X, RNG)
