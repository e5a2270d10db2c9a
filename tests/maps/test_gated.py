import numpy as np
import pytest

from nearkin.maps import GatedMap

RNG = np.random.RandomState(0)
X = RNG.standard_normal((30, 4))
y = np.arange(30) % 2


def fitted(gating, n_regions=3):
    map_ = GatedMap(n_regions, gating, 2)
    lift = map_.lift(X, RNG)
    F = lift(X)
    theta = map_.start(F, y, RNG) + 0.3 * RNG.standard_normal(n_regions * (2 * 4 + 5))
    return map_, theta, lift, F


@pytest.mark.parametrize("gating", ["softmax", "sigmoid"])
def test_distance_is_the_sum_of_gated_local_distances(gating):
    map_, theta, lift, F = fitted(gating)
    embedding = map_.freeze(theta, lift, 4)
    Z = embedding(X)
    np.testing.assert_allclose(map_.forward(theta, F)[0], Z)
    projections, _ = map_.split(theta, 4)
    eta = embedding.gate(X)
    expected = sum(
        np.linalg.norm(projections[m] @ (eta[3, m] * F[3] - eta[7, m] * F[7])) ** 2 for m in range(3)
    )
    np.testing.assert_allclose(np.linalg.norm(Z[3] - Z[7]) ** 2, expected)


def test_softmax_gates_compete_and_sigmoid_gates_do_not():
    map_, theta, lift, _ = fitted("softmax")
    np.testing.assert_allclose(map_.freeze(theta, lift, 4).gate(X).sum(axis=1), 1)
    map_, theta, lift, _ = fitted("sigmoid")
    assert np.ptp(map_.freeze(theta, lift, 4).gate(X).sum(axis=1)) > 0.01


def test_moving_all_data_changes_nothing():
    map_ = GatedMap(2, n_components=2)
    Z = []
    for data in (X, X + 100):
        rng = np.random.RandomState(3)
        lift = map_.lift(data, rng)
        theta = map_.start(lift(data), y, rng)
        Z.append(map_.freeze(theta, lift, 4)(data))
    np.testing.assert_allclose(*Z, atol=1e-9)


@pytest.mark.parametrize("gating", ["softmax", "sigmoid"])
def test_a_dead_gate_gives_zeros_not_nan(gating):
    map_, theta, _, F = fitted(gating)
    map_.split(theta, 4)[1][0] = [0, 0, 0, 0, -1e4]
    Z, cache = map_.forward(theta, F)
    np.testing.assert_array_equal(Z[:, :2], 0)
    assert np.isfinite(map_.pullback(np.ones_like(Z), cache)).all()


def test_constant_features_do_not_break_the_start():
    F = X.copy()
    F[:, 1] = 0
    assert np.isfinite(GatedMap(2).start(F, y, RNG)).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"gating": "hard"}, "softmax"), ({"n_regions": 31}, "30"), ({"n_regions": 0}, "from 1")],
)
def test_impossible_settings_say_what_to_do(settings, message):
    with pytest.raises(ValueError, match=message):
        GatedMap(**settings).start(X, y, RNG)
