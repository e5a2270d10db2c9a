from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from nearkin.evaluation.significance import (
    compare_with_control,
    critical_difference,
    friedman,
    indistinct_groups,
    rank_methods,
    robustness_ratios,
)

METHODS = ("1NN", "LPD", "LMNN", "LDDM", "GLML", "PLML", "MLEV", "DMLMJ", "KDMLMJ", "LMDL", "kLMDL")

# Test errors of Rajabzadeh et al. (2018), Table 2: 16 data sets (Australian ... Yeast).
ERRORS = np.array(
    [
        [30.32, 13.9, 20.11, 21.13, 19.5, 19.8, 21.3, 19.37, 20.26, 13.7, 13.5],
        [30.59, 16.3, 9.09, 9.32, 11.2, 8.2, 10.3, 22.66, 2.92, 9.21, 9.07],
        [4.53, 3.4, 3.38, 3.18, 3.6, 4.9, 3.7, 4.22, 4.52, 3.22, 3.18],
        [29.32, 26.0, 25.86, 26.34, 25.12, 26.4, 26.7, 26.16, 26.78, 25.5, 26.33],
        [32.65, 26.0, 31.2, 29.76, 30.32, 30.43, 33.7, 33.38, 31.44, 26.2, 26.6],
        [27.86, 28.0, 34.30, 27.62, 31.94, 32.18, 31.4, 31.21, 32.91, 26.33, 27.1],
        [24.25, 18.6, 19.56, 19.45, 19.33, 20.11, 20.12, 26.7, 23.5, 18.5, 18.4],
        [13.59, 9.51, 9.86, 10.86, 9.9, 10.23, 10.3, 13.55, 5.36, 8.76, 8.3],
        [4.20, 3.93, 4.23, 3.33, 3.65, 4.11, 4.44, 4.13, 4.13, 3.12, 2.98],
        [4.35, 3.5, 3.92, 3.86, 6.14, 2.78, 4.1, 2.5, 2.6, 2.7, 2.9],
        [37.57, 33.3, 35.74, 36.11, 34.83, 34.33, 36.2, 40.03, 39.43, 33.1, 32.6],
        [6.23, 10.33, 6.67, 7.23, 6.82, 7.17, 7.43, 8.71, 11.57, 8.44, 7.32],
        [13.53, 16.24, 12.77, 12.9, 11.9, 12.23, 15.4, 13.88, 13.65, 12.3, 12.1],
        [30.51, 27.4, 30.16, 31.17, 23.4, 18.7, 31.7, 24.11, 30.66, 21.3, 20.89],
        [2.64, 5.0, 2.42, 3.53, 3.9, 2.5, 3.4, 2.24, 2.68, 2.33, 2.1],
        [47.91, 44.87, 46.44, 46.32, 46.43, 45.98, 47.1, 47.19, 47.65, 44.7, 44.6],
    ]
)
AVERAGE_RANKS = [8.62, 5.56, 6.0, 6.03, 5.43, 5.43, 8.68, 7.34, 7.53, 2.93, 2.4]

# AUC of four variants of C4.5 on 14 data sets: Demsar (2006), Table 6.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)


def test_friedman_on_demsars_example():
    # The paper prints average ranks 3.143, 2.000, 2.893, 1.964, chi2 9.28 and F 3.69.
    test = friedman(DEMSAR, greater_is_better=True, tie_correction=False)
    assert test.average_ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    assert test.statistic == pytest.approx(9.28, abs=0.01)
    assert test.f_statistic == pytest.approx(3.69, abs=0.01)


def test_critical_difference_of_demsars_example():
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(4, 14, alpha=0.10) == pytest.approx(1.12, abs=0.005)
    # And his Table 5(a): q = 3.164 for ten methods.
    assert critical_difference(10, 6) / np.sqrt(10 * 11 / 36) == pytest.approx(3.164, abs=1e-3)


def test_average_ranks_of_rajabzadeh_2018_are_reproduced():
    # Printed with two digits, cut rather than rounded.
    test = friedman(ERRORS, greater_is_better=False)
    assert test.average_ranks == pytest.approx(AVERAGE_RANKS, abs=0.01)
    assert METHODS[int(np.argmin(test.average_ranks))] == "kLMDL"


def test_friedman_statistic_of_rajabzadeh_2018_does_not_follow_from_its_table():
    # The caption says chi2 = 51.4389 with 11 degrees of freedom, p = 3.4449e-7. The table has 11
    # methods, so 10 degrees of freedom, and gives 60.19 (60.23 corrected for ties): the caption
    # belongs to a comparison of 12 methods that is not printed. Its p value does follow from its
    # statistic (to four digits), and the conclusion, p far below 0.05, stands either way.
    plain = friedman(ERRORS, greater_is_better=False, tie_correction=False)
    assert plain.statistic == pytest.approx(60.193, abs=1e-3)
    assert plain.p_value == pytest.approx(stats.chi2.sf(60.19318, 10), rel=1e-4)
    assert plain.p_value < 3.4449e-7
    assert friedman(ERRORS, greater_is_better=False).statistic == pytest.approx(60.227, abs=1e-3)
    assert stats.chi2.sf(51.43891402714929, 11) == pytest.approx(3.4449e-7, rel=2e-4)


def test_finner_on_rajabzadeh_2018():
    # The paper: both proposed methods differ from all others, LMDL against PLML being the closest.
    test = friedman(ERRORS, greater_is_better=False)
    others = set(METHODS) - {"LMDL", "kLMDL"}
    for control in ("LMDL", "kLMDL"):
        found = compare_with_control(test, METHODS, control)
        rejected = {one.method for one in found if one.finner_p <= 0.05}
        assert rejected == others
        assert [one.p_value for one in found] == sorted(one.p_value for one in found)
    closest = compare_with_control(test, METHODS, "LMDL")[-3:]
    assert {one.method for one in closest} == {"PLML", "GLML", "kLMDL"}


def test_friedman_with_ties_is_scipys():
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 4, size=(9, 5))
    expected = stats.friedmanchisquare(*scores.T)
    found = friedman(scores, greater_is_better=True)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


def test_friedman_at_the_extremes():
    everything_tied = friedman(np.ones((4, 3)), greater_is_better=True)
    assert (everything_tied.statistic, everything_tied.p_value) == (0.0, 1.0)
    always_same_order = friedman([[1, 2, 3]] * 5, greater_is_better=False)
    assert always_same_order.statistic == pytest.approx(10.0)
    assert always_same_order.f_p_value == 0.0


def test_gaps_are_refused():
    with pytest.raises(ValueError, match="gaps"):
        rank_methods([[0.1, np.nan]], greater_is_better=True)


def test_groups_of_the_critical_difference_diagram():
    # Demsar's example: everything from 1.964 to 3.143 lies within 1.25, one bar.
    test = friedman(DEMSAR, greater_is_better=True)
    assert indistinct_groups(test.average_ranks, critical_difference(4, 14)) == [(3, 1, 2, 0)]
    assert indistinct_groups([1.0, 2.0, 3.0], 1.5) == [(0, 1), (1, 2)]
    assert indistinct_groups([1.0, 5.0], 1.0) == []


def test_robustness_ratio_by_hand():
    ratios = robustness_ratios([[4.0, 2.0, 8.0], [0.0, 0.0, 1.0]])
    assert ratios.tolist() == [[2.0, 1.0, 4.0], [1.0, 1.0, np.inf]]
    with pytest.raises(ValueError, match="error rates"):
        robustness_ratios([[0.1, -0.2]])
