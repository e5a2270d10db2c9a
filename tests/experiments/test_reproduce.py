"""A tiny paper run from end to end."""

import numpy as np
import pandas as pd
import pytest

from nearkin.datasets import Dataset, dataset_from_table
from nearkin.evaluation import ResultsStore, StratifiedFolds
from nearkin.evaluation.measurement import attempt
from nearkin.experiments import load_paper, reproduce
from nearkin.experiments.claims import Claim, lower
from nearkin.experiments.outcome import Cell, ResultTable, Row, Shortfall, agreements
from nearkin.experiments.paper import DatasetUse, Setup, rows_for
from nearkin.experiments.reproduce import _plan, chosen_uses
from nearkin.experiments.tabulate import tables_by_part


def test_ours_stands_beside_the_published_number(tiny):
    table = tiny.tables[0]
    assert table.methods == ("NN", "Guess")
    assert table.without_estimator == ("Oracle",)
    iris, wine = table.rows
    assert (iris.dataset, wine.dataset) == ("Iris", "Wine")
    cell = iris.cells[0]
    assert 2 < cell.ours < 8
    assert cell.n_folds == 3
    assert cell.difference == pytest.approx(cell.ours - 4.2)
    assert cell.in_sd == pytest.approx(cell.difference / 0.6)
    assert wine.cells[0].in_sd is None


def test_claims_are_checked_on_both_sides(tiny):
    better, worse, untested = tiny.claims
    assert (better.here.answer, better.published.answer) == ("yes", "yes")
    assert (worse.here.answer, worse.here.count, worse.here.total) == ("no", 0, 2)
    assert untested.here.text == "not tested (no clock)"
    assert tiny.headline == (
        "1 of 2 claims of the paper hold, 1 does not, 1 could not be tested; 2 of 3 data sets took part."
    )


def test_claims_beyond_the_paper_are_counted_apart(make_paper):
    claims = (
        Claim("NN is better than guessing", lower("error", "NN", "Guess")),
        Claim("Guessing is better", lower("error", "Guess", "NN"), beyond=True),
    )
    found = reproduce(make_paper(claims=claims), datasets=["iris"], isolate=False)
    assert found.headline == (
        "1 of 1 claims of the paper hold; 0 of 1 claims beyond it hold, 1 does not; "
        "1 of 1 data sets took part."
    )
    assert [table.title for table in tables_by_part(found)["claims"]] == ["Claims", "Beyond the paper"]


def test_absent_sets_are_listed_with_how_to_get_them(tiny):
    (absent,) = tiny.absent
    assert absent.label == "Arabidopsis"
    assert "mldata" in absent.how


def test_statistics_of_the_paper(tiny):
    titles = [statistic.title for statistic in tiny.statistics]
    assert titles == ["Robustness", "Friedman and Finner", "Wilcoxon signed rank"]
    assert tiny.statistics[0].drawing["boxes"]["NN"] == [1.0, 1.0]
    assert tiny.statistics[1].drawing["ranks"] == {"NN": 1.0, "Guess": 2.0}


def test_agreement_tells_better_from_within_a_deviation_and_from_worse():
    def table(*cells):
        rows = tuple(Row(label, (cell,)) for label, cell in zip("abcd", cells))
        return ResultTable("T", "error", 1, False, ("A",), rows)

    cells = (
        Cell("A", 4.0, 1.0, 5, published=5.0, difference=-1.0),
        Cell("A", 5.5, 0.1, 5, published=5.0, published_sd=0.6, difference=0.5),
        Cell("A", 5.5, 0.6, 5, published=5.0, difference=0.5),
        Cell("A", 5.5, 9.0, 5, published=5.0, published_sd=0.4, difference=0.5),
    )
    (found,) = agreements([table(*cells)], ["A"], {("error", "d", "A"): "another form of the data"})
    assert (found.total, found.better, found.within, found.within_own) == (4, 1, 1, 1)
    assert found.worse == (Shortfall("d", 0.5, "another form of the data"),)
    assert found.own


def test_quick_cuts_rows_leaves_out_sets_and_says_so(make_paper):
    found = reproduce(make_paper(), quick=True, isolate=False)
    assert [(used.label, used.n_rows, used.all_rows) for used in found.used] == [("Iris", 60, 150)]
    assert {absent.label: absent.reason for absent in found.absent} == {
        "Wine": "left out of quick runs",
        "Arabidopsis": "not at hand",
    }
    assert "Fewer rows." in found.deviations
    assert found.claims[1].here.answer == "not tested"
    assert found.tables[0].rows[0].cells[0].n_folds == 2


def test_a_failing_method_is_told_and_decides_no_claim(make_paper, broken):
    found = reproduce(make_paper(broken), isolate=False)
    assert any("Guess on Wine" in line and "thirteen is too many" in line for line in found.failures)
    assert found.claims[0].here.total == 1
    assert found.tables[0].rows[1].cells[1].ours is None


def test_the_same_call_continues_from_the_store(make_paper, tmp_path):
    with ResultsStore.open(tmp_path / "runs.sqlite") as store:
        seen = []
        first = reproduce(make_paper(), datasets=["iris"], store=store, isolate=False)
        finished = [record.finished_at for record in store.results()]
        again = reproduce(make_paper(), datasets=["iris"], store=store, isolate=False, progress=seen.append)
        assert [record.finished_at for record in store.results()] == finished
    assert again.tables == first.tables
    assert again.work_seconds == first.work_seconds


def test_results_of_other_code_are_not_mixed_in(make_paper, tmp_path, monkeypatch):
    from nearkin.evaluation import tasks

    with ResultsStore.open(tmp_path / "runs.sqlite") as store:
        first = reproduce(make_paper(), datasets=["iris"], store=store, isolate=False)
        monkeypatch.setattr(tasks, "code_version", lambda estimator: "another")
        again = reproduce(make_paper(), datasets=["iris"], store=store, isolate=False)
        codes = [record.versions["code"] for record in store.results()]
    assert codes.count("another") == len(codes) // 2
    # The same seeds under either code: only the code makes a difference.
    assert again.tables == first.tables


def test_sets_are_found_by_name_alias_and_label():
    paper = load_paper("rajabzadeh2018")
    assert [use.label for use in chosen_uses(paper, ["liver", "Iris", "diabetes"])] == [
        "Diabetes",
        "Iris",
        "Liver",
    ]
    with pytest.raises(ValueError, match="no data set 'mushroom'"):
        chosen_uses(paper, ["mushroom"])


def test_only_the_methods_asked_for_are_run(make_paper):
    found = reproduce(make_paper(), datasets=["iris"], methods=["nn"], isolate=False)
    assert found.tables[0].methods == ("NN",)
    assert found.tables[0].without_estimator == ("Guess", "Oracle")
    assert [claim.here.answer for claim in found.claims] == ["not tested"] * 3
    assert found.command == 'nearkin reproduce tiny --datasets iris --methods "NN" --seed 0'
    with pytest.raises(ValueError, match="no method 'oracle'; it has: NN, Guess"):
        reproduce(make_paper(), methods=["Oracle"], isolate=False)


def test_rows_keep_the_shares_of_classes_and_only_wished_classes():
    y = np.repeat(["a", "b", "c"], [100, 50, 150])
    data = Dataset("toy", np.arange(300.0)[:, None], y, "classification")
    use = DatasetUse("toy", "Toy", classes=("a", "b"), quick_rows=30)
    assert len(rows_for(use, data, quick=False, seed=0)) == 150
    rows = rows_for(use, data, quick=True, seed=0)
    assert dict(zip(*np.unique(y[rows], return_counts=True))) == {"a": 20, "b": 10}
    assert (rows == rows_for(use, data, quick=True, seed=0)).all()
    assert (rows != rows_for(use, data, quick=True, seed=1)).any()
    with pytest.raises(ValueError, match="no classes"):
        rows_for(DatasetUse("toy", "Toy", classes=("z",)), data, quick=False, seed=0)


def test_as_many_rows_of_every_class_are_drawn_where_the_paper_says_so():
    y = np.repeat(["a", "b", "c"], [100, 20, 150])
    data = Dataset("toy", np.arange(270.0)[:, None], y, "classification")
    rows = rows_for(DatasetUse("toy", "Toy", per_class=40), data, quick=False, seed=0)
    assert dict(zip(*np.unique(y[rows], return_counts=True))) == {"a": 40, "b": 20, "c": 40}
    assert (np.diff(rows) > 0).all()
    assert rows[39] > 39


def test_rows_of_regression_sets_are_drawn_without_classes():
    data = Dataset("toy", np.arange(50.0)[:, None], np.arange(50.0), "regression")
    rows = rows_for(DatasetUse("toy", "Toy", max_rows=20), data, quick=False, seed=0)
    assert len(np.unique(rows)) == 20


def test_tables_are_encoded_inside_the_folds(make_paper):
    table = pd.DataFrame({"size": np.arange(40.0), "colour": list("rgb" * 13 + "z"), "kind": list("ab" * 20)})
    table.loc[0, "size"] = np.nan
    data = dataset_from_table(table, "toys", target="kind", impute="mean")
    paper = make_paper()
    setup = Setup(paper.datasets[0], data, StratifiedFolds(4), quick=False)
    tasks, _ = _plan(paper, [setup], seed=0)
    task = next(task for task in tasks if 39 in task.split.test and task.candidate.label == "NN")
    X, y = task.problem.rows(task.split.train)
    encoder = task.candidate.estimator.fit(X, y).named_steps["table"]
    # The colour of row 39 is in no training row, and the mean is theirs alone.
    assert list(encoder.get_feature_names_out()) == ["size", "colour=b", "colour=g", "colour=r"]
    filled = encoder.transform(table[["size", "colour"]])[0, 0]
    assert filled == pytest.approx(np.nanmean(table["size"].to_numpy()[task.split.train]))
    assert setup.encoded.n_features == 5
    assert attempt(task).status == "done"
