import warnings

import numpy as np
import pandas as pd
import pytest

from nearkin.datasets import DataError, DataNotice, dataset_from_table
from nearkin.datasets.targets import choose_targets, target_values


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
    ("wish", "chosen"),
    [
        ("a,b", ["a,b"]),
        ("Y*", ["Y1", "Y2"]),
        ("Y2,Y1", ["Y2", "Y1"]),
        (["Y1", "Y*"], ["Y1", "Y2"]),
        ("a*,Y1", ["a,b", "Y1"]),
    ],
)
def test_patterns_lists_and_names_with_commas(wish, chosen):
    assert choose_targets(["a,b", "Y1", "x", "Y2"], wish) == chosen


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
    y, chosen = target_values(pd.DataFrame({"t": cells}), ["t"], None)
    assert chosen == task
    if labels is not None:
        assert np.unique(y).tolist() == labels


def test_whole_numbers_of_their_own_are_regression_unless_told_otherwise():
    table = pd.DataFrame({"t": np.arange(60) * 10})
    with pytest.warns(DataNotice, match=r"60 different whole numbers"):
        assert target_values(table, ["t"], None)[1] == "regression"
    assert target_values(table, ["t"], "classification")[1] == "classification"


def test_several_targets_make_a_matrix():
    table = pd.DataFrame({"a": [1, 2], "Y1": [1.0, 2.0], "Y2": [3, 4]})
    data = dataset_from_table(table, target="Y*")
    assert data.y.tolist() == [[1, 3], [2, 4]]
    assert data.target_names == ("Y1", "Y2")
    assert data.feature_names == ("a",)


def test_repeated_fractions_are_classes_if_asked_for():
    table = pd.DataFrame({"grade": [1.5, 2.5, 1.5, 2.0, 2.5, 2.0]})
    y, task = target_values(table, ["grade"], "classification")
    assert (y.tolist(), task) == (["1.5", "2.5", "1.5", "2", "2.5", "2"], "classification")


def test_measurements_are_no_classes():
    table = pd.DataFrame({"length": [1.5, 2.25, 3.5, 4.75]})
    with pytest.raises(DataError, match=r"'length' has 4 different fractions in 4 rows"):
        target_values(table, ["length"], "classification")
