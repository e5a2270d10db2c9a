from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.evaluation.significance import finner, holm


def finner_thresholds(n_comparisons, alpha=0.05):
    """Largest p value that Finner rejects at each step, as published."""
    return 1 - (1 - alpha) ** (np.arange(1, n_comparisons + 1) / n_comparisons)


def holm_thresholds(n_comparisons, alpha=0.05):
    """Largest p value that Holm rejects at each step, as published."""
    return alpha / np.arange(n_comparisons, 0, -1)


P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_holm_by_hand():
    # Sorted 0.005, 0.011, 0.02, 0.04, 0.13 times 5, 4, 3, 2, 1, made non-decreasing.
    assert holm([0.011, 0.005, 0.13, 0.04, 0.02]) == pytest.approx([0.044, 0.025, 0.13, 0.08, 0.06])


def test_finner_by_hand():
    p = [0.011, 0.005, 0.13, 0.04, 0.02]
    expected = [1 - 0.989 ** (5 / 2), 1 - 0.995**5, 0.13, 1 - 0.96 ** (5 / 4), 1 - 0.98 ** (5 / 3)]
    assert finner(p) == pytest.approx(expected)


def test_thresholds_printed_by_rajabzadeh_2018():
    # What its Tables 3 and 4 print as "p-values" are Finner's rejection thresholds for nine
    # comparisons, cut or rounded to three digits, and its 0.0455 is the last but one of the
    # thresholds for eleven comparisons (cut, not rounded): twelve methods, as in its Friedman test.
    printed = [0.005, 0.011, 0.016, 0.022, 0.028, 0.033, 0.039, 0.044, 0.05]
    assert finner_thresholds(9) == pytest.approx(printed, abs=1.0e-3)
    assert np.floor(1e4 * finner_thresholds(11)[-2]) / 1e4 == 0.0455


@given(P_VALUES)
def test_adjusted_values_reject_what_the_step_down_procedure_rejects(p_values):
    order = np.argsort(p_values, kind="stable")
    for adjust, thresholds in ((holm, holm_thresholds), (finner, finner_thresholds)):
        adjusted = adjust(p_values)
        passes = np.array(p_values)[order] <= thresholds(len(p_values))
        n_rejected = len(p_values) if passes.all() else int(np.argmin(passes))
        near_a_threshold = np.any(np.isclose(adjusted, 0.05, rtol=1e-9))
        assert near_a_threshold or np.sum(adjusted <= 0.05) == n_rejected
        assert np.all(adjusted >= np.array(p_values) - 1e-12)
        assert np.all(np.diff(adjusted[order]) >= 0)


def test_finner_is_never_stricter_than_holm():
    p = np.random.default_rng(0).uniform(size=20) ** 3
    assert np.all(finner(p) <= holm(p) + 1e-12)


def test_p_values_outside_zero_and_one_are_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.2, 1.5])
