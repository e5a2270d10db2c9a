"""NCA and MEGM against their definitions, by full blocks and by lists of near pairs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import softmax

from nearkin.losses import DriftLoss, MEGMLoss, NCALoss, TotalLoss
from nearkin.losses.megm import MEGM_POLICY
from nearkin.numerics.threads import allowed_workers
from nearkin.pairwise import SoftPolicy
from nearkin.pairwise.soft_neighbours import Reach

#: Lists of near pairs for however few rows, and however long.
LISTED = {"smallest_listed": 10, "largest_listed_share": 3.0}
NCA_LISTED, MEGM_LISTED = SoftPolicy(**LISTED), replace(MEGM_POLICY, **LISTED)
BLOCKS = SoftPolicy(smallest_listed=10**9)
#: No list is short enough, so that pairs are kept for one evaluation only, or not at all.
TOO_LONG = {**LISTED, "largest_listed": 1, "tile_rows": 64}


def rows(n=120, e=3, n_classes=4, seed=0, spread=1.0):
    rng = np.random.RandomState(seed)
    y = rng.randint(n_classes, size=n)
    return spread * (rng.standard_normal((n, e)) + np.eye(n_classes, e)[y]), y, rng.uniform(0.5, 2, n)


def leave_one_out(Z, sharpness):
    D = cdist(Z, Z, "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    return softmax(-sharpness[:, None] * D, axis=1)


def test_nca_is_the_expected_error():
    Z, y, w = rows()
    loss = NCALoss()
    value, _ = loss.value_and_grad(Z, loss.prepare(Z, y, sample_weight=w))
    hits = (leave_one_out(Z, np.ones(len(Z))) * (y[:, None] == y)).sum(axis=1)
    np.testing.assert_allclose(value, np.average(1 - hits, weights=w), rtol=1e-10)


@pytest.mark.parametrize("real_targets", [False, True])
def test_megm_is_the_squared_error_of_kernel_predictions(real_targets):
    Z, y, w = rows()
    k = 6
    D = np.sort(cdist(Z, Z, "sqeuclidean"), axis=1)
    sharpness = 1 / (2 * D[:, 1 : k // 2 + 1].mean(axis=1) / 2)
    target = np.random.RandomState(1).standard_normal((len(Z), 2)) if real_targets else y
    table = target if real_targets else np.eye(4)[y]
    loss = MEGMLoss(n_neighbors=k)
    # Twice as far as at the start: the widths must still be those of the start.
    value, _ = loss.value_and_grad(2 * Z, loss.prepare(Z, target, start=Z, sample_weight=w))
    errors = ((table - leave_one_out(2 * Z, sharpness) @ table) ** 2).sum(axis=1)
    np.testing.assert_allclose(value, np.average(errors, weights=w), rtol=1e-8)


@pytest.mark.parametrize(
    ("blocked", "loss"),
    [(NCALoss(BLOCKS), NCALoss(NCA_LISTED)), (MEGMLoss(4, BLOCKS), MEGMLoss(4, MEGM_LISTED))],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_near_pairs_and_full_blocks_agree(blocked, loss, dtype):
    Z, y, w = rows(n=400, spread=6.0)
    Z = Z.astype(dtype)
    state = blocked.prepare(Z, y, start=Z, sample_weight=w)
    full, full_gradient = blocked.value_and_grad(3 * Z, state)
    assert not state.inexact
    state = loss.prepare(Z, y, start=Z, sample_weight=w)
    listed, listed_gradient = loss.value_and_grad(3 * Z, state)
    assert state.inexact
    assert listed == pytest.approx(full, abs=2 * state.tolerance)
    assert np.linalg.norm(listed_gradient - full_gradient) <= max(
        0.01, 15 * state.tolerance
    ) * np.linalg.norm(full_gradient)
    certain, certain_gradient = loss.value_and_grad(3 * Z, state, exact=True)
    assert not state.inexact
    assert state.memory.lists.pairs is None  # a list of its own, forgotten since
    assert certain == pytest.approx(full, rel=1e-4)
    np.testing.assert_allclose(certain_gradient, full_gradient, atol=1e-4 * np.abs(full_gradient).max())


@pytest.mark.parametrize("targets", ["classes", "real"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kept", [1.0, 0.6, 0.0], ids=["all kept", "some kept", "none kept"])
def test_stretches_of_rows_and_full_blocks_agree(targets, dtype, kept):
    Z, y, w = rows(n=600, spread=5.0)
    y = y if targets == "classes" else np.random.RandomState(0).standard_normal((600, 2))
    Z = Z.astype(dtype)
    blocked, loss = MEGMLoss(4, BLOCKS), MEGMLoss(4, replace(MEGM_POLICY, **TOO_LONG))
    full_state = blocked.prepare(Z, y, start=Z, sample_weight=w)
    full, full_gradient = blocked.value_and_grad(3 * Z, full_state)
    state = loss.prepare(Z, y, start=Z, sample_weight=w)
    found = 0
    for exact in (False, True):
        state.memory.lists.most_found = 10**6
        whole = loss.value_and_grad(3 * Z, state, exact=exact)
        found = found or state.memory.lists.inside
        state.memory.lists.most_found = 10**6 if kept == 1 else max(1, int(kept * found))
        value, gradient = loss.value_and_grad(3 * Z, state, exact=exact)
        assert state.inexact != exact
        assert state.memory.lists.pairs is None
        # What was kept does not matter.
        assert value == pytest.approx(whole[0], rel=1e-5 if dtype == np.float32 else 1e-12)
        np.testing.assert_allclose(
            gradient, whole[1], atol=(1e-5 if dtype == np.float32 else 1e-12) * np.abs(gradient).max()
        )
        tolerance = 1e-4 if exact else 15 * state.tolerance
        assert value == pytest.approx(full, rel=tolerance)
        assert np.linalg.norm(gradient - full_gradient) <= tolerance * np.linalg.norm(full_gradient)
        np.testing.assert_array_equal(state.memory.nearest, full_state.memory.nearest)


@pytest.mark.parametrize(
    "loss",
    [NCALoss(NCA_LISTED), MEGMLoss(4, MEGM_LISTED), NCALoss(replace(NCA_LISTED, **TOO_LONG))],
)
def test_exact_values_do_not_depend_on_earlier_calls(loss):
    Z, y, _ = rows(n=400, spread=6.0)
    fresh = loss.value_and_grad(3 * Z, loss.prepare(Z, y, start=Z), exact=True)
    state = loss.prepare(Z, y, start=Z)
    for scale in (0.01, 1.0, 2.9, 2.95, 3.01):
        loss.value_and_grad(scale * Z, state)
    later = loss.value_and_grad(3 * Z, state, exact=True)
    assert later[0] == pytest.approx(fresh[0], rel=1e-12)
    np.testing.assert_allclose(later[1], fresh[1], atol=1e-12 * np.abs(fresh[1]).max())


def test_near_pairs_and_full_blocks_agree_for_real_targets():
    Z, _, _ = rows(n=300, spread=5.0)
    Y = np.random.RandomState(0).standard_normal((300, 3))
    blocked, loss = MEGMLoss(4, BLOCKS), MEGMLoss(4, MEGM_LISTED)
    full, full_gradient = blocked.value_and_grad(3 * Z, blocked.prepare(Z, Y, start=Z))
    listed, listed_gradient = loss.value_and_grad(3 * Z, loss.prepare(Z, Y, start=Z), exact=True)
    assert listed == pytest.approx(full, rel=1e-4)
    np.testing.assert_allclose(listed_gradient, full_gradient, atol=1e-4 * np.abs(full_gradient).max())


@pytest.mark.parametrize("targets", ["classes", "real"])
def test_several_workers_give_what_one_gives(targets):
    Z, y, w = rows(n=400, spread=6.0)
    y = y if targets == "classes" else np.random.RandomState(0).standard_normal((400, 2))
    loss, results = MEGMLoss(4, MEGM_LISTED), []
    for workers in (1, 3):
        with allowed_workers(workers, always=True):
            state = loss.prepare(Z, y, start=Z, sample_weight=w)
            results.append((*loss.value_and_grad(3 * Z, state), state.memory.nearest))
        assert state.inexact
        assert state.memory.lists.mirrored()._workers == workers
    for one, three in zip(*results, strict=True):
        np.testing.assert_allclose(one, three, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("targets", ["classes", "real"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("scale", [1.0, 0.01, 100.0])
def test_tiles_and_full_blocks_agree(targets, dtype, workers, scale):
    Z, y, w = rows(n=300, spread=2.0)
    y = y if targets == "classes" else np.random.RandomState(0).standard_normal((300, 2))
    Z = Z.astype(dtype)
    blocked = MEGMLoss(4, BLOCKS)
    tiled = MEGMLoss(4, replace(BLOCKS, smallest_tiled=1, tile_rows=70, tile_columns=110))
    state = blocked.prepare(Z, y, start=Z, sample_weight=w)
    full, full_gradient = blocked.value_and_grad(scale * Z, state)
    with allowed_workers(workers, always=True):
        tiled_state = tiled.prepare(Z, y, start=Z, sample_weight=w)
        value, gradient = tiled.value_and_grad(scale * Z, tiled_state)
    assert not tiled_state.inexact
    tolerance = 1e-4 if dtype == np.float32 else 1e-9
    assert value == pytest.approx(full, rel=tolerance)
    # Weights below 1e-26 of the nearest's are nothing to tiles.
    atol = tolerance * np.abs(full_gradient).max() + 1e-20
    np.testing.assert_allclose(gradient, full_gradient, atol=atol)
    if dtype == np.float64:
        np.testing.assert_array_equal(tiled_state.memory.nearest, state.memory.nearest)


@pytest.mark.parametrize("targets", ["classes", "real"])
@pytest.mark.parametrize("most", [10**6, 1000])
def test_several_workers_keep_the_same_pairs(targets, most):
    Z, y, w = rows(n=400, spread=6.0)
    y = y if targets == "classes" else np.random.RandomState(0).standard_normal((400, 2))
    loss = MEGMLoss(4, replace(MEGM_POLICY, **TOO_LONG, largest_found=most))
    results = []
    for workers in (1, 3, 3):
        with allowed_workers(workers, always=True):
            state = loss.prepare(Z, y, start=Z, sample_weight=w)
            results.append((*loss.value_and_grad(3 * Z, state), state.memory.lists.inside))
    one, three, again = results
    assert one[2] == three[2] == again[2] > 0
    assert one[0] == pytest.approx(three[0], rel=1e-12)
    np.testing.assert_allclose(one[1], three[1], atol=1e-12 * np.abs(one[1]).max())
    # To the last bit, whichever thread was faster.
    assert three[0] == again[0]
    np.testing.assert_array_equal(three[1], again[1])


def test_full_blocks_note_the_nearest():
    Z, y, _ = rows(n=300)
    state = NCALoss().prepare(Z, y)
    NCALoss().value_and_grad(Z, state)
    D = ((Z[:, None] - Z) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    order = np.arange(300) if state.order is None else state.order
    np.testing.assert_array_equal(state.memory.nearest.ravel(), D[np.ix_(order, order)].argmin(axis=1))


def test_too_many_near_pairs_fall_back_to_blocks():
    Z, y, _ = rows(n=200, spread=0.1)
    expected = NCALoss(BLOCKS).value_and_grad(Z, NCALoss(BLOCKS).prepare(Z, y))[0]
    loss = NCALoss(SoftPolicy(smallest_listed=10))
    state = loss.prepare(Z, y)
    assert loss.value_and_grad(Z, state)[0] == pytest.approx(expected)
    # A look that promises too little leads to a search that gives up.
    state.memory.reach = Reach(20.0, 1.0)
    assert loss.value_and_grad(Z, state)[0] == pytest.approx(expected)
    assert state.memory.lists.searches == 1
    assert state.memory.lists.pairs is None
    assert not state.inexact


@pytest.mark.parametrize("targets", ["classes", "real"])
def test_narrowed_state_keeps_the_scales_of_the_whole(targets):
    Z, y, w = rows(n=120)
    y = y if targets == "classes" else np.random.RandomState(0).standard_normal((120, 2))
    loss = TotalLoss([(1.0, MEGMLoss()), (0.3, DriftLoss())])
    state = loss.prepare(Z, y, start=Z, sample_weight=w)
    kept = np.arange(0, 120, 2)
    part = state.narrowed(kept)
    value, gradient = loss.value_and_grad(2 * Z[kept], part)
    # The same by hand: rows that are left out are too far away to be seen, and weigh nothing.
    places = kept if state.states[0].order is None else np.argsort(state.states[0].order)[kept]
    np.testing.assert_allclose(
        np.sort(part.states[0].sharpness), np.sort(state.states[0].sharpness[places]), rtol=1e-12
    )
    D = ((2 * Z[kept][:, None] - 2 * Z[kept]) ** 2).sum(axis=2)
    np.fill_diagonal(D, np.inf)
    P = np.exp(-state.states[0].sharpness[places][:, None] * D)
    P /= P.sum(axis=1, keepdims=True)
    Y = np.eye(y.max() + 1)[y[kept]] if targets == "classes" else y[kept]
    share = w[kept] / w[kept].sum()
    expected = share @ ((Y - P @ Y) ** 2).sum(axis=1) + 0.3 * share @ (Z[kept] ** 2).sum(axis=1)
    assert value == pytest.approx(expected, rel=1e-9)
    assert gradient.shape == Z[kept].shape


def test_neighbours_per_row_tell_broad_from_narrow():
    Z, y, _ = rows(n=300, spread=5.0)
    loss = NCALoss()
    state = loss.prepare(Z, y)
    counts = [state.neighbours_per_row(scale * Z) for scale in (1e-3, 0.5, 1e3)]
    assert counts[0] == pytest.approx(299)
    assert counts[0] > counts[1] > counts[2] == pytest.approx(1.0, abs=0.2)
    assert DriftLoss().prepare(Z, y).neighbours_per_row(Z) == 0


@pytest.mark.parametrize("loss", [NCALoss(), MEGMLoss()])
def test_order_of_samples_and_names_of_classes_do_not_matter(loss):
    Z, y, w = rows()
    value, gradient = loss.value_and_grad(Z, loss.prepare(Z, y, sample_weight=w))
    order = np.random.RandomState(5).permutation(len(Z))
    renamed = np.array([2, 0, 3, 1])[y[order]]
    again, moved = loss.value_and_grad(Z[order], loss.prepare(Z[order], renamed, sample_weight=w[order]))
    assert again == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(moved, gradient[order], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("loss", [NCALoss(), MEGMLoss()])
@pytest.mark.parametrize("scale", [1e-8, 1e6, 1e10])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_scale_overflows(loss, scale, dtype):
    Z, y, _ = rows()
    Z = (scale * Z).astype(dtype)
    value, gradient = loss.value_and_grad(Z, loss.prepare(Z, y))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("loss", [NCALoss(), MEGMLoss()])
def test_identical_rows_have_no_slope(loss):
    Z, y = np.ones((10, 2)), np.arange(10) % 2
    value, gradient = loss.value_and_grad(Z, loss.prepare(Z, y))
    assert np.isfinite(value)
    np.testing.assert_allclose(gradient, 0, atol=1e-12)


def test_duplicates_get_a_usable_width():
    Z = np.concatenate([np.zeros((8, 2)), np.random.RandomState(0).standard_normal((20, 2))])
    sharpness = MEGMLoss().prepare(Z, np.arange(28) % 2).sharpness
    assert np.isfinite(sharpness).all()
    assert sharpness.max() < 1e6 * sharpness.min()


def test_nca_refuses_real_targets():
    with pytest.raises(ValueError, match="MEGM"):
        NCALoss().prepare(np.zeros((3, 1)), np.array([0.5, 1.5, 2.5]))
