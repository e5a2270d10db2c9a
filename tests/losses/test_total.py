import numpy as np
import pytest

from nearkin.learners.gradient.lmnn import at_best_scale
from nearkin.losses import DriftLoss, LargeMarginLoss, Loss, MEGMLoss, NCALoss, TotalLoss
from nearkin.losses.base import Scaling
from nearkin.maps import LinearMap
from nearkin.objective import Objective


def test_is_the_weighted_sum_of_its_parts():
    rng = np.random.RandomState(0)
    Z, y = rng.standard_normal((30, 2)), np.arange(30) % 3
    parts = [(0.5, NCALoss()), (2.0, MEGMLoss()), (0.1, DriftLoss())]
    total = TotalLoss(parts)
    value, gradient = total.value_and_grad(Z + 1, total.prepare(Z, y))
    alone = [loss.value_and_grad(Z + 1, loss.prepare(Z, y)) for _, loss in parts]
    assert value == pytest.approx(sum(w * v for (w, _), (v, _) in zip(parts, alone)))
    np.testing.assert_allclose(gradient, sum(w * g for (w, _), (_, g) in zip(parts, alone)))


def test_drift_is_zero_at_the_start_and_keeps_float32():
    Z = np.random.RandomState(0).standard_normal((5, 2)).astype(np.float32)
    loss = DriftLoss()
    state = loss.prepare(Z, np.zeros(5, int), sample_weight=np.arange(1.0, 6))
    assert loss.value_and_grad(Z, state)[0] == 0
    value, gradient = loss.value_and_grad(Z + np.eye(5, 2, dtype=np.float32), state)
    assert value == pytest.approx((1 + 2) / 15, rel=1e-5)
    assert gradient.dtype == np.float32


def test_a_loss_learns_from_labels_unless_it_says_otherwise():
    assert Loss.supervision == NCALoss().supervision == ("labels",)


def test_only_a_loss_that_knows_its_scale_moves_the_start():
    X, y = np.random.RandomState(0).standard_normal((30, 3)), np.arange(30) % 3
    theta = np.eye(3).ravel()
    started = [
        at_best_scale(Objective(LinearMap(), loss, X, y, theta), theta)
        for loss in (NCALoss(), LargeMarginLoss())
    ]
    assert [isinstance(loss, Scaling) for loss in (NCALoss(), LargeMarginLoss())] == [False, True]
    np.testing.assert_array_equal(started[0], theta)
    assert not np.array_equal(started[1], theta)
