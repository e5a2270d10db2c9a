"""Graphs and radii against scikit-learn's, on data without ties."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NearestNeighbors

from nearkin import LMNN, KNNClassifier, KNNRegressor

RNG = np.random.default_rng(0)
X, QUERIES = RNG.normal(size=(60, 3)), RNG.normal(size=(25, 3))
Y = RNG.integers(2, size=60)
OURS = KNNClassifier(n_neighbors=4).fit(X, Y)
THEIRS = NearestNeighbors(n_neighbors=4).fit(X)


@pytest.mark.parametrize("queries", [QUERIES, None], ids=["new", "training"])
@pytest.mark.parametrize("mode", ["connectivity", "distance"])
class TestGraphs:
    def test_nearest(self, queries, mode):
        ours, theirs = (model.kneighbors_graph(queries, 3, mode) for model in (OURS, THEIRS))
        np.testing.assert_allclose(ours.toarray(), theirs.toarray())

    def test_radius(self, queries, mode):
        ours = OURS.radius_neighbors_graph(queries, 0.8, mode)
        theirs = THEIRS.radius_neighbors_graph(queries, 0.8, mode)
        np.testing.assert_allclose(ours.toarray(), theirs.toarray())


@pytest.mark.parametrize("queries", [QUERIES, None], ids=["new", "training"])
@pytest.mark.parametrize("radius", [0.0, 0.7, 100.0])
def test_radius_neighbours(queries, radius):
    ours = OURS.radius_neighbors(queries, radius, sort_results=True)
    theirs = THEIRS.radius_neighbors(queries, radius, sort_results=True)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.shape == other.shape
        for a, b in zip(mine, other, strict=True):
            np.testing.assert_allclose(a, b)


def test_the_learned_distance_is_used():
    learner = LMNN(n_components=2, max_iter=5, refresh_targets=0)
    model = KNNClassifier(learner, n_neighbors=4)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, Y)
    embedded = NearestNeighbors(n_neighbors=4).fit(model.learner_.transform(X))
    expected = embedded.radius_neighbors_graph(model.learner_.transform(QUERIES), 1.0, "distance")
    np.testing.assert_allclose(
        model.radius_neighbors_graph(QUERIES, 1.0, "distance").toarray(), expected.toarray()
    )


def test_radius_under_another_metric():
    ours = KNNRegressor(metric="manhattan").fit(X, Y).radius_neighbors(QUERIES, 1.5, sort_results=True)
    theirs = NearestNeighbors(metric="manhattan").fit(X).radius_neighbors(QUERIES, 1.5, sort_results=True)
    for a, b in zip(ours[1], theirs[1], strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("bad", [-1, "wide", None])
def test_senseless_radius(bad):
    with pytest.raises(ValueError, match="radius"):
        OURS.radius_neighbors(QUERIES, bad)


def test_unknown_mode():
    with pytest.raises(ValueError, match="mode='edges'"):
        OURS.kneighbors_graph(QUERIES, mode="edges")
