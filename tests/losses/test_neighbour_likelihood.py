"""MCML and log-NCA against their definitions, and MCML against the supervised contrastive loss."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import log_softmax, logsumexp

from nearkin.losses.log_nca import LogNCALoss
from nearkin.losses.mcml import MCMLLoss
from nearkin.pairwise import SoftPolicy

#: Blocks of the fewest rows, float64 whatever the rows.
PRECISE = SoftPolicy(block_bytes=1, largest_exponent_error=0.0)
LOSSES = [MCMLLoss(), MCMLLoss(0.2, ridge=0.1), LogNCALoss(), LogNCALoss("auto")]
each_loss = pytest.mark.parametrize(
    "loss", LOSSES, ids=lambda loss: f"{type(loss).__name__} {loss.temperature}"
)


def rows(n=80, e=3, n_classes=4, seed=0):
    rng = np.random.RandomState(seed)
    y = rng.randint(n_classes, size=n)
    return rng.standard_normal((n, e)) + np.eye(n_classes, e)[y], y, rng.uniform(0.5, 2, n)


def log_draws(Z, temperature):
    D = cdist(Z, Z, "sqeuclidean") / (2 * temperature)
    np.fill_diagonal(D, np.inf)
    return log_softmax(-D, axis=1)


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_mcml_is_the_cross_entropy_of_even_draws(temperature, ridge):
    Z, y, w = rows()
    same = (y[:, None] == y) & ~np.eye(len(y), dtype=bool)
    logs = np.where(same, log_draws(Z, temperature), 0)
    spread = ((Z - np.average(Z, axis=0, weights=w)) ** 2).sum(axis=1)
    expected = np.average(
        -logs.sum(axis=1) / same.sum(axis=1) + ridge * spread / (2 * temperature), weights=w
    )
    loss = MCMLLoss(temperature, ridge)
    assert loss.value_and_grad(Z, loss.prepare(Z, y, sample_weight=w))[0] == pytest.approx(
        expected, rel=1e-12
    )


def test_log_nca_is_the_likelihood_of_the_right_class():
    Z, y, w = rows()
    hits = logsumexp(np.where(y[:, None] == y, log_draws(Z, 0.5), -np.inf), axis=1)
    loss = LogNCALoss()
    value, _ = loss.value_and_grad(Z, loss.prepare(Z, y, sample_weight=w))
    assert value == pytest.approx(-np.average(hits, weights=w), rel=1e-12)


@pytest.mark.parametrize("loss", [MCMLLoss, LogNCALoss])
def test_another_policy_may_make_blocks_more_precise(loss):
    Z, y, _ = rows()
    # The mean, which is subtracted first, is zero without rounding.
    Z, y = np.concatenate([Z, -Z]).astype(np.float32), np.tile(y, 2)
    values = []
    for policy, dtype in ((None, np.float32), (PRECISE, np.float32), (None, np.float64)):
        chosen = loss(policy=policy)
        values.append(chosen.value_and_grad(Z.astype(dtype), chosen.prepare(Z, y))[0])
    rough, precise, expected = values
    assert precise == pytest.approx(expected, rel=1e-13)
    assert rough != pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("tau", [0.05, 0.5])
def test_on_rows_of_length_one_mcml_is_the_supervised_contrastive_loss(tau):
    Z, y, _ = rows()
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    # As its authors write it: similarities over tau, a sum over positives outside the logarithm.
    expected = []
    for i in range(len(Z)):
        others = [a for a in range(len(Z)) if a != i]
        positives = [p for p in others if y[p] == y[i]]
        normaliser = np.log(sum(np.exp(Z[i] @ Z[a] / tau) for a in others))
        expected.append(-np.mean([Z[i] @ Z[p] / tau - normaliser for p in positives]))
    loss = MCMLLoss(temperature=tau)
    assert loss.value_and_grad(Z, loss.prepare(Z, y))[0] == pytest.approx(np.mean(expected), rel=1e-11)


def test_two_rows_a_class_and_classes_far_apart_leave_nothing_to_gain():
    Z, y = np.array([[0.0], [0.1], [30.0], [30.1]]), np.array([0, 0, 1, 1])
    for loss in (MCMLLoss(), LogNCALoss()):
        assert loss.value_and_grad(Z, loss.prepare(Z, y))[0] == pytest.approx(0, abs=1e-9)


def test_rows_far_from_their_class_keep_a_slope():
    # The expected error of NCA is flat here: every neighbour is of the other class to the last digit.
    Z, y = np.array([[0.0], [100.0], [0.1], [100.1]]), np.array([0, 0, 1, 1])
    value, gradient = LogNCALoss().value_and_grad(Z, LogNCALoss().prepare(Z, y))
    assert value == pytest.approx(1e4, rel=0.01)
    assert (np.abs(gradient) > 1).all()


@each_loss
def test_order_of_samples_and_names_of_classes_do_not_matter(loss):
    Z, y, w = rows()
    value, gradient = loss.value_and_grad(Z, loss.prepare(Z, y, sample_weight=w))
    order = np.random.RandomState(5).permutation(len(Z))
    renamed = np.array([2, 0, 3, 1])[y[order]]
    again, moved = loss.value_and_grad(Z[order], loss.prepare(Z[order], renamed, sample_weight=w[order]))
    assert again == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(moved, gradient[order], rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("loss", [MCMLLoss(), LogNCALoss()])
def test_a_lone_row_is_not_judged_but_drawn(loss):
    Z = np.array([[0.0], [1.0], [5.0], [6.0], [0.5]])
    y = np.array([0, 0, 1, 1, 2])
    state = loss.prepare(Z, y)
    without = loss.value_and_grad(Z[:4], loss.prepare(Z[:4], y[:4]))[0] * 4 / 5
    assert loss.value_and_grad(Z, state)[0] > without
    Z[4] = 1e3  # where nobody draws it
    value, gradient = loss.value_and_grad(Z, state)
    assert value == pytest.approx(without)
    assert gradient[4] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("loss", [MCMLLoss("auto", ridge=0.1), LogNCALoss("auto")])
def test_the_unit_of_the_features_does_not_matter(loss):
    Z, y, _ = rows()
    plain, tiny, huge = (
        loss.value_and_grad(2 * unit * Z, loss.prepare(unit * Z, y, start=unit * Z))[0]
        for unit in (1.0, 1e-6, 1e6)
    )
    assert tiny == pytest.approx(plain, rel=1e-9)
    assert huge == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("loss", [MCMLLoss(), LogNCALoss()])
@pytest.mark.parametrize("scale", [1e-8, 1e6, 1e10])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_scale_overflows(loss, scale, dtype):
    Z, y, _ = rows()
    Z = (scale * Z).astype(dtype)
    value, gradient = loss.value_and_grad(Z, loss.prepare(Z, y))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert gradient.dtype == dtype


@each_loss
def test_float32_agrees_with_float64(loss):
    Z, y, w = rows(300)
    Z = 4 * Z + 50
    state = loss.prepare(Z, y, sample_weight=w)
    double, single = loss.value_and_grad(Z, state), loss.value_and_grad(Z.astype(np.float32), state)
    assert single[0] == pytest.approx(double[0], rel=1e-4)
    assert np.linalg.norm(single[1] - double[1]) < 1e-2 * np.linalg.norm(double[1])


@pytest.mark.parametrize("loss", [MCMLLoss(), LogNCALoss()])
def test_identical_rows_have_no_slope(loss):
    Z, y = np.ones((10, 2)), np.arange(10) % 2
    value, gradient = loss.value_and_grad(Z, loss.prepare(Z, y))
    assert np.isfinite(value)
    np.testing.assert_allclose(gradient, 0, atol=1e-12)


@pytest.mark.parametrize("loss", [MCMLLoss(), LogNCALoss()])
def test_what_cannot_be_learned_from_is_named(loss):
    with pytest.raises(ValueError, match="single sample"):
        loss.prepare(np.eye(3), np.arange(3))
    with pytest.raises(ValueError, match="real targets"):
        loss.prepare(np.eye(3), np.array([0.5, 1.5, 2.5]))


@pytest.mark.parametrize(
    ("loss", "name"),
    [(MCMLLoss(0), "temperature"), (LogNCALoss("hot"), "temperature"), (MCMLLoss(ridge=-1), "ridge")],
)
def test_impossible_settings_are_named(loss, name):
    with pytest.raises(ValueError, match=name):
        loss.prepare(np.eye(4), np.array([0, 0, 1, 1]))
