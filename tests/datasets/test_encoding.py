import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_validate
from sklearn.pipeline import make_pipeline

from nearkin import KNNClassifier
from nearkin.datasets import DataError, DataNotice, TableEncoder
from nearkin.datasets.encoding import number_encoder

TABLE = pd.DataFrame(
    {
        "size": [1.0, 2.0, 4.0, 9.0],
        "colour": ["red", "blue", "red", "green"],
        "warm": [True, False, True, True],
        "rank": [3, 1, 2, 2],
    }
)


def names(encoder):
    return tuple(encoder.get_feature_names_out())


def test_one_hot_booleans_and_numbers_in_the_order_of_the_table():
    encoder = TableEncoder().fit(TABLE)
    assert names(encoder) == ("size", "colour=blue", "colour=green", "colour=red", "warm", "rank")
    expected = [[1, 0, 0, 1, 1, 3], [2, 1, 0, 0, 0, 1], [4, 0, 0, 1, 1, 2], [9, 0, 1, 0, 1, 2]]
    np.testing.assert_array_equal(encoder.transform(TABLE), expected)


def test_column_order_and_extra_columns_do_not_matter():
    encoder = TableEncoder().fit(TABLE)
    shuffled = TABLE[["rank", "warm", "colour", "size"]].assign(extra="text")
    np.testing.assert_array_equal(encoder.transform(shuffled), encoder.transform(TABLE))


def test_missing_cells_are_an_error_that_counts_them_and_names_the_fix():
    holed = TABLE.assign(size=[1.0, None, None, 2.0], colour=["red", None, "red", "blue"])
    with pytest.raises(DataError, match=r"'size' \(2\), 'colour' \(1\).*--impute median"):
        TableEncoder().fit(holed)


def test_imputing_uses_the_training_median_and_most_frequent_value():
    holed = TABLE.assign(size=[1.0, None, 3.0, 8.0], warm=[True, True, None, False])
    encoder = TableEncoder(impute="median").fit(holed)
    new = pd.DataFrame({"size": [None], "colour": [None], "warm": [None], "rank": [7]})
    row = dict(zip(names(encoder), encoder.transform(new)[0]))
    assert row == {"size": 3.0, "colour=blue": 0, "colour=green": 0, "colour=red": 1, "warm": 1, "rank": 7}


def test_missing_cell_at_predict_time_without_impute():
    encoder = TableEncoder().fit(TABLE)
    with pytest.raises(DataError, match=r"missing values.*'size'"):
        encoder.transform(TABLE.assign(size=[1.0, None, 3.0, 4.0]))


def test_a_column_without_a_known_cell_becomes_constant():
    holed = TABLE.assign(size=np.nan, colour=np.array([None] * 4))
    encoder = TableEncoder(impute="median", categorical=["colour"]).fit(holed)
    later = encoder.transform(TABLE.assign(size=np.nan, colour=None))
    assert np.ptp(later[:, : len(names(encoder)) - 2], axis=0).max() == 0
    assert np.isfinite(later).all()


def test_unknown_category_becomes_zeros_with_a_notice():
    encoder = TableEncoder().fit(TABLE)
    with pytest.warns(DataNotice, match=r"'colour'.*'mauve'"):
        encoded = encoder.transform(TABLE.assign(colour=["mauve", "red", "red", "blue"]))
    assert encoded[0, 1:4].tolist() == [0, 0, 0]
    assert encoded[1, 1:4].tolist() == [0, 0, 1]


def test_absent_column_is_named_with_a_suggestion():
    encoder = TableEncoder().fit(TABLE)
    with pytest.raises(DataError, match=r"no column\(s\) 'colour'.*Did you mean 'color'"):
        encoder.transform(TABLE.rename(columns={"colour": "color"}))


def test_text_among_numbers_at_predict_time_names_column_and_row():
    encoder = TableEncoder().fit(TABLE)
    with pytest.raises(DataError, match=r"'rank' is numeric but row 3 holds '2x'"):
        encoder.transform(TABLE.assign(rank=["1", "2", "2x", "3"]))


def test_numeric_codes_can_be_declared_categories():
    encoder = TableEncoder(categorical=["rank"]).fit(TABLE)
    assert names(encoder)[-3:] == ("rank=1", "rank=2", "rank=3")
    # The same codes read as floats, or as text, are the same categories.
    for rank in ([3.0, 1.0, 2.0, 2.0], ["3", "1", "2", "2"]):
        np.testing.assert_array_equal(encoder.transform(TABLE.assign(rank=rank)), encoder.transform(TABLE))
    with pytest.raises(DataError, match=r"no column named 'rnk'.*'rank'"):
        TableEncoder(categorical=["rnk"]).fit(TABLE)


def test_doubled_columns_are_refused_and_numbered_ones_become_text():
    doubled = pd.DataFrame(np.eye(2), columns=["a", "a"])
    with pytest.raises(DataError, match=r"more than one column named 'a'"):
        TableEncoder().fit(doubled)
    with pytest.raises(DataError, match=r"more than one column named 'a'"):
        number_encoder(["a"]).transform(doubled)
    numbered = pd.DataFrame(np.eye(2))
    assert names(TableEncoder(categorical="1").fit(numbered)) == ("0", "1=0", "1=1")


def test_float32_tables_stay_float32():
    table = pd.DataFrame({"a": np.float32([1, 2]), "b": np.float32([3, 4])})
    assert TableEncoder().fit(table).transform(table).dtype == np.float32
    assert TableEncoder().fit(TABLE).transform(TABLE).dtype == np.float64


def test_identifiers_are_refused():
    table = pd.DataFrame({"name": [f"person {i}" for i in range(40)], "age": range(40)})
    with pytest.raises(DataError, match=r"'name' has 40 different texts.*identifier"):
        TableEncoder().fit(table)


@pytest.mark.parametrize("form", ["1,{:03d}", "{}%", "€{}.50", "{},5 €", "-$ {}"])
def test_numbers_with_signs_in_them_are_explained(form):
    table = pd.DataFrame({"price": [form.format(i) for i in range(40)], "age": np.arange(40) % 7})
    with pytest.raises(DataError, match=r"'price' holds numbers with signs in them, such as .*plain numbers"):
        TableEncoder().fit(table)


def test_unknown_imputation_is_refused():
    with pytest.raises(DataError, match=r"'guess'"):
        TableEncoder(impute="guess").fit(TABLE)


def test_boolean_column_refuses_other_words_later():
    encoder = TableEncoder().fit(TABLE)
    assert encoder.transform(TABLE.assign(warm=["true", "FALSE", 1, 0]))[:, 4].tolist() == [1, 0, 1, 0]
    with pytest.raises(DataError, match=r"'warm'.*'maybe' in row 2"):
        encoder.transform(TABLE.assign(warm=["true", "maybe", "true", "true"]))


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
    encoder = TableEncoder(impute="median").fit(table)
    whole = encoder.transform(table)
    single = np.vstack([encoder.transform(table.iloc[[i]]) for i in range(len(table))])
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
        encoder = TableEncoder().fit(pd.DataFrame({name: cells}))
    assert names(encoder) == (name,)


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
    TableEncoder().fit(pd.DataFrame({name: cells}))
    assert not recwarn.list


def table_with_holes(n=60, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({"size": rng.normal(size=n), "colour": rng.choice(["red", "blue"], n)})
    table.loc[rng.choice(n, 12, replace=False), "size"] = np.nan
    table.loc[[3, 9], "colour"] = None
    return table, np.where(rng.random(n) < 0.5, "yes", "no")


def test_nothing_of_the_held_out_rows_enters_the_encoding():
    table, y = table_with_holes()
    folds = list(KFold(3).split(table))
    for train, test in folds:
        poisoned = table.copy()
        # Outliers and a category that occur in the held-out rows only.
        poisoned.loc[test, "size"] = 1e6
        poisoned.loc[test, "colour"] = "ultraviolet"
        encoder = TableEncoder(impute="median")
        clean = clone(encoder).fit(table.iloc[train]).transform(table.iloc[train])
        np.testing.assert_array_equal(
            clone(encoder).fit(poisoned.iloc[train]).transform(table.iloc[train]), clean
        )
        assert "colour=ultraviolet" not in names(clone(encoder).fit(poisoned.iloc[train]))
    model = make_pipeline(TableEncoder(impute="median"), KNNClassifier())
    found = cross_validate(model, table, y, cv=folds, return_estimator=True)["estimator"]
    fills = {fitted[0].columns_.transformers_[0][1].statistics_[0] for fitted in found}
    assert fills == {np.nanmedian(table["size"].to_numpy()[train]) for train, _ in folds}
    assert len(fills) == 3


def test_it_is_a_transformer_in_scikit_learns_manner():
    table, _ = table_with_holes()
    encoder = TableEncoder(impute="median", categorical=("colour",))
    assert clone(encoder).get_params() == {
        "impute": "median",
        "categorical": ("colour",),
        "max_categories": 50,
    }
    framed = clone(encoder).set_output(transform="pandas").fit(table).transform(table.iloc[5:8])
    assert framed.columns.tolist() == ["size", "colour=blue", "colour=red"]
    assert framed.index.tolist() == [5, 6, 7]


def test_arrays_are_tables_without_names():
    encoder = TableEncoder(impute="median").fit(np.array([[1.0, np.nan], [2.0, 5.0], [6.0, 7.0]]))
    np.testing.assert_array_equal(encoder.transform([[np.nan, np.nan]]), [[2.0, 6.0]])
    with pytest.raises(DataError, match=r"3 features.*fitted with 2"):
        encoder.transform(np.zeros((1, 3)))
    with pytest.raises(DataError, match=r"2-d"):
        encoder.transform(np.zeros(3))


@pytest.mark.parametrize("impute", ["median", "mean", "most-frequent", "knn"])
def test_every_way_of_imputing_fills_new_rows_and_survives_the_file(impute, tmp_path):
    from nearkin import load, save

    table, y = table_with_holes()
    table["when"] = pd.date_range("2024-01-01", periods=len(table)).strftime("%Y-%m-%d")
    table.loc[4, "when"] = None
    model = make_pipeline(TableEncoder(impute=impute), KNNClassifier()).fit(table, y)
    encoded = model[0].transform(table)
    assert np.isfinite(encoded).all()
    save(model, tmp_path / "m.nearkin")
    again = load(tmp_path / "m.nearkin")
    np.testing.assert_array_equal(again[0].transform(table), encoded)
    known = table["size"].notna()
    np.testing.assert_array_equal(encoded[known, 0], table["size"][known])


def test_rare_values_share_a_feature():
    cities = [f"c{i:02d}" for i in range(60) for _ in range(70 - i)]
    table = pd.DataFrame({"city": cities, "size": np.arange(len(cities)) % 13})
    with pytest.warns(DataNotice, match=r"'city' holds 60 different texts; the 51 rarest"):
        encoder = TableEncoder(max_categories=10).fit(table)
    assert names(encoder) == (*(f"city=c0{i}" for i in range(9)), "city=(rare)", "size")
    with pytest.warns(DataNotice, match=r"'Ulm'.*as the rare ones are"):
        encoded = encoder.transform(pd.DataFrame({"city": ["Ulm", "c59", "c03"], "size": 1}))
    assert encoded[:, 9].tolist() == [1, 1, 0]
    assert encoded[2, 3] == 1


def test_a_settled_table_tells_of_rare_values_once(recwarn):
    from nearkin.datasets import dataset_from_table

    cities = [f"c{i:02d}" for i in range(60) for _ in range(3)]
    table = pd.DataFrame({"city": cities, "zip": cities, "y": ["a", "b"] * 90})
    data = dataset_from_table(table, target="y", categorical=["zip"])
    assert [str(w.message).split()[1] for w in recwarn.list] == ["'city'", "'zip'"]
    recwarn.clear()
    clone(data.encoder).fit(data.X)
    assert not recwarn.list
