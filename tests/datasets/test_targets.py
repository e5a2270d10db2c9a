import re
import warnings

import numpy as np
import pandas as pd
import pytest

from nearkin.datasets import DataError, DataNotice, dataset_from_table
from nearkin.datasets.targets import choose_targets, target_of, task_of_numbers


@pytest.mark.parametrize("name", ["target", "Class", "LABEL", "y"])
def test_usual_names_are_found_silently(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert choose_targets([name, "b", "c"], None) == [name]


@pytest.mark.parametrize("columns", [["a", "b", "c"], ["y", "target", "c"]])
def test_otherwise_the_last_column_with_a_notice(columns):
    with pytest.warns(DataNotice, match=r"the last one, 'c'"):
        assert choose_targets(columns, None) == ["c"]


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("a,b", ["a,b"]),
        ("Y*", ["Y1", "Y2"]),
        ("Y2,Y1", ["Y2", "Y1"]),
        (["Y1", "Y*"], ["Y1", "Y2"]),
        ("a*,Y1", ["a,b", "Y1"]),
    ],
)
def test_patterns_lists_and_names_with_commas(wanted, chosen):
    assert choose_targets(["a,b", "Y1", "x", "Y2"], wanted) == chosen


@pytest.mark.parametrize(
    ("cells", "task", "labels"),
    [
        (["a", "b"] * 3, "classification", ["a", "b"]),
        ([True, False] * 3, "classification", [False, True]),
        ([3, 5] * 3, "classification", [3, 5]),
        ([3.0, 5.0] * 3, "classification", [3, 5]),
        ([0.5, 1.0] * 3, "regression", None),
    ],
)
def test_task_follows_the_type(cells, task, labels):
    y, chosen, reason = target_of(pd.DataFrame({"t": cells}), ["t"], None)
    assert "'t'" in reason
    assert chosen == task
    if labels is not None:
        assert np.unique(y).tolist() == labels


@pytest.mark.parametrize(
    ("values", "task", "reason"),
    [
        (np.arange(60) * 10, "regression", "60 different whole numbers, not numbered consecutively"),
        # Diamonds: thousands of prices, five rows each; diabetes: 214 values in 442 rows.
        (np.repeat(np.arange(326, 18823, 2), 5), "regression", "not numbered consecutively"),
        (np.repeat(np.arange(25, 239), 2), "regression", "not numbered consecutively"),
        (np.arange(60), "regression", "60 different whole numbers in 60 rows"),
        (np.repeat(np.arange(77), 10), "classification", "77 .* numbered consecutively from 0"),
        (np.repeat(np.arange(1, 27), 3), "classification", "numbered consecutively from 1"),
        (np.repeat([10, 20, 30], 2), "classification", "3 different whole numbers"),
        (np.arange(9) + 0.5, "regression", "fractions"),
    ],
)
def test_many_whole_numbers_are_classes_only_if_numbered_like_labels(values, task, reason):
    found = target_of(pd.DataFrame({"t": values}), ["t"])
    assert found.task == task
    assert re.search(reason, found.reason)
    assert task_of_numbers(values, "t") == (found.task, found.reason)
    asked = target_of(pd.DataFrame({"t": np.round(values)}), ["t"], "classification")
    assert (asked.task, asked.reason) == ("classification", "")


def test_several_targets_make_a_matrix():
    table = pd.DataFrame({"a": [1, 2], "Y1": [1.0, 2.0], "Y2": [3, 4]})
    data = dataset_from_table(table, target="Y*")
    assert data.y.tolist() == [[1, 3], [2, 4]]
    assert data.target_names == ("Y1", "Y2")
    assert data.feature_names == ("a",)


def test_repeated_fractions_are_classes_if_asked_for():
    table = pd.DataFrame({"grade": [1.5, 2.5, 1.5, 2.0, 2.5, 2.0]})
    y, task, _ = target_of(table, ["grade"], "classification")
    assert (y.tolist(), task) == (["1.5", "2.5", "1.5", "2", "2.5", "2"], "classification")


def test_measurements_are_no_classes():
    table = pd.DataFrame({"length": [1.5, 2.25, 3.5, 4.75]})
    with pytest.raises(DataError, match=r"'length' has 4 different fractions in 4 rows"):
        target_of(table, ["length"], "classification")
