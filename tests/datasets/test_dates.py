import datetime

import numpy as np
import pandas as pd
import pytest

from nearkin.datasets import DataError, DataNotice, TableEncoder
from nearkin.datasets.dates import DateParts, are_dates, as_dates
from nearkin.datasets.tables import table_features

MOMENTS = np.array(["2024-02-29T00:00:00", "NaT", "1999-12-31T00:00:00"], dtype="datetime64[s]")


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-02-29", None, "1999-12-31"],
        ["2024/2/29", None, "1999/12/31"],
        ["29.02.2024", None, "31.12.1999"],
        ["29.2.2024", None, "1999-12-31"],
        [datetime.date(2024, 2, 29), None, datetime.date(1999, 12, 31)],
        pd.to_datetime(["2024-02-29", None, "1999-12-31"]),
        pd.to_datetime(["2024-02-29", None, "1999-12-31"]).tz_localize("UTC"),
        ["2024-02-29T00:00:00Z", None, "1999-12-31T01:00:00+01:00"],
    ],
)
def test_the_same_dates_however_written(cells):
    np.testing.assert_array_equal(as_dates(pd.Series(cells, index=[7, 8, 9])), MOMENTS)


def test_day_and_month_that_cannot_be_told_apart():
    with pytest.raises(DataError, match=r"'when' holds dates such as '3/4/2024'.*2024-12-31.*--drop when"):
        are_dates("when", pd.Series(["3/4/2024", "2024-03-05"]))
    assert not are_dates("when", pd.Series(["3/4/2024", "soon"]))
    assert not are_dates("when", pd.Series(["2024-03-05", "7"]))


@pytest.mark.parametrize("cell", ["2024-02-30", "31.02.2024", "3/4/2024", "soon"])
def test_what_is_no_date_is_named(cell):
    with pytest.raises(DataError, match=rf"'when' holds dates but row 2 holds '{cell}'"):
        as_dates(pd.Series(["2024-01-01", cell], name="when"))


def test_parts():
    table = pd.DataFrame({"a": MOMENTS, "b": MOMENTS + np.timedelta64(90, "m")})
    parts = DateParts().fit(table)
    names = parts.get_feature_names_out().tolist()
    assert names == [f"a.{p}" for p in ("year", "month", "day", "weekday")] + [
        f"b.{p}" for p in ("year", "month", "day", "weekday", "hour")
    ]
    found = parts.transform(table)
    np.testing.assert_array_equal(found[0], [2024, 2, 29, 3, 2024, 2, 29, 3, 1.5])
    assert np.isnan(found[1]).all()


def test_dates_inside_the_encoder():
    table = pd.DataFrame({"size": [1.0, 2.0, 3.0], "when": ["2024-02-29", None, "2020-12-31"]})
    with pytest.raises(DataError, match=r"missing values.*'when' \(1\)"):
        TableEncoder().fit(table)
    encoder = TableEncoder(impute="median").fit(table)
    assert encoder.get_feature_names_out().tolist()[:3] == ["size", "when.year", "when.month"]
    np.testing.assert_array_equal(encoder.transform(table)[1], [2, 2022, 7, 30, 3])
    # A model fitted on parsed dates takes text later, and the other way round.
    parsed = table.assign(when=as_dates(table["when"]))
    np.testing.assert_array_equal(
        TableEncoder(impute="median").fit(parsed).transform(table), encoder.transform(parsed)
    )


def test_what_becomes_of_dates_is_told():
    table = pd.DataFrame({"day": ["2024-02-29", "2020-12-31"], "at": ["2024-02-29 12:00"] * 2})
    with pytest.warns(DataNotice) as told:
        table_features(table)
    texts = [str(each.message) for each in told]
    assert "column 'day' holds dates; they become year, month, day, weekday." in texts
    assert "column 'at' holds dates; they become year, month, day, weekday, hour." in texts
