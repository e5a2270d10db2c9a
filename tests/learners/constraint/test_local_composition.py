"""Local weights: the formula written out, its gradient by finite differences, and their limits."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.datasets import load_wine
from sklearn.decomposition import KernelPCA

from nearkin.distances.mixed import MixedDistance, SquaredLinearWeights
from nearkin.learners.constraint.local_composition import (
    HINGE_WIDTH,
    _Problem,
    compose_locally,
    kernel_components,
)
from nearkin.learners.constraint.neighbour_differences import SquaredDifferences
from nearkin.learners.constraint.scml import SCML
from nearkin.persistence import load, save
from nearkin.predictors import KNNClassifier


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def program(seed=0, n=15, B=4, q=3, T=40):
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.integers(0, n, 50))
    pairs = SquaredDifferences(rng.normal(size=(n, B)), rows, rng.integers(0, n, 50))
    near, far = rng.integers(0, 50, size=(2, T))
    return (pairs, near, far, np.full(T, 1 / T)), rng.normal(size=(n, q)), rng.normal(size=(B, q + 1))


@pytest.mark.parametrize("block", [1, 7, 10**6])
def test_value_and_gradient(block):
    parts, Z, slopes = program()
    problem = _Problem(*parts, Z)
    problem.block = block
    pairs, near, far, shares = parts
    value, duals, roots = problem.value(slopes)
    P = pairs.take(slice(None))
    D = np.array([P[p] @ (slopes @ np.r_[Z[i], 1]) ** 2 for p, i in enumerate(pairs.rows)])
    short = 1 - D[far] + D[near]
    rounded = np.where(
        short > HINGE_WIDTH, short - HINGE_WIDTH / 2, np.maximum(short, 0) ** 2 / (2 * HINGE_WIDTH)
    )
    assert value == pytest.approx(shares @ rounded)
    assert problem.hinge(slopes) == pytest.approx(shares @ np.maximum(short, 0))
    numeric = approx_fprime(slopes.ravel(), lambda a: problem.value(a.reshape(slopes.shape))[0], 1e-7)
    np.testing.assert_allclose(problem.gradient(duals, roots).ravel(), numeric, rtol=1e-4, atol=1e-5)


def test_steps_lower_the_objective_and_the_penalty_removes_directions():
    parts, Z, _ = program(1)
    weights = np.array([0.5, 0.0, 1.0, 0.2])
    start = np.sqrt(weights) + 1e-3
    problem = _Problem(*parts, Z)
    constant = np.column_stack([np.zeros((4, 3)), start])
    before = problem.hinge(constant) + 1e-2 * start.sum()
    found = compose_locally(*parts, weights, Z, 1e-2, tol=1e-4, max_iter=500)
    assert found.objective < before
    penalty = 1e-2 * np.linalg.norm(found.slopes, axis=1).sum()
    assert found.objective == pytest.approx(problem.hinge(found.slopes) + penalty)
    heavy = compose_locally(*parts, weights, Z, 10.0, tol=1e-4, max_iter=500)
    assert not heavy.slopes.any()


def test_coordinates_are_kernel_principal_components(wine):
    X, _ = wine
    found = kernel_components(X, 5, np.random.RandomState(0))
    theirs = KernelPCA(5, kernel="rbf", gamma=found.gamma).fit_transform(X)
    Z = found(X)
    assert np.square(Z).sum(axis=1).mean() == pytest.approx(1)
    ratio = np.linalg.norm(theirs) / np.linalg.norm(Z)
    np.testing.assert_allclose(np.abs(Z) * ratio, np.abs(theirs), atol=1e-6)


def test_without_slopes_the_distance_is_the_global_one(wine):
    X, y = wine
    model = SCML(40, beta=1e-3, euclid_share=0.0).fit(X, y)
    constant = np.column_stack([np.zeros((40, 5)), np.sqrt(model.weights_)])
    weigh = SquaredLinearWeights(kernel_components(X, 5, np.random.RandomState(0)), constant)
    local = MixedDistance(weigh, model.bases_[:, None, :], X.mean(axis=0))
    D = model.distance_.pairwise(X[:9], X)
    np.testing.assert_allclose(local.pairwise(X[:9], X), D, atol=1e-9 * D.max())


def test_local_weights_serve_prediction_but_are_no_embedding(wine, tmp_path):
    X, y = wine
    single = X.astype(np.float32)
    model = KNNClassifier(SCML(40, beta=1e-3, local=True, euclid_share=0.0), 1).fit(single[::2], y[::2])
    assert model.score(single[1::2], y[1::2]) > 0.93
    assert model.kneighbors(single[:3])[0].dtype == np.float32
    learner = model.learner_
    assert not hasattr(learner, "components_")
    with pytest.raises(AttributeError, match="not an embedding"):
        learner.transform(single)
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(single), model.predict(single))
    # Fitted again without it, the learner is an embedding again.
    assert learner.set_params(local=False).fit(single, y).transform(single).shape[0] == len(X)


def test_local_weights_lower_the_hinge(wine):
    X, y = wine
    plain, local = (SCML(40, beta=1e-3, local=local, euclid_share=0.0).fit(X, y) for local in (False, True))
    assert local.objective_ < plain.objective_
    assert local.gap_ == plain.gap_
