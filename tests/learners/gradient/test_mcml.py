"""MCML against a convex solver, from any start, and on awkward data."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.preprocessing import scale

from nearkin import KNNClassifier
from nearkin.learners.gradient import MetricLearner
from nearkin.learners.gradient.mcml import MCML
from nearkin.learners.gradient.policy import CoarsePolicy, FitPolicy
from nearkin.losses.mcml import MCMLLoss
from nearkin.maps.unit import UnitMap

X, y = load_iris(return_X_y=True)


def small_problem(shift, d=3):
    rng = np.random.RandomState(0)
    labels = np.arange(24) % 3
    return rng.standard_normal((24, d)) + shift * np.eye(3, d)[labels], labels


def convex_optimum(data, labels, ridge):
    """The same problem over the metric M itself, by an independent solver."""
    cvxpy = pytest.importorskip("cvxpy")
    n, d = data.shape
    M = cvxpy.Variable((d, d), PSD=True)
    total = 0
    for i in range(n):
        V = data[i] - np.delete(data, i, axis=0)
        D = cvxpy.sum(cvxpy.multiply(V @ M, V), axis=1)
        own = (np.delete(labels, i) == labels[i]).astype(float)
        total += own @ D / own.sum() + cvxpy.log_sum_exp(-D)
    centred = data - data.mean(axis=0)
    total += ridge * cvxpy.trace(M @ (centred.T @ centred))
    problem = cvxpy.Problem(cvxpy.Minimize(total / n))
    problem.solve(solver=cvxpy.CLARABEL)
    return problem.value, M.value


@pytest.mark.parametrize("ridge", [0.0, 0.1])
@pytest.mark.parametrize("shift", [0.8, 2.0])
def test_a_convex_solver_finds_nothing_better(shift, ridge):
    data, labels = small_problem(shift)
    value, M = convex_optimum(data, labels, ridge)
    fitted = MCML(temperature=0.5, ridge=ridge, max_iter=2000, tol=1e-12, euclid_share=0.0).fit(data, labels)
    assert fitted.objective_ == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(fitted.get_mahalanobis_matrix(), M, atol=2e-3 * np.abs(M).max())


def test_all_starts_lead_to_the_one_optimum():
    data, labels = small_problem(0.8, d=5)
    values = [
        MCML(temperature=0.5, init=init, random_state=0, max_iter=2000, tol=1e-12, euclid_share=0.0)
        .fit(data, labels)
        .objective_
        for init in ("identity", "random", "pca")
    ]
    np.testing.assert_allclose(values, values[0], rtol=1e-6)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_the_features_does_not_matter(unit):
    plain, scaled = MCML(euclid_share=0.0).fit(X, y), MCML(euclid_share=0.0).fit(unit * X, y)
    assert scaled.objective_ == pytest.approx(plain.objective_, rel=1e-6)


def test_large_data_is_optimised_in_float32_to_the_same_objective():
    digits, labels = load_digits(return_X_y=True)
    fitted = MCML(5, init="pca", temperature=50.0, max_iter=20, tol=1e-2, euclid_share=0.0).fit(
        digits, labels
    )
    loss, Z = MCMLLoss(50.0, ridge=1e-3), fitted.transform(digits)
    assert fitted.objective_ == pytest.approx(loss.value_and_grad(Z, loss.prepare(Z, labels))[0], rel=1e-4)


def test_rows_of_length_one_learn_by_supervised_contrast():
    # Lengths are noise here, directions tell the classes apart.
    rng = np.random.RandomState(1)
    labels = np.arange(300) % 3
    data = (np.eye(3, 20)[labels] + 0.35 * rng.standard_normal((300, 20))) * rng.uniform(0.1, 10, (300, 1))
    contrast = MetricLearner(UnitMap(), MCMLLoss(temperature=0.2), max_iter=300, tol=1e-3)
    train = np.arange(300) < 150
    plain, learned = (
        KNNClassifier(learner, 3).fit(data[train], labels[train]).score(data[~train], labels[~train])
        for learner in (None, contrast)
    )
    assert learned > plain + 0.05


@pytest.mark.parametrize(
    ("data", "labels"),
    [
        (np.arange(10.0)[:, None], np.arange(10) % 2),
        (np.random.RandomState(0).standard_normal((12, 40)), np.arange(12) % 3),
        (np.tile(np.random.RandomState(0).standard_normal((5, 3)), (4, 1)), np.arange(20) // 10),
        (np.ones((12, 2)), np.arange(12) % 2),
        (np.random.RandomState(0).standard_normal((9, 2)), np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])),
        (np.c_[scale(X), scale(X)[:, :1], np.ones(150)], y),
    ],
    ids=["one feature", "d > n", "rows in both classes", "constant", "lone row", "duplicate column"],
)
def test_awkward_data_is_survived(data, labels):
    fitted = MCML(max_iter=1000, tol=1e-4, euclid_share=0.0).fit(data, labels)
    assert np.isfinite(fitted.components_).all()
    assert fitted.objective_ <= fitted.history_[0]


def test_the_ridge_keeps_separable_classes_finite():
    data, labels = np.random.RandomState(0).standard_normal((12, 40)), np.arange(12) % 3
    fitted = MCML(ridge=1e-2, max_iter=1000, euclid_share=0.0).fit(data, labels)
    assert np.abs(fitted.transform(data)).max() < 1e3


def test_first_steps_on_a_sample_lead_to_the_same_optimum():
    """1,600 rows are sampled at first; with the sample forbidden, the convex problem has the same value."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=1600)
    data = rng.normal(size=(1600, 4)) + 1.5 * np.eye(3, 4)[labels]

    class Whole(MCML):
        fit_policy = FitPolicy(coarse=CoarsePolicy(smallest_sampled=10_000))

    sampled, whole = (kind(tol=1e-8, max_iter=500).fit(data, labels) for kind in (MCML, Whole))
    assert sampled.objective_ == pytest.approx(whole.objective_, rel=1e-5)
    assert sampled.history_[0] < whole.history_[0] - 0.5  # fewer rows to draw from at first


def test_a_sample_has_the_state_of_its_rows():
    loss, (data, labels) = MCMLLoss("auto"), small_problem(0.8)
    state, rows = loss.prepare(data, labels, start=data), np.array([1, 2, 4, 5, 7, 10])
    part = state.narrowed(rows)
    alone = MCMLLoss(1 / (2 * state.sharpness))
    expected = alone.value_and_grad(data[rows], alone.prepare(data[rows], labels[rows]))
    for found, wanted in zip(loss.value_and_grad(data[rows], part), expected):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
