"""The measurements behind the reasons that papers' declarations give, on made-up sets."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import MinMaxScaler

from benchmarks import printed_reasons
from nearkin.datasets import Dataset
from nearkin.evaluation import RandomSplits
from nearkin.experiments.papers.gonzalez2016 import NEIGHBOURS
from nearkin.experiments.relative_error import VARYING_ARRMSE


@pytest.fixture
def small_sets(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))

    def load(name):
        if name.startswith("mtr-"):
            return Dataset(name, X, X[:, :2] + rng.normal(size=(90, 2)), "regression")
        return Dataset(name, X, (X[:, 0] > 0).astype(int), "classification")

    sets = {name: load(name) for name in ("mtr-atp1d", "heart-statlog")}
    monkeypatch.setattr(printed_reasons, "load_dataset", sets.__getitem__)
    return sets


def test_the_best_point_of_the_curve_on_each_split(small_sets):
    data = small_sets["mtr-atp1d"]
    best = []
    for split in RandomSplits(3, 136 / 337, stratified=False).splits(data.y, 0):
        scaler = MinMaxScaler().fit(data.X[split.train])
        train, test = scaler.transform(data.X[split.train]), scaler.transform(data.X[split.test])
        curve = [
            KNeighborsRegressor(count).fit(train, data.y[split.train]).predict(test) for count in NEIGHBOURS
        ]
        best.append(min(VARYING_ARRMSE.compute(data.y[split.test], a, data.y[split.train]) for a in curve))
    assert printed_reasons.on_random_splits("atp1d", 3)["KNN-SP"] == pytest.approx(best)


def test_both_parts_are_told_beside_the_printed_numbers(small_sets, capsys):
    printed_reasons.main(["splits", "thirds", "--set", "atp1d", "--set", "Heart", "--draws", "2"])
    head, _, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("| set | method | mean")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert [row[:2] for row in rows] == [
        ["atp1d", "KNN-SP"],
        ["Heart", "Euclid"],
        ["Heart", "LMCA"],
        ["Heart", "LMNN"],
    ]
    assert [row[7] for row in rows] == ["0.451", "", "82.44", "85.22"]
    assert all(60 < float(row[2]) <= 100 for row in rows[1:])


def test_one_draw_has_no_spread(capsys):
    with pytest.raises(SystemExit):
        printed_reasons.main(["splits", "--draws", "1"])
    assert "at least 2" in capsys.readouterr().err
