from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nearkin.evaluation.significance import (
    corrected_paired_t,
    correlated_t_chances,
    five_by_two_f,
    wilcoxon_signed_rank,
)

# Table 2 of Gonzalez et al. (2016): DMLMTP against KNN-SP on 16 data sets, one of them equal.
DMLMTP = [0.971, 0.976, 0.947, 0.823, 0.704, 0.574, 0.415, 0.515, 0.238, 1.012, 0.956, 0.674, 0.134, 0.682]
DMLMTP += [0.799, 0.460]
KNN_SP = [0.973, 0.977, 0.948, 0.836, 0.716, 0.605, 0.451, 0.605, 0.290, 1.012, 0.958, 0.725, 0.283, 0.760]
KNN_SP += [0.931, 0.516]


def test_without_overlap_the_corrected_t_is_the_plain_one():
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(2, 12))
    expected = stats.ttest_rel(first, second)
    found = corrected_paired_t(first, second, test_to_train=0.0)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))


def test_nadeau_bengio_correction_by_hand():
    # Differences 0.02, 0.04, 0.03, 0.03: mean 0.03, variance 2/3 e-4; factor 1/4 + 1/3 = 7/12.
    found = corrected_paired_t([0.92, 0.94, 0.93, 0.93], [0.9] * 4, test_to_train=1 / 3)
    assert found.statistic == pytest.approx(0.03 / np.sqrt(7 / 12 * 2 / 3 * 1e-4))
    assert found.p_value == pytest.approx(2 * stats.t.sf(found.statistic, 3))


def test_equal_differences_leave_no_doubt():
    assert corrected_paired_t([0.5, 0.6], [0.5, 0.6], 0.5).p_value == 1.0
    assert corrected_paired_t([0.75, 0.5], [0.5, 0.25], 0.5).p_value == 0.0


def test_five_by_two_f_by_hand():
    # Alpaydin: sum of squared differences over twice the sum of the five variances, F(10, 5).
    first = np.array([0.90, 0.88, 0.91, 0.85, 0.87, 0.90, 0.92, 0.89, 0.88, 0.91])
    second = np.array([0.85, 0.86, 0.87, 0.84, 0.85, 0.84, 0.88, 0.87, 0.86, 0.88])
    differences = (first - second).reshape(5, 2)
    variances = [(a - b) ** 2 / 2 for a, b in differences]
    expected = np.sum(differences**2) / (2 * np.sum(variances))
    found = five_by_two_f(first, second)
    assert found.statistic == pytest.approx(expected)
    assert found.p_value == pytest.approx(stats.f.sf(expected, 10, 5))


def test_five_by_two_f_has_the_published_critical_value():
    # Alpaydin (1999): reject at 5 % if f > 4.74.
    assert stats.f.sf(4.74, 10, 5) == pytest.approx(0.05, abs=2e-4)
    assert five_by_two_f([3, 2] * 5, [1, 1] * 5).p_value < 0.05
    with pytest.raises(ValueError, match="10 pairs"):
        five_by_two_f(range(12), range(12))


def test_five_by_two_f_without_variance():
    assert five_by_two_f([1] * 10, [1] * 10).p_value == 1.0
    assert five_by_two_f([2] * 10, [1] * 10).p_value == 0.0


def test_wilcoxon_of_the_published_table():
    # The paper prints p = 6.1035e-5 = 2 / 2**15: 15 differences, all in favour of DMLMTP.
    found = wilcoxon_signed_rank(DMLMTP, KNN_SP)
    assert found.p_value == pytest.approx(6.1035e-5, rel=1e-4)
    assert found.statistic == 0.0
    assert found.difference < 0


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=9))
def test_wilcoxon_p_is_exact_even_with_ties(differences):
    found = wilcoxon_signed_rank(differences, [0] * len(differences))
    kept = np.array([d for d in differences if d])
    if kept.size == 0:
        assert found.p_value == 1.0
        return
    ranks = stats.rankdata(np.abs(kept))
    sums = np.array([np.dot(signs, ranks) for signs in itertools.product([0, 1], repeat=len(ranks))])
    observed = ranks[kept > 0].sum()
    expected = min(1.0, 2 * min(np.mean(sums >= observed), np.mean(sums <= observed)))
    assert found.p_value == pytest.approx(expected)


def test_wilcoxon_agrees_with_scipy_for_many_pairs():
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 600))
    expected = stats.wilcoxon(first, second, correction=False)
    assert wilcoxon_signed_rank(first, second).p_value == pytest.approx(expected.pvalue)
    few = stats.wilcoxon(first[:30], second[:30], method="exact")
    assert wilcoxon_signed_rank(first[:30], second[:30]).p_value == pytest.approx(few.pvalue)


@pytest.mark.parametrize("second", [[1.0], [1.0, np.nan, 2.0], [[1.0, 2.0, 3.0]]])
def test_unpaired_or_missing_scores_are_refused(second):
    with pytest.raises(ValueError, match=r"paired test|NaN"):
        corrected_paired_t([1.0, 2.0, 3.0], second, 0.1)


RNG = np.random.default_rng(0)


def test_chances_are_areas_of_the_posterior():
    first, second = RNG.normal(0.83, 0.02, 20), RNG.normal(0.80, 0.02, 20)
    better, same, worse = correlated_t_chances(first, second, 1 / 9, rope=0.01)
    differences = first - second
    # Corani and Benavoli: rho = n_test / n, scale^2 = (1/n + rho / (1 - rho)) s^2.
    scale = np.sqrt((1 / 20 + 0.1 / 0.9) * differences.var(ddof=1))
    posterior = stats.t(19, differences.mean(), scale)
    assert better == pytest.approx(posterior.sf(0.01))
    assert worse == pytest.approx(posterior.cdf(-0.01))
    assert same == pytest.approx(posterior.cdf(0.01) - posterior.cdf(-0.01))
    assert better + same + worse == pytest.approx(1.0)


def test_without_a_region_it_is_the_one_sided_t_test():
    first, second = RNG.normal(0.81, 0.02, 10), RNG.normal(0.80, 0.02, 10)
    test = corrected_paired_t(first, second, 1 / 9)
    found = correlated_t_chances(first, second, 1 / 9, rope=0.0)
    assert min(found.better, found.worse) == pytest.approx(test.p_value / 2)
    turned = correlated_t_chances(second, first, 1 / 9, rope=0.0)
    assert (turned.better, turned.worse) == pytest.approx((found.worse, found.better))


def test_equal_differences_leave_one_chance():
    assert correlated_t_chances([0.5, 0.5], [0.5, 0.5], 0.1) == (0.0, 1.0, 0.0)
    assert correlated_t_chances([0.75, 0.75], [0.5, 0.5], 0.1) == (1.0, 0.0, 0.0)
    assert correlated_t_chances([0.5, 0.5], [0.75, 0.75], 0.1) == (0.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="rope=-1"):
        correlated_t_chances([0.5, 0.5], [0.75, 0.75], 0.1, rope=-1)
