"""LEGO: its closed-form update against a numerical minimisation, and streams."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_wine

from nearkin.learners.constraint.itml import ITML
from nearkin.learners.constraint.lego import LEGO, next_length

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
CODES = (X[:, 0] > 0).astype(int)


def one_update(A, v, target, eta):
    """The minimiser of Dld(A', A) + eta (v'A'v / target - 1)^2, by a general-purpose solver over factors."""
    inverse = np.linalg.inv(A)

    def value(theta):
        L = theta.reshape(3, 3)
        M = L.T @ L
        divergence = np.sum(M * inverse) - np.linalg.slogdet(M)[1] + np.linalg.slogdet(A)[1] - 3
        return divergence + eta * (v @ M @ v / target - 1) ** 2

    start = np.linalg.cholesky(A).T.ravel()
    found = minimize(value, start, method="BFGS", options={"gtol": 1e-10, "maxiter": 2000}).x.reshape(3, 3)
    return found.T @ found


@pytest.mark.parametrize("eta", [0.01, 0.5, 20.0])
@pytest.mark.parametrize("similar", [True, False])
def test_each_update_is_the_minimiser(eta, similar):
    rows = np.array([[0.0, 0, 0], [1.0, 2.0, -1.0], [0.5, -1, 0.3]])
    bounds = (0.1, 50.0)
    learner = LEGO(eta, bounds=bounds, euclid_share=0.0)
    A = np.eye(3)
    for i, j in [(0, 1), (1, 2), (0, 1)]:
        before = learner.n_updates_ if hasattr(learner, "n_updates_") else 0
        learner.partial_fit(rows, pairs=[[i, j]], similar=[similar])
        assert learner.n_updates_ == before + 1
        A = one_update(A, rows[i] - rows[j], bounds[0 if similar else 1] ** 2, eta)
        np.testing.assert_allclose(learner.get_mahalanobis_matrix(), A, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("eta", [1e-12, 1e-3, 1.0, 1e6])
@pytest.mark.parametrize("p", [1e-12, 0.5, 1.0, 3.0, 1e12])
def test_the_next_length_solves_its_equation_between_now_and_the_bound(p, eta):
    q = next_length(p, eta)
    assert min(p, 1) * (1 - 1e-9) <= q <= max(p, 1) * (1 + 1e-9)
    # p / q - 1 = 2 eta (q - 1) p, with both sides multiplied so that neither overflows
    assert p - q == pytest.approx(2 * eta * (q - 1) * p * q, rel=1e-3, abs=1e-9 * max(p, 1, eta * p * p))


def test_a_stream_is_one_fit_cut_into_pieces():
    learner = LEGO(euclid_share=0.0)
    pairs = learner._constraints_of_labels(X, CODES)
    rows = np.c_[pairs.left, pairs.right]
    whole = LEGO(euclid_share=0.0).fit(X, pairs=rows, similar=pairs.similar)
    stream = LEGO(euclid_share=0.0)
    for part in np.array_split(np.arange(len(rows)), 7):
        stream.partial_fit(X, pairs=rows[part], similar=pairs.similar[part])
    np.testing.assert_allclose(stream.components_, whole.components_, atol=1e-12)
    assert stream.n_updates_ == whole.n_updates_ > 0
    assert stream.n_iter_ == 7


def test_passes_lower_the_loss_and_the_metric_comes_near_what_itml_wants():
    rows, labels = load_wine(return_X_y=True)
    rows = rows / rows.std(axis=0)
    once, often = (
        LEGO(euclid_share=0.0).fit(rows, labels),
        LEGO(n_passes=20, euclid_share=0.0).fit(rows, labels),
    )
    assert often.objective_ < once.objective_
    left, right = np.triu_indices(len(rows), 1)
    same = labels[left] == labels[right]

    def contrast(learner):
        distances = learner.pair_distances(rows, np.c_[left, right])
        return distances[same].mean() / distances[~same].mean()

    assert contrast(ITML(10.0, euclid_share=0.0).fit(rows, labels)) < contrast(
        ITML(1e-9, euclid_share=0.0).fit(rows, labels)
    )
    assert contrast(once) < contrast(ITML(1e-9, euclid_share=0.0).fit(rows, labels))


def test_the_metric_stays_positive_definite_however_long_the_stream():
    learner = LEGO(5.0, bounds=(0.5, 3.0), n_passes=50, euclid_share=0.0).fit(X, CODES)
    assert np.isfinite(learner.components_).all()
    assert np.linalg.eigvalsh(learner.get_mahalanobis_matrix())[0] > 0


def test_pairs_that_hold_change_nothing():
    learner = LEGO(bounds=(100.0, 1e-3), euclid_share=0.0).fit(X, CODES)
    np.testing.assert_array_equal(learner.components_, np.eye(3))
    assert learner.n_updates_ == 0
    assert learner.objective_ == 0


def test_bounds_are_those_of_the_first_rows_and_fit_starts_anew():
    learner = LEGO(euclid_share=0.0).partial_fit(X, CODES)
    bounds = learner.bounds_
    assert learner.partial_fit(10 * X, CODES).bounds_ == bounds
    again = learner.fit(X, CODES)
    np.testing.assert_array_equal(again.components_, LEGO(euclid_share=0.0).fit(X, CODES).components_)
    assert again.n_iter_ == 1


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_do_not_matter(scale):
    np.testing.assert_allclose(
        LEGO(euclid_share=0.0).fit(scale * X, CODES).components_,
        LEGO(euclid_share=0.0).fit(X, CODES).components_,
        atol=1e-8,
    )


def test_what_cannot_be_learned_from_is_refused():
    with pytest.raises(ValueError, match="give one of them"):
        LEGO(euclid_share=0.0).partial_fit(X)
    with pytest.raises(ValueError, match="give one of them"):
        LEGO(euclid_share=0.0).partial_fit(X, CODES, pairs=[[0, 1]])
    with pytest.raises(ValueError, match="names row 60"):
        LEGO(euclid_share=0.0).partial_fit(X, pairs=[[0, 60]])
    with pytest.raises(ValueError, match="features"):
        LEGO(euclid_share=0.0).partial_fit(X, CODES).partial_fit(X[:, :2], CODES)
    with pytest.raises(ValueError, match="eta"):
        LEGO(0, euclid_share=0.0).fit(X, CODES)


def test_a_batch_of_one_class_is_only_similar_pairs():
    learner = LEGO(bounds=(0.5, 3.0), euclid_share=0.0).partial_fit(X, np.zeros(60))
    assert learner.n_updates_ > 0
    assert np.linalg.det(learner.components_) < 1
