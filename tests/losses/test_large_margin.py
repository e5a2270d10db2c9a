import numpy as np
import pytest
from scipy.spatial.distance import cdist

from nearkin.losses import LargeMarginLoss
from nearkin.pairwise import ListPolicy

#: Never a list, and small blocks: as with many rows where everything is an impostor.
BLOCKS = ListPolicy(largest_listed=0, block_bytes=1)


def rows(n=90, e=3, seed=0):
    rng = np.random.RandomState(seed)
    y = rng.randint(3, size=n)
    return rng.standard_normal((n, e)) + 1.5 * np.eye(3, e)[y], y, rng.uniform(0.5, 2, n)


def definition(Z, y, targets, mu, w):
    D = cdist(Z, Z, "sqeuclidean")
    total = 0.0
    for i in range(len(Z)):
        for j in targets[i][targets[i] >= 0]:
            hinges = np.maximum(1 + D[i, j] - D[i, y != y[i]], 0).sum()
            total += w[i] * ((1 - mu) * D[i, j] + mu * hinges)
    return total / w.sum()


@pytest.mark.parametrize("mu", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])  # everything an impostor, some, none
def test_value_is_the_definition_over_all_impostors(mu, scale):
    Z, y, w = rows()
    order = np.argsort(y, kind="stable")
    Z, y, w = Z[order], y[order], w[order]
    loss = LargeMarginLoss(3, mu)
    state = loss.prepare(Z, y, sample_weight=w)
    value, _ = loss.value_and_grad(scale * Z, state)
    assert value == pytest.approx(definition(scale * Z, y, state.targets, mu, w), rel=1e-10)


def test_list_and_blocks_agree():
    Z, y, w = rows()
    results = []
    for policy, crowded in ((None, False), (BLOCKS, True)):
        loss = LargeMarginLoss(2, policy=policy)
        state = loss.prepare(Z, y, sample_weight=w)
        results.append(loss.value_and_grad(Z, state))
        assert state.memory.crowded == crowded
    listed, blocked = results
    assert listed[0] == pytest.approx(blocked[0], rel=1e-12)
    np.testing.assert_allclose(listed[1], blocked[1], atol=1e-12)


def test_exact_values_do_not_depend_on_earlier_calls():
    Z, y, w = rows(n=300)
    Z *= 5
    loss = LargeMarginLoss(2)
    fresh = loss.value_and_grad(Z, loss.prepare(Z, y, sample_weight=w), exact=True)
    state = loss.prepare(Z, y, sample_weight=w)
    for scale in (0.01, 1.3, 1.001, 1.0005, 1.0002, 1.0001):
        loss.value_and_grad(scale * Z, state)
    assert state.inexact
    later = loss.value_and_grad(Z, state, exact=True)
    assert not state.inexact
    assert later[0] == fresh[0]
    np.testing.assert_array_equal(later[1], fresh[1])


def test_float32_agrees_with_float64():
    Z, y, w = rows()
    loss = LargeMarginLoss(2)
    state = loss.prepare(Z, y, sample_weight=w)
    double, single = loss.value_and_grad(Z, state), loss.value_and_grad(Z.astype(np.float32), state)
    assert single[1].dtype == np.float32
    assert single[0] == pytest.approx(double[0], rel=1e-5)
    np.testing.assert_allclose(single[1], double[1], atol=1e-4 * np.abs(double[1]).max())


def test_order_of_samples_does_not_matter():
    Z, y, w = rows()
    loss = LargeMarginLoss(2)
    value, gradient = loss.value_and_grad(Z, loss.prepare(Z, y, sample_weight=w))
    order = np.random.RandomState(5).permutation(len(Z))
    again, moved = loss.value_and_grad(Z[order], loss.prepare(Z[order], y[order], sample_weight=w[order]))
    assert again == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(moved, gradient[order], atol=1e-12)


def test_class_smaller_than_the_targets_has_what_it_can():
    Z = np.array([[0.0], [1.0], [5.0], [6.0], [7.0], [20.0]])
    y = np.array([0, 0, 1, 1, 1, 2])
    state = LargeMarginLoss(5).prepare(Z, y)
    assert (state.targets >= 0).sum(axis=1).tolist() == [1, 1, 2, 2, 2, 0]
    assert np.isfinite(LargeMarginLoss(5).value_and_grad(Z, state)[0])


def test_all_classes_of_one_sample_are_refused():
    with pytest.raises(ValueError, match="single sample"):
        LargeMarginLoss().prepare(np.zeros((3, 1)), np.arange(3))


def test_real_targets_are_refused():
    with pytest.raises(ValueError, match="classes"):
        LargeMarginLoss().prepare(np.zeros((3, 1)), np.array([0.1, 0.2, 0.3]))


def test_lists_come_back_after_a_step_too_far():
    Z, y, _ = rows(n=600)
    loss = LargeMarginLoss(2)
    state = loss.prepare(Z, y)
    for scale, listed in ((20.0, True), (0.01, False), (20.0, True)):
        loss.value_and_grad(scale * Z, state)
        assert (state.memory.lists.pairs is not None) == listed
    loss.value_and_grad(0.01 * Z, state)
    before = state.memory.lists.searches
    loss.value_and_grad(0.01 * Z, state)
    # Once it is known to be crowded, a look at some rows is enough.
    assert state.memory.lists.searches == before


@pytest.mark.parametrize("mu", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_best_scale_is_about_the_least_value(mu, size):
    Z, y, _ = rows(n=60)
    loss = LargeMarginLoss(1, mu)
    state = loss.prepare(size * Z, y)
    best = loss.best_scale(size * Z, state)
    values = [loss.value_and_grad(c * best * size * Z, state)[0] for c in (0.5, 1.0, 2.0)]
    assert values[1] == min(values)
    assert best * size == pytest.approx(loss.best_scale(Z, loss.prepare(Z, y)), rel=1e-6)


def test_best_scale_without_a_push_is_none_in_particular():
    Z, y, _ = rows(n=30)
    loss = LargeMarginLoss(1, 0.0)
    assert loss.best_scale(Z, loss.prepare(Z, y)) > 0
