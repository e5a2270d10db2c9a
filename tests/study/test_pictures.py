import numpy as np
import pytest
from sklearn.datasets import load_iris

from nearkin import LPD, RCA, compare
from nearkin.study import pictures
from nearkin.study.pictures import views_of

X, Y = load_iris(return_X_y=True)
QUICK = {"folds": 2, "repeats": 1, "time_budget": None, "isolate": False, "n_neighbors": 3}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pictures_show_the_baseline_and_the_best_learner_with_neighbours():
    study = compare(X, Y, [RCA, LPD(max_epochs=3, random_state=0)], **QUICK)
    views = views_of(study)
    assert [panel.label for panel in views.embedding.panels] == ["Euclid", "RCA"]
    assert list(views.hubness) == ["Euclid", "RCA"]
    assert [view.label for view in views.confusion] == ["Euclid", study.comparison.learned().label]
    assert [view.label for view in views.local] == ["LPD"]
    shown = {"Euclid", study.comparison.learned().label}
    assert {label for label, cost in views.costs.items() if cost.size} == shown


def test_large_data_is_sampled():
    rows = np.random.default_rng(0).normal(size=(3500, 2))
    study = compare(rows, (rows[:, 0] > 0).astype(int), "euclid", **QUICK)
    looked_at = pictures._rows_to_look_at(study)
    assert len(looked_at) == len(np.unique(looked_at)) == pictures.MAX_ROWS_FITTED


def test_a_picture_that_cannot_be_made_costs_only_itself(monkeypatch):
    def fail(*_, **__):
        raise ValueError("no such picture")

    study = compare(X, Y, "rca", **QUICK)
    monkeypatch.setattr(pictures, "embedding_view", fail)
    with pytest.warns(UserWarning, match="left out of the report: no such picture"):
        views = views_of(study)
    assert views.embedding is None
    assert views.hubness
