import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nearkin.datasets import DataError, Dataset
from nearkin.datasets.registry import check_shape, find_known, known_datasets
from nearkin.experiments import PAPERS

# Data sets by paper, as their tables and text name them.
NAMED = {
    "shigeto2017": "ionosphere balance-scale iris wine glass RCV News Reuters TDT AwA CUB SUN aPY",
    "zaidi2010": "balance hayesroth credit-screening dermatology sonar statlog-heart vowel monks1 monks2 "
    "monks3 ionosphere housevote hepatitis",
    "rajabzadeh2018": "australian-onehot balance cancer diabetes german glass heart ionosphere iris letter "
    "liver seeds sonar vehicle wine yeast isolet mnist semeion usps 20news",
    "semerci2013": "abalone arabidopsis australian bupa ctg faults german_numeric heart ionosphere mg musk "
    "optdigits pendigits pima segment sonar splice-60 transfusion wdbc yeast yale",
    "gonzalez2016": "waterquality edm sf1 sf2 jura enb slump andro osales scpf atp1d atp7d rf1 rf2 oes97 "
    "oes10",
}


@pytest.mark.parametrize("paper", NAMED)
def test_every_set_of_every_paper_is_declared(paper):
    declared = {name for name, known in known_datasets().items() if paper in known.papers}
    named = {find_known(name).name for name in NAMED[paper].split()}
    assert named == declared


def test_declarations_are_consistent():
    for known in known_datasets().values():
        assert known.task == ("regression" if known.targets else "classification")
        assert known.how_to_get
        assert re.fullmatch(r"[a-z0-9-]+", known.name)
        assert known.train < max(known.n, 1)
        assert set(known.papers) <= set(PAPERS)
        assert known.openml_missing in (None, "drop", "median")
        assert bool(known.package) == bool(known.files) == bool(known.layout)
    ids = [known.openml for known in known_datasets().values() if known.openml is not None]
    assert len(set(ids)) == len(ids)


def test_unknown_names_are_none():
    assert find_known("no-such-set") is None


def random_iris(n=150, d=4):
    return Dataset("iris", np.random.default_rng(0).normal(size=(n, d)), np.arange(n) % 3, "classification")


def test_shape_is_checked_and_both_are_told():
    known = find_known("iris")
    data = random_iris()
    assert check_shape(data, known) is data
    with pytest.raises(DataError, match=r"expected 150 rows, 4 features but found 149 rows, 5 features"):
        check_shape(random_iris(149, 5), known)
    with pytest.raises(DataError, match=r"expected 2 classes but found 3 classes"):
        check_shape(data, replace(known, classes=2))
    # What is not declared is not checked.
    assert check_shape(random_iris(99), replace(known, n=0))


def test_declarations_are_shipped_as_text_files():
    folder = Path(__import__("nearkin.datasets", fromlist=["x"]).__file__).parent / "known"
    assert {path.suffix for path in folder.iterdir()} == {".toml"}
