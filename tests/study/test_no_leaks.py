"""What a fold's test rows hold must not reach its model: not as a mean, a category or a unit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from nearkin import RCA, load
from nearkin.datasets import DataNotice
from nearkin.evaluation import Candidate, Problem, StratifiedFolds, plan_tasks
from nearkin.evaluation.measurement import measure
from nearkin.study import compare
from nearkin.study.data import as_dataset
from nearkin.study.models import make_model

pytestmark = pytest.mark.filterwarnings("ignore::nearkin.datasets.DataNotice")
FITTED = []


class Recorder(KNeighborsClassifier):
    """Keeps the rows that it is fitted on, as the steps before it made them."""

    def fit(self, X, y):
        FITTED.append(X)
        return super().fit(X, y)


def table():
    """Row 0 has an outlier that would move every mean, and a category of its own."""
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"size": rng.normal(size=30), "hue": ["red", "blue", "red"] * 10})
    rows.loc[0] = [1e6, "only here"]
    rows.loc[1:6, "size"] = np.nan
    return rows, np.array(["p", "q"] * 15)


def test_encoder_filling_and_scaler_see_training_rows_alone():
    rows, y = table()
    data = as_dataset(rows, y, impute="mean")
    model = make_model(None, data.task, encoder=data.encoder).set_params(model=Recorder())
    candidate = Candidate("recorder", model, {"model__n_neighbors": [1, 3]}, ("model__n_neighbors",))
    for task in plan_tasks(Problem("table", data.X, data.y), [candidate], StratifiedFolds(3)):
        FITTED.clear()
        measure(task)
        *inner, outer = FITTED
        assert len(inner) == 3
        for seen in (*inner, outer):
            # A scaler that had seen other rows would leave means that are not zero.
            np.testing.assert_allclose(seen.mean(axis=0), 0, atol=1e-9)
        train = task.split.train
        assert outer.shape == (len(train), 3 + (0 in train)), "a column for a category of the test rows"
        # What fills a hole is the mean of the training rows, which the scaler puts at zero.
        np.testing.assert_allclose(outer[rows["size"].isna()[train], 0], 0, atol=1e-9)


def test_they_are_saved_with_the_model(tmp_path):
    rows, y = table()
    how = {"folds": 3, "repeats": 1, "time_budget": None, "isolate": False}
    study = compare(rows, y, RCA, impute="mean", **how)
    model = load(study.save(tmp_path / "m.nearkin", "RCA"))
    new = pd.DataFrame({"hue": ["never seen", "red"], "size": [None, 0.5]})
    with pytest.warns(DataNotice, match="never seen in training"):
        assert set(model.predict(new)) <= {"p", "q"}
