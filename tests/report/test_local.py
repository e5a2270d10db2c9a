import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from nearkin import LPD, RCA, MoLMNN
from nearkin.report.local import local_views

IRIS = load_iris()
NAMES = ["sepal length", "sepal width", "petal length", "petal width"]

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def fitted(learner):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return learner.fit(IRIS.data, IRIS.target)


def views_of(learner):
    def name(codes):
        return IRIS.target_names[codes].tolist()

    return local_views("L", learner, IRIS.data, IRIS.target, NAMES, name)


def check_parts(views):
    assert sum(sum(part.shares.values()) for part in views.parts) == 150
    for part in views.parts:
        assert list(part.weights) == NAMES
        assert max(part.weights.values()) == 1.0
        assert len(part.x) == len(part.y) == len(part.labels) == sum(part.shares.values())


def test_prototypes_share_the_points_among_them():
    learner = fitted(LPD(n_prototypes=2, max_epochs=5, random_state=0))
    views = views_of(learner)
    check_parts(views)
    assert views.kind == "prototype"
    assert [part.name for part in views.parts][:3] == ["setosa · 1", "setosa · 2", "versicolor · 1"]
    # Each prototype owns the points that it predicts.
    predicted = np.bincount(learner.predict(IRIS.data), minlength=3)
    owned = [
        sum(sum(p.shares.values()) for p in views.parts if p.name.startswith(str(c)))
        for c in IRIS.target_names
    ]
    assert owned == predicted.tolist()


def test_regions_share_the_points_among_them():
    learner = fitted(MoLMNN(n_regions=2, n_components=1, max_iter=3, random_state=0))
    views = views_of(learner)
    check_parts(views)
    assert [part.name for part in views.parts] == ["region 1", "region 2"]
    assert [sum(p.shares.values()) for p in views.parts] == np.bincount(
        learner.region(IRIS.data), minlength=2
    ).tolist()


def test_learners_of_one_metric_have_no_parts():
    assert views_of(fitted(RCA())) is None
