"""Gradients of every loss after every map, against finite differences; found by walking the rooms."""

from dataclasses import replace

import numpy as np
import pytest

from nearkin._discovery import subclasses
from nearkin.losses import DriftLoss, LargeMarginLoss, Loss, MEGMLoss, NCALoss, TotalLoss
from nearkin.losses.centre import CentreLoss
from nearkin.losses.mcml import MCMLLoss
from nearkin.maps import GatedMap, KernelMap, LinearMap, Map
from nearkin.objective import OVERFLOWED, Objective
from nearkin.pairwise import ListPolicy, SoftPolicy

# Policies under which so few rows are listed, and policies under which they never are. A list kept over
# several evaluations would tell nothing of the gradient at one point: none is older than its evaluation.
LISTED = SoftPolicy(
    smallest_listed=2,
    largest_margin=0.0,
    largest_listed_share=3.0,
    neglected_share=1e-13,
    certain_share=1e-13,
)
BLOCKED = SoftPolicy(smallest_listed=10**9)
TILED = SoftPolicy(smallest_listed=10**9, smallest_tiled=1, tile_rows=10, tile_columns=12)
#: No list is short enough: pairs are kept for one evaluation, or rows are searched and forgotten in turn.
KEPT = replace(LISTED, largest_listed=0)
STREAMED = replace(KEPT, largest_found=1)
#: Some of both.
PARTLY_KEPT = replace(KEPT, largest_found=250, tile_rows=4)
HINGES_LISTED = ListPolicy(largest_margin=0.0, largest_listed_share=3.0)
HINGES_BLOCKED = ListPolicy(largest_listed=0)

# Instances that need more than defaults; every other class found is tried as it comes.
LOSS_VARIANTS = {
    "CentreLoss": [CentreLoss(), CentreLoss(3, 0.7, leave_one_out=False), CentreLoss(5)],
    "MCMLLoss": [MCMLLoss(), MCMLLoss("auto", ridge=0.2)],
    "NCALoss": [NCALoss(policy) for policy in (LISTED, BLOCKED, TILED, KEPT, STREAMED)],
    "MEGMLoss": [MEGMLoss(policy=policy) for policy in (LISTED, BLOCKED, TILED, PARTLY_KEPT)],
    "TotalLoss": [TotalLoss([(0.7, MEGMLoss()), (0.3, NCALoss()), (0.1, DriftLoss())])],
    "LargeMarginLoss": [
        LargeMarginLoss(n_targets=2, policy=HINGES_LISTED),
        LargeMarginLoss(n_targets=2, policy=HINGES_BLOCKED),
        LargeMarginLoss(n_targets=30, mu=0.9),
    ],
}
MAP_VARIANTS = {
    "LinearMap": [LinearMap(), LinearMap(2, init="pca"), LinearMap(2, init="lda")],
    "GatedMap": [GatedMap(3, "softmax", 2), GatedMap(2, "sigmoid"), GatedMap(1, "softmax", 3)],
    "KernelMap": [KernelMap(n_landmarks=15), KernelMap(GatedMap(2, n_components=2), "polynomial", degree=2)],
}


def instances(package, base, variants):
    for name, item in subclasses(package, base).items():
        for number, instance in enumerate(variants.get(name) or [item()]):
            yield pytest.param(instance, id=f"{name}{number}")


def data(n=36, d=4, seed=0):
    rng = np.random.RandomState(seed)
    y = np.arange(n) % 3
    X = rng.standard_normal((n, d)) + 0.8 * np.eye(3, d)[y]
    return X, y, rng.uniform(0.5, 2, n)


def relative_gradient_error(objective, theta, rng, step=1e-6):
    """Median over directions: a hinge that switches within a step spoils one direction, not the gradient."""
    _, gradient = objective(theta)
    errors = []
    for _ in range(7):
        direction = rng.standard_normal(theta.size)
        direction /= np.linalg.norm(direction)
        far_back, back, ahead, far_ahead = (
            objective(theta + k * step * direction)[0] for k in (-2, -1, 1, 2)
        )
        slope = (8 * (ahead - back) - (far_ahead - far_back)) / (12 * step)
        errors.append(abs(slope - gradient @ direction) / np.linalg.norm(gradient))
    return np.median(errors)


@pytest.mark.parametrize("map_", list(instances("nearkin.maps", Map, MAP_VARIANTS)))
@pytest.mark.parametrize("loss", list(instances("nearkin.losses", Loss, LOSS_VARIANTS)))
def test_gradient_matches_finite_differences(map_, loss):
    X, y, weights = data()
    rng = np.random.RandomState(1)
    lift = map_.lift(X, rng)
    F = X if lift is None else lift(X)
    start = map_.start(F, y, rng)
    objective = Objective(map_, loss, F, y, start, sample_weight=weights)
    # Away from the start, where penalties and symmetric gates would vanish.
    theta = start + 0.1 * np.abs(start).mean() * rng.standard_normal(start.size)
    assert relative_gradient_error(objective, theta, rng) < 1e-6
    policy = getattr(loss, "policy", None)
    if policy is not None:
        # The grid has gone the way that it meant to go.
        listed = objective.state.memory.lists.pairs is not None
        assert listed == (policy in (LISTED, HINGES_LISTED))
    if policy == STREAMED:
        assert objective.state.memory.reach.decay > 0


@pytest.mark.parametrize("map_", list(instances("nearkin.maps", Map, MAP_VARIANTS)))
def test_rescaled_parameters_do_to_rows_what_others_do_in_another_unit(map_):
    X, y, _ = data()
    rng = np.random.RandomState(1)
    lift = map_.lift(X, rng)
    F = X if lift is None else lift(X)
    theta = map_.start(F / 7, y, rng)
    expected = map_.forward(theta, F / 7)[0]
    np.testing.assert_allclose(map_.forward(map_.rescaled(theta, 7.0, F.shape[1]), F)[0], expected, rtol=1e-9)


@pytest.mark.parametrize("policy", [LISTED, BLOCKED, STREAMED])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_gradient_of_real_targets(n_outputs, policy):
    X, _, weights = data()
    rng = np.random.RandomState(2)
    Y = rng.standard_normal((len(X), n_outputs)) + X[:, :1]
    objective = Objective(
        LinearMap(), MEGMLoss(policy=policy), X, Y, np.eye(4).ravel(), sample_weight=weights
    )
    assert relative_gradient_error(objective, np.eye(4).ravel() + 0.1, rng) < 1e-6


def test_overflow_is_told_to_the_solver():
    X, y, _ = data()
    objective = Objective(LinearMap(), NCALoss(), X, y, np.eye(4).ravel())
    value, gradient = objective(np.full(16, 1e200))
    assert value == OVERFLOWED
    assert not gradient.any()


def test_infinite_start_is_refused():
    X, y, _ = data()
    with pytest.raises(ValueError, match="start"):
        Objective(LinearMap(), NCALoss(), X, y, np.full(16, np.inf))
