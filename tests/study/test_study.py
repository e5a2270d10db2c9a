"""A comparison as in a notebook: any data, read, resumed, reported, saved."""

import json
import re
import shutil
import warnings
from html import escape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine

import nearkin
from nearkin import NCA, RCA, Study, compare
from nearkin.datasets import Dataset
from nearkin.report.leaderboard import explanations
from nearkin.study.study import original_values

QUICK = {"folds": 3, "repeats": 1, "time_budget": None, "isolate": False}
X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A study of wine with a results file."""
    path = tmp_path_factory.mktemp("study") / "runs.sqlite"
    seen = []
    wine = load_wine()
    data = Dataset("wine", wine.data, wine.target, "classification", wine.feature_names)
    study = compare(data, learners="rca", references=True, results=path, progress=seen.append, **QUICK)
    return study, path, seen


def test_a_study_says_who_won_and_by_what(kept):
    study, _, seen = kept
    assert isinstance(study, Study)
    board = study.leaderboard
    assert board.index[0] == board["mean"].idxmax()
    assert {"RCA", "Euclid", "RBF SVM"} <= set(board.index)
    assert board.loc["Euclid", "baseline"]
    assert board.loc["RBF SVM", "reference"]
    competing = board[~board["reference"]]
    assert study.winner == competing["mean"].idxmax()
    assert (board["p_adjusted"] >= board["p_value"]).sum() == 5  # all but Euclid
    assert study.statement == study.comparison.statement
    assert len(seen) == len(board) * 3


def test_it_reads_well_in_a_terminal_and_in_a_notebook(kept):
    study, _, _ = kept
    text = str(study)
    assert text.startswith("wine: 178 rows, 13 features, 3 classes\n")
    explained = explanations(study.comparison)
    assert text.endswith("\n".join([study.statement, *explained]))
    widths = {len(line) for line in text.splitlines()[3:4]}
    assert all(len(line) <= max(widths) for line in text.split("\n\n")[1].splitlines())
    assert repr(study) == f"<Study of wine: 178 rows, 13 features, 3 classes; {study.statement}>"
    page = study._repr_html_()
    HTMLParser().feed(page)
    assert page.count("<tr") == 1 + len(study.leaderboard)
    (winner,) = re.findall(r'<tr style="font-weight: bold"><td[^>]*>([^<]*)<', page)
    assert winner == study.winner
    assert study.statement in page
    assert all(escape(sentence) in page for sentence in explained)
    json.dumps(study.to_dict(), allow_nan=False)


def test_the_same_call_continues_from_its_results(kept, tmp_path):
    study, path, _ = kept
    path = shutil.copy(path, tmp_path)
    again = compare(study.data, learners="rca", references=True, results=path, **QUICK)
    # Times differ from run to run: equal ones were read, not measured.
    assert again.leaderboard["fit_seconds"].equals(study.leaderboard["fit_seconds"])
    more = compare(study.data, learners=["rca", "nca"], references=True, results=path, **QUICK)
    assert more.leaderboard.loc["RCA", "fit_seconds"] == study.leaderboard.loc["RCA", "fit_seconds"]
    assert "NCA" in more.leaderboard.index


def test_the_report_is_written_and_its_views_are_kept(kept, tmp_path):
    from nearkin.report import report_results

    study, path, _ = kept
    written = study.report(tmp_path / "report.html")
    page = written.read_text(encoding="utf-8")
    for section in ("leaderboard", "embedding", "hubness", "confusion", "settings"):
        assert f'<section id="{section}"' in page
    assert f"Best: {study.winner}" in page
    again = report_results(path, tmp_path / "again.html", "wine")
    assert f"Best: {study.winner}" in again.read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="holds no comparison on 'beer'"):
        report_results(path, tmp_path / "again.html", "beer")


def test_the_winner_is_saved_with_where_it_came_from(kept, tmp_path):
    from nearkin.persistence import read_metadata

    study, _, _ = kept
    path = study.save(tmp_path / "winner.nearkin")
    model = nearkin.load(path)
    assert (model.predict(study.data.X) == study.fit().predict(study.data.X)).all()
    said = read_metadata(path)["metadata"]
    assert said["learner"] == study.winner
    assert said["scores"]["mean"] == study.comparison.row(study.winner).mean
    assert said["scores"]["reason"] == study.comparison.reason
    assert said["n_rows"] == 178
    # Another than the winner, by name.
    other = read_metadata(study.save(tmp_path / "euclid.nearkin", "Euclid"))["metadata"]
    assert other["learner"] == "Euclid"


def test_settings_chosen_most_often_are_those_of_the_model(kept):
    study, _, _ = kept
    setting = study.comparison.row("RCA").setting
    assert study.fit("RCA").get_params()["model__n_neighbors"] == setting["model__n_neighbors"]
    few = study.fit("RCA", np.arange(0, 178, 2))
    assert few.steps[-1][1].n_samples_fit_ == 89


def test_arrays_frames_sparse_rows_and_data_sets_give_the_same():
    names = load_iris().feature_names
    held = [
        compare(X, Y, "rca", scale="none", **QUICK),
        compare(pd.DataFrame(X, columns=names), pd.Series(Y, name="kind"), "rca", scale="none", **QUICK),
        compare(Dataset("iris", X, Y, "classification"), learners="rca", scale="none", **QUICK),
    ]
    scores = [study.leaderboard.loc["RCA", "scores"] for study in held]
    assert scores[0] == scores[1] == scores[2]
    with pytest.warns(UserWarning, match="left out: .*LMNN"):
        text = compare(sparse.csr_matrix(X), Y, n_neighbors=3, tune="none", **QUICK)
    assert "LMNN" not in text.leaderboard.index
    dense = compare(X, Y, "euclid", n_neighbors=3, scale="none", **QUICK)
    assert text.leaderboard.loc["Euclid", "scores"] == dense.leaderboard.loc["Euclid", "scores"]


def test_frames_of_categories_and_text_labels(tmp_path):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 90)
    frame = pd.DataFrame({"size": rng.normal(size=90), "colour": colour, "kind": colour})
    study = compare(frame[["size", "colour"]], frame["kind"], "rca", **QUICK)
    assert study.data.task == "classification"
    assert study.leaderboard.loc["Euclid", "mean"] > 0.9
    assert "blue" in study.report(tmp_path / "r.html").read_text(encoding="utf-8")


def test_several_numeric_targets():
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, (80, 3))
    targets = pd.DataFrame({"a": np.sin(rows[:, 0]), "b": rows[:, 1]})
    study = compare(pd.DataFrame(rows), targets, "euclid", n_neighbors=3, **QUICK)
    assert study.comparison.metric.name == "aRRMSE"
    assert study.data.target_names == ("a", "b")
    # Errors are relative to those of the training rows' mean.
    assert study.leaderboard.loc["Mean of the targets", "mean"] == pytest.approx(1.0, abs=0.05)
    assert "Wilcoxon p" in str(study)


def test_learners_by_name_class_and_instance():
    instances = [NCA(n_components=1), NCA(n_components=2), RCA, "lmnn"]
    study = compare(X, Y, instances, tune="quick", n_neighbors=3, **{**QUICK, "folds": 2})
    labels = {"Euclid", "NCA(n_components=1)", "NCA(n_components=2)", "RCA", "LMNN", "Majority class"}
    assert set(study.leaderboard.index) == labels
    # An instance keeps its settings.
    assert study.fit("NCA(n_components=2)").get_params()["model__learner__n_components"] == 2
    assert study.comparison.row("NCA(n_components=2)").setting == {}


def test_a_learner_of_ones_own_takes_part():
    class Own(RCA):
        summary = "RCA under another name"

    board = compare(X, Y, [Own, RCA], **QUICK).leaderboard
    assert board.loc["Own", "scores"] == board.loc["RCA", "scores"]


def test_any_candidate_may_be_the_baseline():
    study = compare(X, Y, "rca", baseline="RCA", n_neighbors=3, **QUICK)
    assert study.comparison.row("RCA").baseline
    assert study.leaderboard.loc["RCA", "p_value"] != study.leaderboard.loc["Euclid", "p_value"]
    assert "beats RCA?" in str(study)


@pytest.mark.slow
def test_worker_processes_give_the_same_results():
    here = compare(X, Y, "rca", **QUICK)
    there = compare(X, Y, "rca", folds=3, repeats=1, time_budget=None, jobs=2)
    assert there.leaderboard["scores"].equals(here.leaderboard["scores"])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"y": None}, TypeError, "y is missing"),
        ({"X": Dataset("d", X, Y, "classification")}, TypeError, "leave out y"),
        ({"y": np.zeros(150, int)}, ValueError, "'0' in every row"),
        ({"y": np.full(150, np.nan)}, ValueError, "y holds missing"),
        ({"y": Y[:-1]}, ValueError, "150 rows"),
        ({"X": pd.DataFrame(X), "y": Y[:-1]}, ValueError, "150 rows"),
        ({"learners": "LMMN"}, ValueError, "'LMNN'"),
        ({"learners": [3]}, TypeError, "3 is not a learner"),
        ({"learners": "dmlmtp"}, ValueError, "regression"),
        ({"scale": "big"}, ValueError, "scale='big'"),
        ({"tune": "much"}, ValueError, "tune='much'"),
        ({"n_neighbors": 500}, ValueError, "fewer neighbours"),
        ({"time_budget": "soon"}, ValueError, "time_budget='soon'"),
        ({"baseline": "SVM"}, ValueError, "baseline 'SVM' is not among"),
    ],
)
def test_mistakes_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        compare(**{"X": X, "y": Y, "learners": "rca", **QUICK, **arguments})


def test_values_that_json_cannot_keep_come_back_from_the_grid():
    from nearkin.evaluation import Candidate
    from nearkin.evaluation.fingerprints import describe

    prior = np.eye(2)
    candidate = Candidate("c", RCA(), [{"prior": [None, prior]}, {"k": [1]}])
    found = original_values(candidate, {"prior": describe(prior), "k": 1})
    assert found["prior"] is prior
    assert found["k"] == 1


def test_the_metric_decides_who_takes_part_and_is_told_where_accuracy_misleads():
    lopsided = (np.arange(150) % 15 == 0).astype(int)
    with pytest.warns(UserWarning, match=r"93.3 % of the rows are of class '0'"):
        compare(X, lopsided, "euclid", n_neighbors=3, **QUICK)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        study = compare(X, lopsided, "euclid", n_neighbors=3, metric="balanced-accuracy", **QUICK)
    assert study.leaderboard.loc["Majority class", "mean"] == 0.5
    with pytest.warns(UserWarning, match="recall@3 needs kneighbors; left out, as they have none: LPD, Maj"):
        found = compare(X, Y, ["rca", "lpd"], n_neighbors=3, metric="recall@3", **QUICK)
    assert set(found.leaderboard.index) == {"Euclid", "RCA"}
    assert 0 < found.leaderboard.loc["RCA", "mean"] < 0.2  # 3 of more than thirty
    with pytest.raises(ValueError, match="MAE is for regression"):
        compare(X, Y, "rca", metric="mae", **QUICK)


def test_repeats_are_for_those_that_may_win():
    noise = np.random.default_rng(0).standard_normal((150, 4))
    study = compare(
        np.hstack([X, 3 * noise]),
        Y,
        ["rca", "MoveQuery"],
        n_neighbors=3,
        scale="none",
        **{**QUICK, "repeats": "auto"},
    )
    board = study.leaderboard
    assert board.loc["Euclid", "n_repeats"] == board["n_repeats"].max()
    assert board.loc["Majority class", "n_repeats"] == 1
    assert board.loc["RCA", "verdict"] == "beats"
    assert board.loc["RCA", "chance_better"] > 0.95
    assert len(study.records) == board["n_folds"].sum()
    for wrong in (0, "often"):
        with pytest.raises(ValueError, match="repeats="):
            compare(X, Y, "rca", **{**QUICK, "repeats": wrong})


def test_too_few_rows_are_refused_before_any_work():
    with pytest.raises(ValueError, match="only 2 rows; a comparison trains"):
        compare(X[:2], ["a", "b"], **QUICK)
    with pytest.raises(ValueError, match="a class of its own"):
        compare(X[:8], list("abcdefgh"), **QUICK)


def test_the_saved_model_may_be_the_significant_one(kept, tmp_path):
    from nearkin.persistence import read_metadata

    study, _, _ = kept
    chosen = study.comparison.choose("significant")
    said = read_metadata(study.save(tmp_path / "sure.nearkin", "significant"))["metadata"]
    assert (said["learner"], said["scores"]["reason"]) == (chosen.standing.label, chosen.reason)


def test_the_protocol_says_whether_anything_was_tuned():
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    quick = {"learners": ["rca"], "folds": 3, "repeats": 1, "jobs": 1, "tune": "none"}
    fixed = compare(X, y, n_neighbors=3, **quick).to_dict()["facts"]["protocol"]
    assert fixed == "3-fold cross-validation, stratified, default settings"
    tuned = compare(X, y, **quick).to_dict()["facts"]["protocol"]
    assert tuned == "3-fold cross-validation, stratified, settings tuned inside the training folds"


@pytest.mark.parametrize("n_neighbors", [3, None])
def test_the_report_says_above_its_table_whether_anything_was_tuned(n_neighbors, tmp_path):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    study = compare(
        X, y, "rca", folds=3, repeats=1, jobs=1, isolate=False, tune="none", n_neighbors=n_neighbors
    )
    page = " ".join(study.report(tmp_path / "r.html").read_text(encoding="utf-8").split())
    assert ("settings were chosen inside the training folds only" in page) == (n_neighbors is None)
    assert ("on held-out folds, with fixed settings" in page) == (n_neighbors is not None)
