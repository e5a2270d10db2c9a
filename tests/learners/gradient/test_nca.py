import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits, load_iris
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from nearkin.learners.gradient import NCA

X, y = load_iris(return_X_y=True)


def soft_error(components, X, y):
    Z = X @ components.T
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    P = np.exp(D.min(axis=1, keepdims=True) - D)
    P /= P.sum(axis=1, keepdims=True)
    return 1 - (P * (y[:, None] == y)).sum(axis=1).mean()


@pytest.mark.parametrize("n_components", [None, 2])
def test_objective_is_no_worse_than_scikit_learns_from_the_same_start(n_components):
    start = np.eye(n_components or 4, 4)
    theirs = NeighborhoodComponentsAnalysis(n_components, init=start, max_iter=200, tol=1e-7).fit(X, y)
    ours = NCA(n_components, init=start, max_iter=200, tol=1e-7, euclid_share=0.0).fit(X, y)
    assert ours.objective_ == pytest.approx(soft_error(ours.components_, X, y), rel=1e-9)
    assert ours.objective_ <= soft_error(theirs.components_, X, y) + 1e-3


def test_float32_and_float64_agree():
    double = NCA(2, max_iter=200, euclid_share=0.0).fit(X, y)
    single = NCA(2, max_iter=200, euclid_share=0.0).fit(X.astype(np.float32), y)
    assert single.components_.dtype == np.float32
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    assert single.objective_ == pytest.approx(double.objective_, abs=1e-3)


@pytest.mark.slow
def test_large_data_is_optimised_in_float32_to_the_same_objective():
    digits, labels = load_digits(return_X_y=True)
    assert len(digits) >= NCA.fit_policy.float32_from
    fitted = NCA(tol=1e-3, euclid_share=0.0).fit(digits, labels)
    assert fitted.components_.dtype == np.float64
    assert fitted.objective_ == pytest.approx(soft_error(fitted.components_, digits, labels), abs=1e-4)


def test_order_of_samples_and_names_of_classes_do_not_matter():
    order = np.random.RandomState(0).permutation(len(X))
    names = np.array(["c", "a", "b"])[y]
    plain, shuffled = NCA(euclid_share=0.0).fit(X, y), NCA(euclid_share=0.0).fit(X[order], names[order])
    np.testing.assert_allclose(shuffled.components_, plain.components_, atol=1e-4)
    assert shuffled.classes_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_unscaled_features_do_not_overflow(dtype):
    wild = (X * [1e6, 1.0, 1e3, 1e-3]).astype(dtype)
    fitted = NCA(max_iter=1000, euclid_share=0.0).fit(wild, y)
    assert np.isfinite(fitted.components_).all()
    assert np.isfinite(fitted.objective_)


def test_weights_pull_the_optimum_towards_the_heavy_samples():
    rng = np.random.RandomState(0)
    data = rng.standard_normal((80, 2))
    # Class depends on the first feature in one half, on the second in the other.
    half = np.arange(80) < 40
    labels = np.where(half, data[:, 0] > 0, data[:, 1] > 0).astype(int)
    first = NCA(1, init=np.array([[0.7, 0.7]]), euclid_share=0.0).fit(
        data, labels, sample_weight=np.where(half, 10.0, 0.1)
    )
    second = NCA(1, init=np.array([[0.7, 0.7]]), euclid_share=0.0).fit(
        data, labels, sample_weight=np.where(half, 0.1, 10.0)
    )
    assert abs(first.components_[0, 0]) > abs(first.components_[0, 1])
    assert abs(second.components_[0, 1]) > abs(second.components_[0, 0])


def test_weight_zero_is_leaving_out():
    kept = np.arange(150) % 3 > 0
    part = NCA(euclid_share=0.0).fit(X[kept], y[kept])
    zero = NCA(euclid_share=0.0).fit(X, y, sample_weight=kept.astype(float))
    np.testing.assert_allclose(zero.components_, part.components_, rtol=1e-6, atol=1e-9)


def test_the_logarithm_is_an_objective_too():
    fitted = NCA(2, objective="log", max_iter=200, euclid_share=0.0).fit(X, y)
    Z = X @ fitted.components_.T
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    P = np.exp(D.min(axis=1, keepdims=True) - D)
    hits = (P * (y[:, None] == y)).sum(axis=1) / P.sum(axis=1)
    assert fitted.objective_ == pytest.approx(-np.log(hits).mean(), rel=1e-6)
    assert fitted.objective_ < 0.1
    with pytest.raises(ValueError, match="objective='margin'"):
        NCA(objective="margin", euclid_share=0.0).fit(X, y)
