"""Local scatters against their double sums, and as those of linear discriminants."""

import numpy as np
import pytest

from nearkin.numerics.local_scatter import _double_scatters, _single_scatters, local_scatters
from nearkin.numerics.threads import allowed_workers

rng = np.random.default_rng(0)
X = rng.normal(size=(23, 3)) + 5
codes = np.repeat([0, 1, 2, 3], [10, 8, 4, 1])


def naive_scales(X, codes, k):
    """Distance to the k-th nearest other row of the class, to the farthest if there are fewer."""
    scales = np.zeros(len(X))
    for i in range(len(X)):
        others = np.flatnonzero((codes == codes[i]) & (np.arange(len(X)) != i))
        lengths = np.sort(np.linalg.norm(X[others] - X[i], axis=1))
        scales[i] = lengths[min(k, len(lengths)) - 1] if len(lengths) else 0.0
    return scales


def naive_scatters(X, codes, k):
    n, scales = len(X), naive_scales(X, codes, k)
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


@pytest.mark.parametrize("k", [1, 3, 5, 30])
def test_scatters_equal_their_double_sums(k):
    for found, wanted in zip(local_scatters(X, codes, k), naive_scatters(X, codes, k)):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_rows_all_alone_have_nothing_within():
    within, between = local_scatters(X, np.arange(len(X)), 3)
    np.testing.assert_array_equal(within, 0)
    np.testing.assert_allclose(between, np.cov(X.T, bias=True) * len(X))


def test_equal_affinities_give_the_scatters_of_linear_discriminants():
    within, between = local_scatters(X, codes, None)
    means = np.array([X[codes == code].mean(axis=0) for code in range(4)])
    inside = X - means[codes]
    centred_means = (means - X.mean(axis=0))[codes]
    np.testing.assert_allclose(within, inside.T @ inside, atol=1e-10)
    np.testing.assert_allclose(between, centred_means.T @ centred_means, atol=1e-10)


def test_their_sum_is_positive_semi_definite():
    within, between = local_scatters(X, codes, 2)
    assert np.linalg.eigvalsh(within + between).min() > 0


def test_blocks_of_affinities_do_not_change_anything():
    whole, row_by_row = local_scatters(X, codes, 3), local_scatters(X, codes, 3, at_once=1)
    np.testing.assert_allclose(whole, row_by_row, atol=1e-12)


def test_single_precision_is_enough_for_rows_of_moderate_size():
    rows, labels = np.random.default_rng(1).normal(size=(400, 3)), np.arange(400) % 2
    double, single = (local_scatters(rows, labels, 7, precision=p) for p in (np.float64, np.float32))
    np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-5 * np.abs(double).max())
    assert single[0].dtype == np.float64


@pytest.mark.parametrize("at_once", [2**19, 2_000])
def test_blocks_in_single_precision(at_once):
    """Whole classes at once, or block by block."""
    rows, labels = np.random.default_rng(1).normal(size=(400, 3)), np.arange(400) % 2
    single = local_scatters(rows, labels, 7, precision=np.float32, at_once=at_once)
    double = local_scatters(rows, labels, 7)
    np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-5 * np.abs(double).max())


@pytest.mark.parametrize("at_once", [2**19, 2_000])
def test_copies_do_not_send_a_class_to_double_precision(at_once):
    rows = np.random.default_rng(1).normal(size=(300, 3))
    rows[:20] = rows[0]
    rows -= rows.mean(axis=0)
    for single, double in zip(_single_scatters(rows, 7, at_once), _double_scatters(rows, 7, at_once)):
        single = (single + single.T) / 2
        np.testing.assert_allclose(single, double, rtol=1e-4, atol=1e-5 * np.abs(double).max())


def test_rows_too_near_for_single_precision_are_taken_in_double():
    """Pairs a millionth of the class's width apart: single precision would see nothing but rounding."""
    rows = np.repeat(np.random.default_rng(1).normal(size=(30, 3)), 2, axis=0)
    rows[1::2] += 1e-6
    labels = np.zeros(60, dtype=int)
    double, single = (local_scatters(rows, labels, 1, precision=p) for p in (np.float64, np.float32))
    np.testing.assert_allclose(single, double, rtol=1e-6, atol=1e-9 * np.abs(double).max())
    np.testing.assert_allclose(double[0], naive_scatters(rows, labels, 1)[0], rtol=1e-3)


def test_a_row_among_copies_of_itself_pulls_nothing():
    rows = np.r_[X[:5], np.repeat(X[5:6], 4, axis=0)]
    labels = np.zeros(9, dtype=int)
    alone = np.zeros((3, 3))
    scales = naive_scales(rows, labels, 3)
    assert (scales[5:] == 0).all()
    for i in range(5):
        for j in range(5):
            v = X[i] - X[j]
            alone += np.exp(-(v @ v) / (scales[i] * scales[j])) / 9 * np.outer(v, v) / 2
    for at_once in (2**19, 1):
        np.testing.assert_allclose(local_scatters(rows, labels, 3, at_once=at_once)[0], alone, atol=1e-12)


def test_copies_of_a_row_leave_nothing_undefined():
    copies = np.repeat(X[:3], 8, axis=0)
    within, between = local_scatters(copies, np.repeat([0, 0, 1], 8), 3)
    np.testing.assert_array_equal(within, 0)
    assert np.isfinite(between).all()


def test_workers_share_classes():
    rows = rng.normal(size=(1_200, 40))
    labels = np.arange(len(rows)) % 3
    with allowed_workers(1):
        alone = local_scatters(rows, labels, 7)
    with allowed_workers(2):
        together = local_scatters(rows, labels, 7)
    np.testing.assert_allclose(together, alone, rtol=1e-10, atol=1e-10)
