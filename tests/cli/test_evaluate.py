import numpy as np
import pandas as pd
import pytest

from nearkin import load
from nearkin.cli.modelfile import load_model
from nearkin.cli.predict import predicted_blocks
from nearkin.datasets.blocks import BlockPolicy
from nearkin.datasets.synthetic import make_mixture
from nearkin.evaluation import Relevance, map_at_r, mean_reciprocal_rank, recall_at_k


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


@pytest.fixture
def vectors(tmp_path, nearkin):
    """A model of stored vectors, and queries with labels: (folder, labels stored, queries, their labels)."""
    X, y = make_mixture(260, 8, 4, random_state=0, dtype=np.float32)
    kinds = np.array([f"kind {label}" for label in y])
    np.savez(tmp_path / "stored.npz", emb=X[:200], who=kinds[:200])
    np.savez(tmp_path / "new.npz", emb=X[200:], who=kinds[200:], more=X[200:])
    fitted = nearkin(
        "fit", tmp_path / "stored.npz", "--vectors", "emb", "--labels", "who", "--learner", "MoveLabeled",
        "--out", tmp_path / "m.nearkin",
    )  # fmt: skip
    assert fitted.code == 0, fitted.err
    return tmp_path, kinds[:200], X[200:], kinds[200:]


def neighbours(path, X):
    model = load(path)
    return model[-1].kneighbors(model[:-1].transform(X), 100, return_distance=False)


def test_vectors_are_scored_as_lists_too(vectors, nearkin):
    folder, stored, X, y = vectors
    command = ["evaluate", folder / "m.nearkin", folder / "new.npz", "--vectors", "emb", "--json"]
    scores = nearkin(*command, "--labels", "who", "--metric", "map@r,recall@5").json()["scores"]
    found = neighbours(folder / "m.nearkin", X)
    truth = Relevance.of_labels(y, stored)
    assert scores["MAP@R"] == pytest.approx(map_at_r(found, truth))
    assert scores["recall@5"] == pytest.approx(recall_at_k(found, truth, 5))
    assert scores["accuracy"] > 0.5


def test_relevant_rows_judge_without_answers(vectors, nearkin):
    folder, _, X, _ = vectors
    pairs = [(1, 5), (1, 9), (3, 200)]
    (folder / "pairs.csv").write_text("query,item\n" + "".join(f"{q},{r}\n" for q, r in pairs))
    command = ["evaluate", folder / "m.nearkin", folder / "new.npz", "--vectors", "emb", "--json"]
    told = nearkin(*command, "--relevant", folder / "pairs.csv").json()
    truth = Relevance.of_lists([[4, 8], [], [199], *([[]] * 57)], 200)
    found = neighbours(folder / "m.nearkin", X)
    assert (told["rows"], told["answers"]) == (60, 2)
    assert told["scores"]["MRR"] == pytest.approx(mean_reciprocal_rank(found, truth))
    assert set(told["scores"]) == {"recall@10", "precision@10", "hit rate@10", "MRR", "MAP@R", "nDCG@10"}
    assert "lists" in nearkin(*command, "--relevant", folder / "pairs.csv", "--metric", "accuracy").err
    (folder / "pairs.csv").write_text("query,item\n61,1\n")
    assert "row 61" in nearkin(*command, "--relevant", folder / "pairs.csv").err


def test_a_table_is_scored_by_other_metrics(iris_model, iris_table, tmp_path, nearkin):
    iris_table.to_csv(tmp_path / "iris.csv", index=False)
    told = nearkin("evaluate", iris_model, tmp_path / "iris.csv", "--metric", "mrr", "--json")
    assert told.json()["scores"]["MRR"] > 0.9
    iris_table.assign(species=iris_table["species"].where(np.arange(150) > 0)).to_csv(
        tmp_path / "iris.csv", index=False
    )
    assert "1 rows" in nearkin("evaluate", iris_model, tmp_path / "iris.csv", "--metric", "mrr").err
