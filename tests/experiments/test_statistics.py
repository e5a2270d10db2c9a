"""Tables of differences and of times."""

import numpy as np
import pytest

from nearkin.evaluation.regression_error import arrmse
from nearkin.experiments.published import PublishedTable
from nearkin.experiments.relative_error import VARYING_ARRMSE
from nearkin.experiments.statistics import signed_ranks, time_ratios
from nearkin.experiments.values import Values


def test_signed_ranks_are_those_of_the_printed_table():
    own, other = (0.971, 0.947, 1.012, 0.682), (0.973, 0.948, 1.012, 0.760)
    means = {("aRRMSE", label, "new"): a for label, a in zip("abcd", own)}
    means |= {("aRRMSE", label, "old"): b for label, b in zip("abcd", other)}
    found = signed_ranks("aRRMSE", "new", "old", decimals=3)(Values(tuple("abcd"), means))
    assert found.rows == (
        ("a", "0.002", "+", "2"),
        ("b", "0.001", "+", "1"),
        ("c", "0.000", "", "–"),
        ("d", "0.078", "+", "3"),
    )
    turned = signed_ranks("aRRMSE", "old", "new", decimals=3)(Values(tuple("abcd"), means))
    assert [row[2] for row in turned.rows] == ["−", "−", "", "−"]
    assert signed_ranks("aRRMSE", "new", "third", decimals=3)(Values(tuple("abcd"), means)) is None


def test_times_are_multiples_of_one_methods():
    printed = PublishedTable.by_dataset("T", "seconds", "Set | Fast | Slow \n a | 7 | 1400 \n b | - | 3")
    means = {("seconds", label, "Fast"): 0.5 for label in "ab"}
    means |= {("seconds", label, "Slow"): 10.0 for label in "ab"}
    found = time_ratios(printed, "Fast", ("Slow",))(Values(("a", "b", "c"), means))
    assert found.rows == (("a", "0.5", "20 / 200"), ("b", "0.5", "20"))
    assert time_ratios(printed, "Fast", ("Slow",))(Values(("c",), {})) is None


def test_targets_that_are_constant_in_the_test_rows_are_left_out():
    rng = np.random.default_rng(0)
    train, test, answers = rng.normal(size=(50, 3)), rng.normal(size=(10, 3)), rng.normal(size=(10, 3))
    expected = arrmse(test, answers, train.mean(axis=0))
    assert VARYING_ARRMSE(test, answers, train) == pytest.approx(expected)
    test[:, 1] = 0.0
    kept = arrmse(test[:, [0, 2]], answers[:, [0, 2]], train[:, [0, 2]].mean(axis=0))
    assert VARYING_ARRMSE(test, answers, train) == pytest.approx(kept)
    assert VARYING_ARRMSE(test[:, 0], answers[:, 0], train[:, 0]) == pytest.approx(
        arrmse(test[:, 0], answers[:, 0], train[:, 0].mean())
    )
