"""Losses of pairs and triplets against their definitions, from constraints and from labels."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from nearkin.losses import DriftLoss, NCALoss, TotalLoss
from nearkin.losses.pair_logistic import PairLogisticLoss, best_threshold
from nearkin.losses.triplet_hinge import TripletHingeLoss
from nearkin.maps import DiagonalMap, GatedMap, KernelMap, LinearMap
from nearkin.objective import Objective
from nearkin.supervision.constraints import Pairs, TripletList
from nearkin.supervision.label_pairs import nearest_pairs
from nearkin.supervision.label_triplets import nearest_triplets

rng = np.random.RandomState(0)
Z = rng.standard_normal((30, 3))
PAIRS = Pairs.checked(
    rng.randint(30, size=(50, 2)), np.arange(50) % 3 == 0, n_samples=30, weight=rng.uniform(0.5, 2, 50)
)
TRIPLETS = TripletList.checked(rng.randint(30, size=(50, 3)), n_samples=30, weight=rng.uniform(0.5, 2, 50))
CODES = np.arange(30) % 3


def squared(Z, a, b):
    return ((Z[a] - Z[b]) ** 2).sum(axis=1)


def logistic_mean(D, pairs, b, temperature):
    signs = np.where(pairs.similar, 1, -1)
    return np.average(np.log1p(np.exp(signs * (D - b) / temperature)), weights=pairs.weight)


def test_pair_loss_is_the_logistic_mean_at_its_best_threshold():
    loss = PairLogisticLoss(temperature=2.0)
    value, _ = loss.value_and_grad(Z, loss.prepare(Z, PAIRS))
    D = squared(Z, PAIRS.left, PAIRS.right)
    best = minimize_scalar(lambda b: logistic_mean(D, PAIRS, b, 2.0), options={"xtol": 1e-12})
    assert value == pytest.approx(best.fun, rel=1e-12)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3, 1e9])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
def test_threshold_is_the_minimum(size, share):
    rng = np.random.RandomState(1)
    values = size * rng.uniform(size=200)
    signs = np.where(rng.uniform(size=200) < share, 1.0, -1.0)
    weights = rng.uniform(0.1, 1, 200)
    b = best_threshold(values, signs, weights)

    def slope(b):
        return -np.sum(weights * signs / (1 + np.exp(np.clip(-signs * (values - b), -700, 700))))

    # The slope rises with b and changes its sign here.
    step = 1e-9 * max(size, 1)
    assert slope(b - step) <= 0 <= slope(b + step)


def test_triplet_loss_is_the_mean_hinge():
    loss = TripletHingeLoss(margin=0.8)
    value, _ = loss.value_and_grad(Z, loss.prepare(Z, TRIPLETS))
    near, far = squared(Z, TRIPLETS.anchor, TRIPLETS.near), squared(Z, TRIPLETS.anchor, TRIPLETS.far)
    hinges = np.maximum(1 + (near - far) / 0.8, 0)
    assert value == pytest.approx(np.average(hinges, weights=TRIPLETS.weight), rel=1e-12)


@pytest.mark.parametrize(
    "map_",
    [LinearMap(2, init="pca"), DiagonalMap(), GatedMap(2), KernelMap(n_landmarks=15)],
    ids=lambda map_: type(map_).__name__,
)
@pytest.mark.parametrize(
    ("loss", "constraints"),
    [
        (PairLogisticLoss(), PAIRS),
        (TripletHingeLoss(), TRIPLETS),
        (TotalLoss([(1.0, PairLogisticLoss(0.5)), (0.1, DriftLoss())]), PAIRS),
    ],
    ids=["pairs", "triplets", "pairs and drift"],
)
def test_gradients_match_finite_differences_after_every_map(map_, loss, constraints):
    rng = np.random.RandomState(1)
    lift = map_.lift(Z, rng)
    F = Z if lift is None else lift(Z)
    start = map_.start(F, constraints, rng)
    objective = Objective(map_, loss, F, constraints, start)
    theta = start + 0.1 * np.abs(start).mean() * rng.standard_normal(start.size)
    _, gradient = objective(theta)
    errors = []
    for _ in range(5):
        direction = rng.standard_normal(theta.size)
        direction /= np.linalg.norm(direction)
        ahead, back = (objective(theta + step * direction)[0] for step in (1e-6, -1e-6))
        errors.append(abs((ahead - back) / 2e-6 - gradient @ direction) / np.linalg.norm(gradient))
    # A hinge that switches within a step spoils one direction, not the gradient.
    assert np.median(errors) < 1e-6


def test_labels_are_the_pairs_and_triplets_they_stand_for():
    w = np.random.RandomState(2).uniform(0.5, 2, 30)
    pairs = nearest_pairs(Z, CODES, 3, 3)
    weighted = Pairs(pairs.left, pairs.right, pairs.similar, w[pairs.left])
    triplets = nearest_triplets(Z, CODES, 2, 4)
    for loss, unweighted, by_hand in (
        (PairLogisticLoss(), pairs, weighted),
        (
            TripletHingeLoss(n_targets=2, n_impostors=4),
            triplets,
            TripletList(triplets.anchor, triplets.near, triplets.far, w[triplets.anchor]),
        ),
    ):
        for weight, constraints in ((None, unweighted), (w, by_hand)):
            of_labels = loss.value_and_grad(2 * Z, loss.prepare(Z, CODES, sample_weight=weight))
            of_constraints = loss.value_and_grad(2 * Z, loss.prepare(Z, constraints))
            assert of_labels[0] == of_constraints[0]
            np.testing.assert_array_equal(of_labels[1], of_constraints[1])


@pytest.mark.parametrize(
    ("loss", "constraints"), [(PairLogisticLoss(), PAIRS), (TripletHingeLoss(), TRIPLETS)]
)
@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_the_features_does_not_matter(loss, constraints, unit):
    plain = loss.value_and_grad(2 * Z, loss.prepare(Z, constraints, start=Z))[0]
    scaled = loss.value_and_grad(2 * unit * Z, loss.prepare(unit * Z, constraints, start=unit * Z))[0]
    assert scaled == pytest.approx(plain, rel=1e-9)


def test_contradictory_pairs_and_pairs_of_equal_rows_are_weighed_like_others():
    pairs = Pairs.checked([[0, 1], [0, 1], [2, 2], [3, 4]], [1, 0, 0, 0], n_samples=30)
    value, gradient = PairLogisticLoss().value_and_grad(Z, PairLogisticLoss().prepare(Z, pairs))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert not gradient[2].any()


@pytest.mark.parametrize("similar", [True, False])
def test_pairs_of_one_kind_are_refused(similar):
    pairs = Pairs.checked([[0, 1], [1, 2]], [similar] * 2, n_samples=30)
    with pytest.raises(ValueError, match="both kinds"):
        PairLogisticLoss().prepare(Z, pairs)


@pytest.mark.parametrize(
    ("loss", "name"),
    [
        (PairLogisticLoss(temperature=0), "temperature"),
        (PairLogisticLoss(n_neighbors=0), "n_neighbors"),
        (TripletHingeLoss(margin=-1), "margin"),
        (TripletHingeLoss(n_targets=0), "n_targets"),
        (TripletHingeLoss(n_impostors=2.5), "n_impostors"),
    ],
)
def test_impossible_settings_are_named(loss, name):
    with pytest.raises(ValueError, match=name):
        loss.prepare(Z, CODES)


@pytest.mark.parametrize(("loss", "other"), [(PairLogisticLoss(), TRIPLETS), (TripletHingeLoss(), PAIRS)])
def test_other_constraints_and_real_targets_are_refused(loss, other):
    for y in (other, Z[:, 0]):
        with pytest.raises(ValueError, match="neither"):
            loss.prepare(Z, y)


def test_a_total_takes_what_all_its_parts_take():
    assert TotalLoss([(1, PairLogisticLoss()), (1, DriftLoss())]).supervision == ("labels", "pairs")
    assert TotalLoss([(1, PairLogisticLoss()), (1, NCALoss())]).supervision == ("labels",)
