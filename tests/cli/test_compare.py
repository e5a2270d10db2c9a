"""One comparison with every output, looked at from all sides."""

import re

import pytest

QUICK = ("--folds", "3", "--repeats", "1", "--jobs", "1", "--time-budget", "none")


@pytest.fixture(scope="module")
def compared(nearkin, iris_csv, tmp_path_factory):
    folder = tmp_path_factory.mktemp("compared")
    paths = {
        "report": folder / "report.html",
        "results": folder / "runs.sqlite",
        "out": folder / "winner.nearkin",
    }
    outputs = [item for name, path in paths.items() for item in (f"--{name}", path)]
    options = ("--target", "species", "--learners", "rca,lpd", "--references", *QUICK, *outputs, "--json")
    called = nearkin("compare", iris_csv, *options)
    assert called.code == 0, called.err
    return called, paths


def test_json_has_every_row_and_the_answer(compared):
    found = compared[0].json()
    rows = {row["label"]: row for row in found["rows"]}
    references = {"Logistic regression", "RBF SVM", "Gradient boosting", "Majority class"}
    assert set(rows) == {"Euclid", "RCA", "LPD"} | references
    assert {label for label, row in rows.items() if row["reference"]} == references
    assert found["winner"] in ("Euclid", "RCA", "LPD")
    assert found["statement"]
    assert found["facts"]["rows"] == "150"
    assert all(len(row["scores"]) == 3 for row in rows.values())
    assert rows["RCA"]["hub_skewness"] is not None
    assert rows["LPD"]["hub_skewness"] is None
    assert "model__n_neighbors" in rows["Euclid"]["setting"]


def test_report_is_written_and_can_be_made_again_from_the_results(compared, nearkin, tmp_path):
    _, paths = compared
    page = paths["report"].read_text(encoding="utf-8")
    for key in ("leaderboard", "embedding", "hubness", "costs", "confusion", "local", "settings"):
        assert f'<section id="{key}"' in page
    again = tmp_path / "again.html"
    assert nearkin("report", paths["results"], "--out", again).code == 0
    assert again.read_text(encoding="utf-8") == page


def test_report_without_stored_views_shows_what_the_results_hold(compared, nearkin, tmp_path):
    import shutil
    import sqlite3

    bare = tmp_path / "bare.sqlite"
    shutil.copy(compared[1]["results"], bare)
    with sqlite3.connect(bare) as connection:
        connection.execute("DELETE FROM artifacts")
    out = tmp_path / "bare.html"
    assert nearkin("report", bare, "--out", out).code == 0
    page = out.read_text(encoding="utf-8")
    assert '<section id="hubness"' in page
    assert '<section id="embedding"' not in page
    assert "versicolor" in page


def test_winner_is_saved_and_predicts(compared, nearkin, iris_csv, iris_table):
    called = nearkin("predict", compared[1]["out"], iris_csv, "--json")
    predicted = [row["species"] for row in called.json()]
    assert sum(a == b for a, b in zip(predicted, iris_table["species"])) > 140


def test_same_command_continues_from_the_results(compared, nearkin, iris_csv):
    options = ("--target", "species", "--learners", "rca,lpd", "--references", *QUICK, "--json")
    first = compared[0].json()
    again = nearkin("compare", iris_csv, *options, "--results", compared[1]["results"]).json()
    assert [row["fit_seconds"] for row in again["rows"]] == [row["fit_seconds"] for row in first["rows"]]


def test_table_and_sentence(nearkin, iris_csv):
    called = nearkin(
        "compare", iris_csv, "--target", "species", "--learners", "euclid", "--neighbors", "3", *QUICK
    )
    assert called.code == 0
    assert "beats Euclid?" in called.out
    assert re.search(r"Euclid +9\d\.\d % ± \d", called.out)
    assert "Only Euclid has a result" in called.out
    assert re.search(r"Majority class .*3\d\.\d %", called.out)


def test_regression_with_several_targets(nearkin, wave_csv, tmp_path):
    report = tmp_path / "wave.html"
    called = nearkin(
        "compare",
        wave_csv,
        "--target",
        "Y*",
        "--learners",
        "DMLMTP",
        "--neighbors",
        "3",
        *QUICK,
        "--report",
        report,
        "--json",
    )
    assert called.code == 0, called.err
    found = called.json()
    assert found["metric"] == "aRRMSE"
    rows = {row["label"]: row for row in found["rows"]}
    assert rows["DMLMTP"]["mean"] < rows["Euclid"]["mean"]
    assert rows["DMLMTP"]["wilcoxon_p"] is not None
    page = report.read_text(encoding="utf-8")
    assert '<section id="regression"' in page
    assert "Wilcoxon p" in page


def test_sparse_data_takes_only_learners_that_accept_it(nearkin, tmp_path):
    import numpy as np
    from scipy import sparse

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = sparse.csr_matrix(
        rng.random((60, 30)) * (rng.random((60, 30)) < 0.3) + np.outer(y, np.arange(30) == 0)
    )
    path = tmp_path / "text.npz"
    np.savez(path, X_data=X.data, X_indices=X.indices, X_indptr=X.indptr, X_shape=X.shape, y=y)
    called = nearkin("compare", path, *QUICK, "--neighbors", "3", "--json")
    assert called.code == 0, called.err
    found = called.json()
    assert {"Euclid", "MoveLabeled"} <= {row["label"] for row in found["rows"]}
    assert "LMDL" not in {row["label"] for row in found["rows"]}
    assert "sparse" in called.err
    assert any("LMDL" in notice for notice in found["notices"])


def test_a_table_with_categories_and_missing_values(nearkin, tmp_path):
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(0)
    n = 90
    table = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": rng.choice(["red", "blue", "green"], n),
            "warm": rng.choice([True, False], n),
            "kind": rng.choice(["a", "b"], n),
        }
    )
    table["size"] += 3 * (table["kind"] == "a")
    table.loc[::7, "size"] = np.nan
    table.loc[5, "colour"] = "seen once"  # never in training and held-out rows at once
    path, model = tmp_path / "mixed.csv", tmp_path / "m.nearkin"
    report, results = tmp_path / "r.html", tmp_path / "r.sqlite"
    table.to_csv(path, index=False)
    options = ("--target", "kind", "--learners", "rca,lpd", "--references", "--impute", "median", *QUICK)
    files = ("--out", model, "--report", report, "--results", results)
    called = nearkin("compare", path, *options, *files, "--json")
    assert called.code == 0, called.err
    rows = {row["label"]: row for row in called.json()["rows"]}
    assert len(rows) == 7
    assert all(len(row["scores"]) == 3 for row in rows.values())
    assert rows["Euclid"]["mean"] > 0.75
    page = report.read_text(encoding="utf-8")
    assert '<section id="embedding"' in page
    assert '<section id="local"' in page
    assert nearkin("predict", model, path).code == 0
    assert nearkin("hubness", path, "--target", "kind", "--impute", "median").code == 0


def test_the_saved_model_is_named_with_the_reason(nearkin, iris_csv, tmp_path):
    options = ("--target", "species", "--learners", "rca", "--neighbors", "3", *QUICK)
    called = nearkin("compare", iris_csv, *options, "--save", "euclid", "--out", tmp_path / "m.nearkin")
    assert called.code == 0, called.err
    assert "m.nearkin holds Euclid (--save euclid: asked for by name)" in called.err
    wrong = nearkin("compare", iris_csv, *options, "--metric", "accurcy")
    assert wrong.code == 1
    assert "there is no metric 'accurcy'; known: accuracy, balanced-accuracy" in wrong.err
    assert "--repeats 'x': expected" in nearkin("compare", iris_csv, "--repeats", "x").err


def test_nothing_finished_is_a_failure(nearkin, iris_csv):
    called = nearkin(
        "compare", iris_csv, "--target", "species", "--learners", "rca", "--time-budget", "0.001s"
    )
    assert called.code == 1
    assert "nothing finished" in called.err
    assert "Nothing beats" not in called.out


def test_an_interrupt_prints_the_table_and_how_to_continue(nearkin, iris_csv, tmp_path, monkeypatch):
    from nearkin.evaluation import contest

    def interrupted(tasks, **how):
        raise KeyboardInterrupt

    monkeypatch.setattr(contest, "do_tasks", interrupted)
    options = ("--target", "species", "--learners", "rca", *QUICK)
    called = nearkin("compare", iris_csv, *options, "--results", tmp_path / "r.sqlite")
    assert called.code == 130
    assert "RCA" in called.out
    assert "stopped; to continue: nearkin" in called.err


def test_a_results_file_that_is_none_is_named(nearkin, iris_csv, tmp_path):
    other = tmp_path / "notes.sqlite"
    other.write_text("these are notes, and many of them " * 100)
    called = nearkin("compare", iris_csv, "--target", "species", *QUICK, "--results", other)
    assert called.code == 1
    assert "notes.sqlite is not a nearkin results file" in called.err
