"""`nearkin fit --pairs`: constraints by row number or by key."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nearkin.learners.gradient.ldml import LDML
from nearkin.persistence import load

SETTINGS = ("--learner", "ldml", "--set", "tol=1e-3")


@pytest.fixture(scope="module")
def items(tmp_path_factory, iris_table):
    """Items with a key, in an order that is not that of the keys."""
    table = iris_table.drop(columns="site").assign(id=[f"i{i}" for i in range(150)])
    path = tmp_path_factory.mktemp("items") / "items.csv"
    table.sample(frac=1, random_state=0).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def rows(iris_table):
    rows = np.random.RandomState(0).randint(150, size=(200, 2))
    species = iris_table["species"].to_numpy()
    return rows, species[rows[:, 0]] == species[rows[:, 1]]


@pytest.fixture(scope="module")
def expected(items, rows):
    table = pd.read_csv(items)
    places = {key: row for row, key in enumerate(table["id"])}
    numbers = np.array([[places[f"i{i}"] for i in pair] for pair in rows[0]])
    model = make_pipeline(StandardScaler(), LDML(tol=1e-3, random_state=0))
    model.fit(table.drop(columns=["id", "species"]), ldml__pairs=numbers, ldml__similar=rows[1])
    return numbers, model[-1].components_


def written(tmp_path, columns):
    path = tmp_path / "pairs.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def test_keys_and_row_numbers_teach_the_same(nearkin, items, rows, expected, tmp_path):
    numbers, components = expected
    by_key = written(
        tmp_path,
        {
            "query": [f"i{a}" for a in rows[0][:, 0]],
            "clicked": [f"i{b}" for b in rows[0][:, 1]],
            "similar": rows[1],
        },
    )
    out = tmp_path / "m.nearkin"
    target = ("--target", "species")
    called = nearkin("fit", items, "--pairs", by_key, "--key", "id", *target, *SETTINGS, "--out", out)
    assert called.code == 0, called.err
    model = load(out)
    np.testing.assert_allclose(model[-1].learner_.components_, components)
    by_row = written(tmp_path, {"a": numbers[:, 0] + 1, "b": numbers[:, 1] + 1, "same": rows[1].astype(int)})
    called = nearkin(
        "fit", items, "--pairs", by_row, "--drop", "id", *target, *SETTINGS, "--out", out, "--json"
    )
    assert called.code == 0, called.err
    assert called.json()["learner"] == "LDML"
    np.testing.assert_allclose(load(out)[-1].learner_.components_, components)
    # Labels vote.
    predicted = pd.DataFrame(nearkin("predict", out, items, "--json").json())
    assert (predicted["species"] == pd.read_csv(items)["species"]).mean() > 0.9


def test_without_a_target_the_model_places_rows(nearkin, items, rows, expected, tmp_path):
    numbers, components = expected
    pairs = written(
        tmp_path, {"a": numbers[:, 0] + 1, "b": numbers[:, 1] + 1, "similar": np.where(rows[1], "yes", "no")}
    )
    out = tmp_path / "m.nearkin"
    drops = ("--drop", "id", "--drop", "species")
    called = nearkin("fit", items, "--pairs", pairs, *drops, *SETTINGS, "--out", out)
    assert called.code == 0, called.err
    assert "classes" not in called.out
    np.testing.assert_allclose(load(out)[-1].components_, components)
    placed = pd.DataFrame(nearkin("predict", out, items, "--json").json())
    assert placed["row"].tolist() == list(range(1, 151))
    table = pd.read_csv(items).drop(columns=["id", "species"])
    np.testing.assert_allclose(placed.drop(columns="row"), load(out).transform(table.to_numpy()))
    written_to = tmp_path / "places.csv"
    assert "150 embedded rows" in nearkin("predict", out, items, "--out", written_to).err
    np.testing.assert_allclose(pd.read_csv(written_to), placed)


@pytest.mark.parametrize("command", [("predict", "--proba"), ("predict", "--neighbors", "3"), ("evaluate",)])
def test_a_model_that_places_rows_has_no_labels(nearkin, items, tmp_path, command):
    pairs, out = written(tmp_path, {"a": [1, 2], "b": [2, 3]}), tmp_path / "m.nearkin"
    assert (
        nearkin("fit", items, "--pairs", pairs, "--drop", "id", "--drop", "species", "--out", out).code == 0
    )
    refused = nearkin(command[0], out, items, *command[1:])
    assert refused.code == 1
    assert "without a target" in refused.err


def test_weights_are_read(nearkin, items, rows, expected, tmp_path):
    numbers, components = expected
    more = np.r_[numbers, [[0, 1]]] + 1
    columns = {"a": more[:, 0], "b": more[:, 1], "similar": np.r_[rows[1], True]}
    pairs = written(tmp_path, {**columns, "weight": np.r_[np.full(len(numbers), 2.0), 0.0]})
    out = tmp_path / "m.nearkin"
    drops = ("--drop", "id", "--drop", "species")
    assert nearkin("fit", items, "--pairs", pairs, *drops, *SETTINGS, "--out", out).code == 0
    np.testing.assert_allclose(load(out)[-1].components_, components)


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        ({"a": [1, 2], "b": [2, 151], "similar": [1, 0]}, (), "rows are numbered from 1 to 150"),
        ({"a": ["x", "y"], "b": ["y", "z"]}, (), "--key"),
        ({"a": ["i0", "i1"], "b": ["i1", "i500"]}, ("--key", "id"), "'i500'"),
        ({"a": ["i0", "i1"], "b": ["i1", "i2"]}, ("--key", "name"), "no such column"),
        ({"a": [1, 2], "b": [2, 3], "score": [1, 0]}, (), "optionally one called similar"),
        ({"a": [1, 2], "b": [2, 3], "similar": ["maybe", "no"]}, (), "yes and no"),
        ({"a": [1, 2], "b": [2, 3], "similar": [1, 1]}, (), "both kinds"),
        ({"a": [1, 2], "b": [2, 3]}, ("--learner", "nca"), "does not learn from pairs; these do: .*LDML"),
        ({"a": [1, 2], "b": [2, 3]}, ("--learner", "euclid"), "does not learn from pairs"),
    ],
)
def test_what_cannot_be_used_is_named(nearkin, items, tmp_path, columns, options, words):
    pairs = written(tmp_path, columns)
    if "--learner" not in options:
        options = (*options, "--learner", "ldml")
    if "--key" not in options:
        options = (*options, "--drop", "id")
    called = nearkin("fit", items, "--pairs", pairs, "--target", "species", "--out", tmp_path / "m", *options)
    assert called.code == 1
    assert re.search(words, " ".join(called.err.split()))


def test_key_without_pairs_is_refused(nearkin, items, tmp_path):
    called = nearkin("fit", items, "--key", "id", *SETTINGS, "--out", tmp_path / "m")
    assert called.code == 1
    assert "--pairs" in called.err


def test_pairs_need_no_learner_named(nearkin, items, expected, rows, tmp_path):
    """As in `nearkin fit items.parquet --pairs clicks.csv`."""
    table = pd.read_csv(items).drop(columns=["id", "species"])
    table.to_parquet(tmp_path / "items.parquet")
    numbers = expected[0] + 1
    clicks = written(tmp_path, {"a": numbers[:, 0], "b": numbers[:, 1], "similar": rows[1]})
    called = nearkin(
        "fit", tmp_path / "items.parquet", "--pairs", clicks, "--out", tmp_path / "m.nearkin", "--json"
    )
    assert called.code == 0, called.err
    assert called.json()["learner"] == "ITML"
    assert load(tmp_path / "m.nearkin").transform(table.to_numpy()).shape == (150, 4)
