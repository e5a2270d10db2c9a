"""Local scatters against their double sums, and as those of linear discriminants."""

import numpy as np
import pytest

from nearkin.numerics.local_scatter import local_scales, local_scatters

rng = np.random.default_rng(0)
X = rng.normal(size=(23, 3)) + 5
codes = np.repeat([0, 1, 2, 3], [10, 8, 4, 1])


def naive_scatters(X, codes, scales):
    n = len(X)
    within, between = np.zeros((3, 3)), np.zeros((3, 3))
    for i in range(n):
        for j in range(n):
            v = X[i] - X[j]
            outer = np.outer(v, v) / 2
            if codes[i] != codes[j]:
                between += outer / n
            elif i != j:
                size = np.sum(codes == codes[i])
                affinity = np.exp(-(v @ v) / (scales[i] * scales[j]))
                within += affinity / size * outer
                between += affinity * (1 / n - 1 / size) * outer
    return within, between


def test_scatters_equal_their_double_sums():
    scales = local_scales(X, codes, 3)
    for found, wanted in zip(local_scatters(X, codes, scales), naive_scatters(X, codes, scales)):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_scales_reach_the_neighbour_asked_for_or_the_farthest():
    for k in (1, 5):
        scales = local_scales(X, codes, k)
        for i in range(len(X)):
            others = np.flatnonzero((codes == codes[i]) & (np.arange(len(X)) != i))
            lengths = np.sort(np.linalg.norm(X[others] - X[i], axis=1))
            wanted = lengths[min(k, len(lengths)) - 1] if len(lengths) else 0.0
            assert scales[i] == pytest.approx(wanted)


def test_rows_all_alone_have_no_scale():
    np.testing.assert_array_equal(local_scales(X, np.arange(len(X)), 3), 0)


def test_equal_affinities_give_the_scatters_of_linear_discriminants():
    within, between = local_scatters(X, codes, np.full(len(X), np.inf))
    means = np.array([X[codes == code].mean(axis=0) for code in range(4)])
    inside = X - means[codes]
    centred_means = (means - X.mean(axis=0))[codes]
    np.testing.assert_allclose(within, inside.T @ inside, atol=1e-10)
    np.testing.assert_allclose(between, centred_means.T @ centred_means, atol=1e-10)


def test_their_sum_is_positive_semi_definite():
    within, between = local_scatters(X, codes, local_scales(X, codes, 2))
    assert np.linalg.eigvalsh(within + between).min() > 0


def test_blocks_of_affinities_do_not_change_anything():
    scales = local_scales(X, codes, 3)
    whole, row_by_row = local_scatters(X, codes, scales), local_scatters(X, codes, scales, at_once=1)
    np.testing.assert_allclose(whole, row_by_row, atol=1e-12)


def test_single_precision_is_enough_for_rows_of_moderate_size():
    rows, labels = np.random.default_rng(1).normal(size=(400, 3)), np.arange(400) % 2
    scales = local_scales(rows, labels, 7)
    double, single = (local_scatters(rows, labels, scales, precision=p) for p in (np.float64, np.float32))
    np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-5 * np.abs(double).max())
    assert single[0].dtype == np.float64


def test_a_row_among_copies_of_itself_pulls_nothing():
    rows = np.r_[X[:5], np.repeat(X[5:6], 4, axis=0)]
    labels = np.zeros(9, dtype=int)
    scales = local_scales(rows, labels, 3)
    assert (scales[5:] == 0).all()
    alone = local_scatters(X[:5], labels[:5], scales[:5])[0]
    np.testing.assert_allclose(local_scatters(rows, labels, scales)[0], alone * 5 / 9)


def test_copies_of_a_row_leave_nothing_undefined():
    copies = np.repeat(X[:3], 8, axis=0)
    labels = np.repeat([0, 0, 1], 8)
    scales = local_scales(copies, labels, 3)
    np.testing.assert_array_equal(scales, 0)
    within, between = local_scatters(copies, labels, scales)
    np.testing.assert_array_equal(within, 0)
    assert np.isfinite(between).all()
