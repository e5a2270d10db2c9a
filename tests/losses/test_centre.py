"""CentreLoss against a naive loop, its limits, and awkward groups."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import logsumexp

from nearkin.losses.centre import CentreLoss


def rows(n=60, e=3, n_classes=4, seed=0):
    rng = np.random.RandomState(seed)
    y = rng.randint(n_classes, size=n)
    return rng.standard_normal((n, e)) + np.eye(n_classes, e)[y], y, rng.uniform(0.5, 2, n)


def naive(Z, y, groups, w, temperature, leave_one_out):
    """The definition, a row at a time: centres are made anew without the row."""
    total = 0.0
    for i in range(len(Z)):
        scores = {}
        for g in np.unique(groups):
            members = [j for j in range(len(Z)) if groups[j] == g and not (leave_one_out and j == i)]
            if members:
                centre = np.average(Z[members], axis=0, weights=w[members])
                scores.setdefault(y[np.flatnonzero(groups == g)[0]], []).append(
                    -((Z[i] - centre) ** 2).sum() / (2 * temperature)
                )
        if y[i] in scores:
            total += w[i] * (logsumexp(np.concatenate(list(scores.values()))) - logsumexp(scores[y[i]]))
    return total / w.sum()


@pytest.mark.parametrize("leave_one_out", [True, False])
@pytest.mark.parametrize("n_centres", [1, 3])
def test_value_is_that_of_a_naive_loop(n_centres, leave_one_out):
    Z, y, w = rows()
    loss = CentreLoss(n_centres, 0.7, leave_one_out)
    state = loss.prepare(Z, y, sample_weight=w)
    groups = np.empty(len(Z), dtype=int)
    groups[np.arange(len(Z)) if state.order is None else state.order] = state.groups
    assert len(np.unique(groups)) == 4 * n_centres
    value, _ = loss.value_and_grad(2 * Z, state)
    assert value == pytest.approx(naive(2 * Z, y, groups, w, 0.7, leave_one_out), rel=1e-12)


@pytest.mark.parametrize("n", [60, 1200])
def test_one_centre_per_row_is_the_log_likelihood_of_soft_neighbours_at_half_the_distances(n):
    # The larger table is made in several blocks of rows.
    Z, y, w = rows(n)
    loss = CentreLoss(n_centres=n, temperature=1.0)
    value, _ = loss.value_and_grad(Z, loss.prepare(Z, y, sample_weight=w))
    D = cdist(Z, Z, "sqeuclidean") / 2
    np.fill_diagonal(D, np.inf)
    likelihood = logsumexp(np.where(y[:, None] == y, -D, -np.inf), axis=1) - logsumexp(-D, axis=1)
    assert value == pytest.approx(-np.average(likelihood, weights=w), rel=1e-9)


def test_order_of_samples_and_names_of_classes_do_not_matter():
    Z, y, w = rows()
    loss = CentreLoss()
    value, gradient = loss.value_and_grad(Z, loss.prepare(Z, y, sample_weight=w))
    order = np.random.RandomState(5).permutation(len(Z))
    renamed = np.array([2, 0, 3, 1])[y[order]]
    again, moved = loss.value_and_grad(Z[order], loss.prepare(Z[order], renamed, sample_weight=w[order]))
    assert again == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(moved, gradient[order], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("n_centres", [1, 2])
def test_the_unit_of_the_features_does_not_matter(n_centres):
    Z, y, _ = rows()
    loss = CentreLoss(n_centres)
    values = [
        loss.value_and_grad(2 * scale * Z, loss.prepare(scale * Z, y, start=scale * Z))[0]
        for scale in (1e-6, 1.0, 1e6)
    ]
    np.testing.assert_allclose(values, values[1], rtol=1e-9)


def test_a_lone_row_is_not_judged_but_pushes_the_others():
    Z = np.array([[0.0], [1.0], [5.0], [6.0], [0.5]])
    y = np.array([0, 0, 1, 1, 2])
    loss = CentreLoss(temperature=1.0)
    state = loss.prepare(Z, y)
    value, gradient = loss.value_and_grad(Z, state)
    assert value == pytest.approx(naive(Z, y, y, np.ones(5), 1.0, True), rel=1e-12)
    assert np.isfinite(gradient).all()
    without = loss.value_and_grad(Z[:4], loss.prepare(Z[:4], y[:4]))[0] * 4 / 5
    assert value > without


def test_only_lone_rows_are_refused():
    with pytest.raises(ValueError, match="single sample"):
        CentreLoss().prepare(np.eye(3), np.arange(3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_duplicates_and_far_rows_stay_finite(dtype):
    Z = np.concatenate([np.zeros((6, 2)), np.ones((6, 2)), np.full((2, 2), 1e6)]).astype(dtype)
    y = np.arange(14) % 2
    loss = CentreLoss(n_centres=3, temperature=1.0)
    value, gradient = loss.value_and_grad(Z, loss.prepare(Z, y))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert gradient.dtype == dtype


@pytest.mark.parametrize(
    ("setting", "value"), [("n_centres", 0), ("n_centres", 1.5), ("temperature", 0.0), ("temperature", "hot")]
)
def test_impossible_settings_are_named(setting, value):
    with pytest.raises(ValueError, match=setting):
        CentreLoss(**{setting: value}).prepare(np.eye(4), np.array([0, 0, 1, 1]))


def test_real_targets_are_refused():
    with pytest.raises(ValueError, match="classes"):
        CentreLoss().prepare(np.eye(3), np.array([0.5, 1.5, 2.5]))
