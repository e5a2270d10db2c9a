import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.datasets import DataError, DataNotice, TableEncoder

TABLE = pd.DataFrame(
    {
        "size": [1.0, 2.0, 4.0, 9.0],
        "colour": ["red", "blue", "red", "green"],
        "warm": [True, False, True, True],
        "rank": [3, 1, 2, 2],
    }
)


def test_one_hot_booleans_and_numbers_in_the_order_of_the_table():
    encoder = TableEncoder.fit(TABLE)
    assert encoder.feature_names == ("size", "colour=blue", "colour=green", "colour=red", "warm", "rank")
    expected = [[1, 0, 0, 1, 1, 3], [2, 1, 0, 0, 0, 1], [4, 0, 0, 1, 1, 2], [9, 0, 1, 0, 1, 2]]
    np.testing.assert_array_equal(encoder.encode(TABLE), expected)


def test_column_order_and_extra_columns_do_not_matter():
    encoder = TableEncoder.fit(TABLE)
    shuffled = TABLE[["rank", "warm", "colour", "size"]].assign(extra="text")
    np.testing.assert_array_equal(encoder.encode(shuffled), encoder.encode(TABLE))


def test_state_survives_json():
    encoder = TableEncoder.fit(TABLE, impute="median")
    again = TableEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again == encoder
    np.testing.assert_array_equal(again.encode(TABLE), encoder.encode(TABLE))


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"columns": 3, "impute": None, "dtype": "float64"},
        {"columns": [{"name": "a"}], "impute": None, "dtype": "float64"},
        {
            "columns": [{"name": "a", "kind": "code", "categories": [], "fill": 0}],
            "impute": None,
            "dtype": "float64",
        },
        {"columns": [], "impute": None, "dtype": "object"},
    ],
)
def test_damaged_state_is_refused(state):
    with pytest.raises(DataError, match=r"not the saved state"):
        TableEncoder.from_dict(state)


def test_missing_cells_are_an_error_that_counts_them_and_names_the_fix():
    holed = TABLE.assign(size=[1.0, None, None, 2.0], colour=["red", None, "red", "blue"])
    with pytest.raises(DataError, match=r"'size' \(2\), 'colour' \(1\).*--impute median"):
        TableEncoder.fit(holed)


def test_imputing_uses_the_training_median_and_most_frequent_value():
    holed = TABLE.assign(size=[1.0, None, 3.0, 8.0], warm=[True, True, None, False])
    encoder = TableEncoder.fit(holed, impute="median")
    new = pd.DataFrame({"size": [None], "colour": [None], "warm": [None], "rank": [7]})
    row = dict(zip(encoder.feature_names, encoder.encode(new)[0]))
    assert row == {"size": 3.0, "colour=blue": 0, "colour=green": 0, "colour=red": 1, "warm": 1, "rank": 7}


def test_missing_cell_at_predict_time_without_impute():
    encoder = TableEncoder.fit(TABLE)
    with pytest.raises(DataError, match=r"missing values.*'size'"):
        encoder.encode(TABLE.assign(size=[1.0, None, 3.0, 4.0]))


def test_wholly_missing_column_is_an_error_even_when_imputing():
    with pytest.raises(DataError, match=r"nothing but missing values.*'size'"):
        TableEncoder.fit(TABLE.assign(size=np.nan), impute="median")


def test_unknown_category_becomes_zeros_with_a_notice():
    encoder = TableEncoder.fit(TABLE)
    with pytest.warns(DataNotice, match=r"'colour'.*'mauve'"):
        encoded = encoder.encode(TABLE.assign(colour=["mauve", "red", "red", "blue"]))
    assert encoded[0, 1:4].tolist() == [0, 0, 0]
    assert encoded[1, 1:4].tolist() == [0, 0, 1]


def test_absent_column_is_named_with_a_suggestion():
    encoder = TableEncoder.fit(TABLE)
    with pytest.raises(DataError, match=r"no column\(s\) 'colour'.*Did you mean 'color'"):
        encoder.encode(TABLE.rename(columns={"colour": "color"}))


def test_text_among_numbers_at_predict_time_names_column_and_row():
    encoder = TableEncoder.fit(TABLE)
    with pytest.raises(DataError, match=r"'rank' is numeric but row 3 holds '2x'"):
        encoder.encode(TABLE.assign(rank=["1", "2", "2x", "3"]))


def test_numeric_codes_can_be_declared_categories():
    encoder = TableEncoder.fit(TABLE, categorical=["rank"])
    assert encoder.feature_names[-3:] == ("rank=1", "rank=2", "rank=3")
    # The same codes read as floats, or as text, are the same categories.
    for rank in ([3.0, 1.0, 2.0, 2.0], ["3", "1", "2", "2"]):
        np.testing.assert_array_equal(encoder.encode(TABLE.assign(rank=rank)), encoder.encode(TABLE))
    with pytest.raises(DataError, match=r"no column named 'rnk'.*'rank'"):
        TableEncoder.fit(TABLE, categorical=["rnk"])


def test_doubled_columns_are_refused_and_numbered_ones_become_text():
    doubled = pd.DataFrame(np.eye(2), columns=["a", "a"])
    with pytest.raises(DataError, match=r"more than one column named 'a'"):
        TableEncoder.fit(doubled)
    with pytest.raises(DataError, match=r"more than one column named 'a'"):
        TableEncoder.for_numbers(["a"]).encode(doubled)
    numbered = pd.DataFrame(np.eye(2))
    assert TableEncoder.fit(numbered, categorical="1").feature_names == ("0", "1=0", "1=1")


def test_float32_tables_stay_float32():
    table = pd.DataFrame({"a": np.float32([1, 2]), "b": np.float32([3, 4])})
    assert TableEncoder.fit(table).encode(table).dtype == np.float32
    assert TableEncoder.fit(TABLE).encode(TABLE).dtype == np.float64


def test_identifiers_are_refused():
    table = pd.DataFrame({"name": [f"person {i}" for i in range(40)], "age": range(40)})
    with pytest.raises(DataError, match=r"'name' has 40 different texts.*identifier"):
        TableEncoder.fit(table)


@pytest.mark.parametrize("form", ["1,{:03d}", "{}%", "€{}.50", "{},5 €", "-$ {}"])
def test_numbers_with_signs_in_them_are_explained(form):
    table = pd.DataFrame({"price": [form.format(i) for i in range(40)], "age": np.arange(40) % 7})
    with pytest.raises(DataError, match=r"'price' holds numbers with signs in them, such as .*plain numbers"):
        TableEncoder.fit(table)


def test_unknown_imputation_is_refused():
    with pytest.raises(DataError, match=r"'mean'"):
        TableEncoder.fit(TABLE, impute="mean")


def test_boolean_column_refuses_other_words_later():
    encoder = TableEncoder.fit(TABLE)
    assert encoder.encode(TABLE.assign(warm=["true", "FALSE", 1, 0]))[:, 4].tolist() == [1, 0, 1, 0]
    with pytest.raises(DataError, match=r"'warm'.*'maybe' in row 2"):
        encoder.encode(TABLE.assign(warm=["true", "maybe", "true", "true"]))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(-1e9, 1e9), st.one_of(st.none(), st.sampled_from(["a", "b c", "7", "é"])), st.booleans()
        ),
        min_size=1,
        max_size=25,
    )
)
def test_rows_are_encoded_one_by_one_as_all_together(rows):
    table = pd.DataFrame(rows, columns=["number", "word", "flag"])
    table["word"] = table["word"].astype("category")
    if table["word"].isna().all():
        return
    encoder = TableEncoder.from_dict(TableEncoder.fit(table, impute="median").to_dict())
    whole = encoder.encode(table)
    single = np.vstack([encoder.encode(table.iloc[[i]]) for i in range(len(table))])
    np.testing.assert_array_equal(whole, single)
    assert np.isfinite(whole).all()
    # Exactly one category is set in every row.
    assert (whole[:, 1:-1].sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("customer_id", 10**17 + 1000 * np.arange(40)[::-1]),
        ("userID", np.arange(40) ** 2),
        ("n", np.arange(5, 45)),
    ],
)
def test_numeric_identifiers_are_features_with_a_notice(name, cells):
    with pytest.warns(DataNotice, match=rf"'{name}' looks like an identifier.*--drop {name}"):
        encoder = TableEncoder.fit(pd.DataFrame({name: cells}))
    assert encoder.feature_names == (name,)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("humid", np.arange(40) ** 2),
        ("id", np.arange(40) // 2),
        ("id", np.arange(40) + 0.5),
        ("id", np.arange(9)),
    ],
)
def test_other_numbers_are_no_identifiers(name, cells, recwarn):
    TableEncoder.fit(pd.DataFrame({name: cells}))
    assert not recwarn.list
