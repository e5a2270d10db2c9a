import numpy as np
import pytest

from nearkin.distances import AffineEmbedding
from nearkin.maps import DiagonalMap, LinearMap
from nearkin.maps.starts import check_components, linear_start

RNG = np.random.RandomState(0)
X = RNG.standard_normal((40, 5)) * [5, 3, 1, 1, 0.1]
y = np.arange(40) % 4


def test_forward_and_frozen_map_agree():
    linear = LinearMap(2, init="random")
    theta = linear.start(X, y, np.random.RandomState(1))
    Z, _ = linear.forward(theta, X)
    frozen = linear.freeze(theta, None, 5)
    assert isinstance(frozen, AffineEmbedding)
    np.testing.assert_allclose(frozen(X), Z)


def test_diagonal_map_weighs_features():
    theta = np.arange(5.0)
    np.testing.assert_allclose(DiagonalMap().forward(theta, X)[0], X * theta)
    np.testing.assert_allclose(DiagonalMap().freeze(theta, None, 5)(X), X * theta)


@pytest.mark.parametrize("map_", [LinearMap(2, init="pca"), DiagonalMap()])
def test_float32_is_kept(map_):
    F = X.astype(np.float32)
    assert map_.forward(map_.start(F, y, RNG), F)[0].dtype == np.float32


def test_auto_start_is_lda_then_pca_then_identity():
    rng = np.random.RandomState(0)
    np.testing.assert_allclose(linear_start(X, y, 3, "auto", rng), linear_start(X, y, 3, "lda", rng))
    np.testing.assert_allclose(linear_start(X, y, 4, "auto", rng), linear_start(X, y, 4, "pca", rng))
    np.testing.assert_allclose(linear_start(X, y, None, "auto", rng), np.eye(5))
    # Real targets have no classes to discriminate.
    np.testing.assert_allclose(linear_start(X, X[:, 0], 2, "auto", rng), linear_start(X, y, 2, "pca", rng))


def test_pca_start_keeps_the_most_variance():
    A = linear_start(X - X.mean(axis=0), y, 2, "pca", RNG)
    np.testing.assert_allclose(A @ A.T, np.eye(2), atol=1e-10)
    kept = np.linalg.norm((X - X.mean(axis=0)) @ A.T) ** 2
    np.testing.assert_allclose(kept, (np.linalg.svd(X - X.mean(axis=0))[1][:2] ** 2).sum())


@pytest.mark.parametrize(
    ("n_components", "init", "message"),
    [
        (6, "identity", "5 features"),
        (0, "identity", "at least 1"),
        (1.5, "identity", "integer"),
        (None, "nonsense", "expected one of"),
        (None, np.eye(4), "one column per feature"),
        (2, np.eye(5), "n_components=2"),
        (None, np.full((5, 5), np.nan), "finite"),
        (5, "lda", "use 'pca'"),
    ],
)
def test_impossible_starts_say_what_to_do(n_components, init, message):
    with pytest.raises(ValueError, match=message):
        linear_start(X, y, n_components, init, RNG)


def test_pca_of_too_few_samples_is_refused():
    with pytest.raises(ValueError, match="identity"):
        linear_start(X[:3], y[:3], 5, "pca", RNG)


def test_share_of_components_is_bounded_by_the_samples():
    assert check_components(0.5, 3, 100) == 2


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_lda_of_classes_that_are_single_points_is_refused_and_auto_goes_on(spread):
    y = np.arange(30) % 3
    X, rng = spread * np.eye(3, 4)[y], np.random.RandomState(0)
    with pytest.raises(ValueError, match="differ within a class"):
        linear_start(X, y, 2, "lda", rng)
    assert linear_start(X, y, 2, "auto", rng).shape == (2, 4)
