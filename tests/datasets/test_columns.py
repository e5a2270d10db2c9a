import datetime

import numpy as np
import pandas as pd
import pytest

from nearkin.datasets import DataError
from nearkin.datasets.columns import as_numbers, column_kind


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([1, 2], "number"),
        ([1.5, None], "number"),
        (["1", "2.5"], "number"),
        ([True, False], "boolean"),
        ([True, None, False], "boolean"),
        (["a", "b"], "category"),
        (["a", None], "category"),
        (["a1", "7", "b"], "category"),
        ([None, None], "number"),
    ],
)
def test_kinds(cells, kind):
    assert column_kind(pd.Series(cells, name="c")) == kind


@pytest.mark.parametrize(
    "cells",
    [
        pd.to_datetime(["2020-01-01", "2020-01-02"]),
        ["2020-01-01", "2021-12-31 10:00"],
        ["31.12.2020", "1.2.2021"],
        [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)],
    ],
)
def test_dates(cells):
    assert column_kind(pd.Series(cells, name="when")) == "date"


def test_durations_are_days():
    column = pd.Series(pd.to_timedelta(["1 day", "12 hours", None]))
    assert column_kind(column) == "number"
    np.testing.assert_array_equal(as_numbers(column), [1.0, 0.5, np.nan])


def test_times_without_a_date_are_refused():
    with pytest.raises(DataError, match=r"'at' holds times of day.*--drop at"):
        column_kind(pd.Series([datetime.time(10, 30)], name="at"))


def test_mostly_numeric_text_names_the_first_faulty_cell():
    with pytest.raises(DataError, match=r"'c' is numeric but row 3 holds '12abc'"):
        column_kind(pd.Series(["1", None, "12abc", "4", "5"], name="c"))


@pytest.mark.parametrize("cells", [[[1], [2]], [{"a": 1}, {}], [b"x", b"y"]])
def test_nested_values_are_refused(cells):
    with pytest.raises(DataError, match=r"'c' holds"):
        column_kind(pd.Series(cells, name="c"))


def test_complex_numbers_are_refused():
    with pytest.raises(DataError, match=r"complex"):
        column_kind(pd.Series([1 + 2j], name="c"))


def test_infinite_values_name_column_and_row():
    with pytest.raises(DataError, match=r"'c' holds 2 infinite.*row 2"):
        as_numbers(pd.Series([1.0, np.inf, -np.inf], name="c"))


def test_nullable_integers_keep_their_holes():
    values = as_numbers(pd.Series([1, None, 3], dtype="Int64", name="c"))
    np.testing.assert_array_equal(values, [1.0, np.nan, 3.0])
