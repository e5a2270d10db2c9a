import numpy as np
import pandas as pd
import pytest

from nearkin.cli.modelfile import load_model
from nearkin.cli.predict import predicted_blocks
from nearkin.datasets.blocks import BlockPolicy


def test_scores_of_known_answers(nearkin, iris_model, iris_table, tmp_path):
    path = tmp_path / "some.csv"
    iris_table.assign(species=iris_table["species"].where(np.arange(150) % 5 != 0)).to_csv(path, index=False)
    found = nearkin("evaluate", iris_model, path, "--json").json()
    assert (found["rows"], found["answers"], found["task"]) == (150, 120, "classification")
    predicted = pd.DataFrame(nearkin("predict", iris_model, path, "--json").json())["species"]
    kept = np.arange(150) % 5 != 0
    right = (predicted == iris_table["species"])[kept].mean()
    assert found["scores"]["accuracy"] == pytest.approx(right)
    shown = nearkin("evaluate", iris_model, path)
    assert "120 of 150 rows with answers" in shown.out
    assert f"{100 * right:.1f} %" in shown.out


def test_regression_of_two_targets(nearkin, wave_csv, tmp_path):
    path = tmp_path / "m.nearkin"
    assert nearkin("fit", wave_csv, "--target", "Y*", "--learner", "euclid", "--out", path).code == 0
    scores = nearkin("evaluate", path, wave_csv, "--json").json()["scores"]
    assert 0 < scores["aRRMSE"] < 0.6
    assert scores["R2"] > 0.6


def test_known_sets_and_npz(nearkin, tmp_path):
    path = tmp_path / "m.nearkin"
    assert nearkin("fit", "wine", "--learner", "euclid", "--out", path).code == 0
    assert nearkin("evaluate", path, "wine", "--json").json()["scores"]["accuracy"] > 0.95
    called = nearkin("evaluate", path, "whine")
    assert called.code == 1
    assert "'wine'" in called.err


def test_without_answers(nearkin, iris_model, iris_table, tmp_path):
    path = tmp_path / "new.csv"
    iris_table.drop(columns="species").to_csv(path, index=False)
    called = nearkin("evaluate", iris_model, path)
    assert called.code == 1
    assert "holds no answers" in called.err
    assert "nearkin predict" in called.err
    assert "rows hold the answer" not in nearkin("predict", iris_model, path).err


def test_predict_scores_what_it_can(nearkin, iris_model, iris_csv, tmp_path):
    called = nearkin("predict", iris_model, iris_csv, "--out", tmp_path / "p.csv")
    assert "150 rows hold the answer: accuracy 9" in called.err
    assert "balanced accuracy" in called.err


def test_a_stream_of_blocks_gives_the_same_predictions(nearkin, iris_model, iris_csv):
    loaded = load_model(iris_model)
    parts = predicted_blocks(loaded, str(iris_csv), "utf-8", policy=BlockPolicy(10, 40), n_neighbors=1)
    tables = [table for _, table in parts]
    assert [len(table) for table in tables] == [40, 40, 40, 30]
    [(_, whole)] = predicted_blocks(loaded, str(iris_csv), "utf-8", n_neighbors=1)
    pd.testing.assert_frame_equal(pd.concat(tables, ignore_index=True), whole)
