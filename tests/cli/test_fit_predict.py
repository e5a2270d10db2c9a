import warnings

import numpy as np
import pandas as pd
import pytest

from nearkin.persistence import load, read_metadata


def test_model_file_carries_what_predicting_needs(iris_model):
    metadata = read_metadata(iris_model)["metadata"]
    assert metadata["target_names"] == ["species"]
    assert metadata["class_names"] == ["setosa", "versicolor", "virginica"]
    assert metadata["learner"] == "RCA"
    assert metadata["task"] == "classification"
    assert "site" in metadata["columns"]
    assert metadata["n_rows"] == 150


def test_neighbours_beside_each_prediction_decide_it(nearkin, iris_model, iris_csv, iris_table, tmp_path):
    out = tmp_path / "predictions.csv"
    called = nearkin("predict", iris_model, iris_csv, "--out", out, "--neighbors", "5", "--proba")
    assert called.code == 0, called.err
    table = pd.read_csv(out)
    assert table["row"].tolist() == list(range(1, 151))
    # Rows of the training file itself: nearest is the row, or an equal one, at distance zero.
    assert np.allclose(table["neighbor1_distance"], 0, atol=1e-6)
    for i in range(1, 6):
        labels = iris_table["species"].to_numpy()[table[f"neighbor{i}_row"] - 1]
        assert (table[f"neighbor{i}_label"] == labels).all()
    votes = (
        table[[f"neighbor{i}_label" for i in range(1, 6)]]
        .apply(lambda row: row.value_counts(), axis=1)
        .fillna(0)
    )
    winners = votes.eq(votes.max(axis=1), axis=0)
    assert all(winners.loc[i, species] for i, species in enumerate(table["species"]))
    shares = table[["proba_setosa", "proba_versicolor", "proba_virginica"]]
    np.testing.assert_allclose(shares, votes / 5, atol=1e-12)


def test_columns_are_found_by_name(nearkin, iris_model, iris_table, tmp_path):
    shuffled = tmp_path / "shuffled.csv"
    iris_table.drop(columns="species").iloc[:, ::-1].assign(extra=1).to_csv(shuffled, index=False)
    predicted = pd.DataFrame(nearkin("predict", iris_model, shuffled, "--json").json())
    assert (predicted["species"] == iris_table["species"]).mean() > 0.95


def test_a_model_of_numbers_knows_its_columns_in_python(nearkin, iris_table, tmp_path):
    table = iris_table.select_dtypes("number").assign(species=iris_table["species"])
    given, path = tmp_path / "numbers.csv", tmp_path / "numbers.nearkin"
    table.to_csv(given, index=False)
    called = nearkin("fit", given, "--target", "species", "--learner", "RCA", "--out", path)
    assert called.code == 0, called.err
    model, rows = load(path), table.drop(columns="species")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (model.predict(rows) == table["species"]).mean() > 0.9
    with pytest.raises(ValueError, match="same order"):
        model.predict(rows.iloc[:, ::-1])
    reordered = tmp_path / "reordered.csv"
    rows.iloc[:, ::-1].to_csv(reordered, index=False)
    called = nearkin("predict", path, reordered)
    assert called.out == nearkin("predict", path, given).out
    assert "feature names" not in called.err


def test_predictions_go_to_stdout_as_csv(nearkin, iris_model, iris_csv):
    called = nearkin("predict", iris_model, iris_csv)
    assert called.out.splitlines()[0] == "row,species"
    assert len(called.out.splitlines()) == 151


def test_settings_reach_the_learner(nearkin, iris_csv, tmp_path):
    path = tmp_path / "m.nearkin"
    options = ("--learner", "move-labeled", "--set", "n_targets=3", "--set", "alpha=0.1", "--neighbors", "7")
    called = nearkin(
        "fit", iris_csv, "--target", "species", *options, "--scale", "minmax", "--out", path, "--json"
    )
    assert called.code == 0, called.err
    assert called.json()["neighbors"] == 7
    model = load(path)
    assert model.steps[-1][1].learner_.get_params()["n_targets"] == 3
    assert [type(step).__name__ for _, step in model.steps[:-1]] == ["TableEncoder", "MinMaxScaler"]


def test_regression_of_two_targets(nearkin, wave_csv, tmp_path):
    path = tmp_path / "wave.nearkin"
    called = nearkin(
        "fit", wave_csv, "--target", "Y1", "--target", "Y2", "--learner", "euclid", "--out", path
    )
    assert called.code == 0, called.err
    rows = nearkin("predict", path, wave_csv, "--neighbors", "2", "--json").json()
    assert set(rows[0]) >= {"Y1", "Y2", "neighbor1_row", "neighbor2_Y1", "neighbor2_distance"}
    table = pd.read_csv(wave_csv)
    assert rows[3]["neighbor1_Y2"] == table["Y2"][rows[3]["neighbor1_row"] - 1]


def test_prototype_models_name_their_prototypes(nearkin, iris_csv, tmp_path):
    path = tmp_path / "lpd.nearkin"
    options = ("--learner", "LPD", "--set", "n_prototypes=2", "--set", "max_epochs=5", "--out", path)
    options += ("--set", "euclid_share=0")
    assert nearkin("fit", iris_csv, "--target", "species", *options).code == 0
    rows = nearkin("predict", path, iris_csv, "--neighbors", "2", "--json").json()
    assert all(row["species"] == row["prototype1_label"] for row in rows)
    assert all(row["prototype1_distance"] <= row["prototype2_distance"] for row in rows)


def test_missing_values_are_imputed_on_request(nearkin, iris_table, tmp_path):
    holes, path = tmp_path / "holes.csv", tmp_path / "m.nearkin"
    table = iris_table.copy()
    table.loc[5, "petal width"] = np.nan
    table.to_csv(holes, index=False)
    options = ("--target", "species", "--learner", "euclid", "--out", path)
    refused = nearkin("fit", holes, *options)
    assert refused.code == 1
    assert "--impute median" in refused.err
    assert nearkin("fit", holes, *options, "--impute", "median").code == 0
    assert nearkin("predict", path, holes).code == 0


def test_a_model_saved_from_python_on_a_data_frame_predicts(nearkin, tmp_path, iris_csv, iris_table):
    from nearkin import KNNClassifier, save

    features = iris_table.drop(columns=["site", "species"])
    path = tmp_path / "library.nearkin"
    save(KNNClassifier().fit(features, iris_table["species"]), path)
    called = nearkin("predict", path, iris_csv)
    assert called.code == 0, called.err
    assert called.out.startswith("row,prediction\n1,setosa")


def test_a_model_file_of_the_first_format_still_predicts(nearkin, tmp_path):
    """Then the encoding stood in the metadata, and the pipeline began with the scaler."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from nearkin import KNNClassifier, save

    X = np.array([[1.0, 1, 0], [2, 1, 0], [8, 0, 1], [9, 0, 1]])
    model = make_pipeline(StandardScaler(), KNNClassifier(n_neighbors=1)).fit(X, [0, 0, 1, 1])
    columns = [
        {"name": "size", "kind": "number", "categories": [], "fill": 5.0},
        {"name": "hue", "kind": "category", "categories": ["blue", "red"], "fill": "red"},
    ]
    about = {
        "encoder": {"impute": "median", "dtype": "float64", "columns": columns},
        "feature_names": ["size", "hue=blue", "hue=red"],
        "target_names": ["kind"],
        "class_names": ["small", "large"],
    }
    path, new = tmp_path / "old.nearkin", tmp_path / "new.csv"
    save(model, path, metadata=about)
    new.write_text("hue,size\nred,8.5\nblue,1\n,9\n")
    called = nearkin("predict", path, new)
    assert called.code == 0, called.err
    assert called.out.splitlines() == ["row,kind", "1,large", "2,small", "3,large"]


def test_a_sparse_model_does_not_take_a_table(nearkin, tmp_path, iris_csv):
    from scipy.sparse import csr_matrix

    from nearkin import KNNClassifier, save

    path = tmp_path / "sparse.nearkin"
    save(KNNClassifier(n_neighbors=1).fit(csr_matrix(np.eye(3)), [0, 1, 1]), path)
    called = nearkin("predict", path, iris_csv)
    assert called.code == 1
    assert "fitted on bare arrays" in called.err
    np.savez(tmp_path / "new.npz", X=np.eye(3)[::-1])
    assert nearkin("predict", path, tmp_path / "new.npz").out.splitlines()[1:] == ["1,1", "2,1", "3,0"]


def test_arrays_of_the_wrong_width_are_refused(nearkin, tmp_path, wave_csv):
    path = tmp_path / "wave.nearkin"
    assert nearkin("fit", wave_csv, "--target", "Y*", "--learner", "euclid", "--out", path).code == 0
    np.savez(tmp_path / "wide.npz", X=np.zeros((2, 4)))
    called = nearkin("predict", path, tmp_path / "wide.npz")
    assert called.code == 1
    assert "4 features" in called.err
    assert "fitted with 3" in called.err


def test_several_targets_of_text(nearkin, iris_table, tmp_path):
    path, model = tmp_path / "two.csv", tmp_path / "m.nearkin"
    large = iris_table.iloc[:, 0] > iris_table.iloc[:, 0].median()
    iris_table.assign(size=large.map({True: "large", False: "small"})).to_csv(path, index=False)
    called = nearkin("fit", path, "--target", "species,size", "--learner", "rca", "--out", model)
    assert called.code == 0
    assert "the 2 targets hold labels, of which" in called.err
    predicted = nearkin("predict", model, path, "--json", "--neighbors", "1", "--proba")
    assert "150 rows hold the answer: accuracy 9" in predicted.err
    first = predicted.json()[0]
    assert (first["species"], first["size"]) == ("setosa", "small")
    assert first["neighbor1_label"] == "setosa & small"
    assert first["proba_setosa & small"] == 1
    found = nearkin("evaluate", model, path, "--json").json()
    assert found["answers"] == 150
    assert found["scores"]["accuracy"] > 0.9
