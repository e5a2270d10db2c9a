"""What a choice of settings could have brought, on a set that is at hand everywhere."""

from dataclasses import replace

import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks import short_cells
from nearkin.evaluation import StratifiedFolds
from nearkin.experiments import load_paper
from nearkin.experiments.estimators import neighbours
from nearkin.experiments.paper import Method


@pytest.fixture
def wine():
    paper = load_paper("rajabzadeh2018")
    return paper, next(use for use in paper.datasets if use.label == "Wine")


def test_the_plain_neighbour_is_told_standardised_and_raw(wine):
    X, y = load_wine(return_X_y=True)
    folds = [(split.train, split.test) for split in StratifiedFolds(10).splits(y, 0)][:3]
    nearest = KNeighborsClassifier(1)
    scaled = 100 * (1 - cross_val_score(make_pipeline(StandardScaler(), nearest), X, y, cv=folds).mean())
    raw = 100 * (1 - cross_val_score(nearest, X, y, cv=folds).mean())
    paper, use = wine
    plain = Method("1NN", lambda setup: neighbours("1NN", [StandardScaler()]))
    told = short_cells.report(replace(paper, methods=(plain,)), use, "1NN", 3)
    assert told == (
        f"Wine 1NN: 1 settings, best by test rows {scaled:.2f} (as it is); raw features {raw:.2f}"
    )


def test_every_setting_is_scored_and_the_best_is_named(wine):
    setup = short_cells.setup_of(*wine)
    method = next(one for one in wine[0].methods if one.label == "GLML")
    found = short_cells.errors_by_setting(setup, method.build(setup), 2)
    assert len(found) == method.build(setup).n_settings > 1
    best = min(found, key=found.__getitem__)
    assert f"best by test rows {found[best]:.2f} ({best})" in short_cells.report(*wine, "GLML", 2)
