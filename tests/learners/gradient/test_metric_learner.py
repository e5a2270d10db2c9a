"""MetricLearner from pairs and triplets, through any map."""

import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from nearkin.learners.gradient import MetricLearner
from nearkin.losses import NCALoss
from nearkin.losses.pair_logistic import PairLogisticLoss
from nearkin.losses.triplet_hinge import TripletHingeLoss
from nearkin.maps import DiagonalMap, GatedMap, KernelMap, LinearMap
from nearkin.maps.unit import UnitMap
from nearkin.supervision.label_pairs import nearest_pairs
from nearkin.supervision.label_triplets import nearest_triplets

X, y = load_wine(return_X_y=True)
# Rows stand sorted by class: from labels they stay in their places, as they do from constraints.
X = scale(X)
MAPS = [LinearMap(), DiagonalMap(), KernelMap(n_landmarks=40), GatedMap(2), UnitMap()]


def pairs_of_labels(n, seed):
    rows = np.random.RandomState(seed).randint(len(X), size=(n, 2))
    return rows, y[rows[:, 0]] == y[rows[:, 1]]


def triplets_of_labels(n, seed):
    rows = np.random.RandomState(seed).randint(len(X), size=(4 * n, 3))
    return rows[(y[rows[:, 0]] == y[rows[:, 1]]) & (y[rows[:, 0]] != y[rows[:, 2]])][:n]


@pytest.mark.parametrize("map_", MAPS, ids=lambda map_: type(map_).__name__)
def test_any_map_learns_from_pairs(map_):
    rows, similar = pairs_of_labels(300, 0)
    learner = MetricLearner(map_, PairLogisticLoss(), max_iter=1000, tol=1e-2, random_state=0)
    learner.fit(X, pairs=rows, similar=similar)
    assert learner.objective_ < 0.8 * learner.history_[0]
    assert not hasattr(learner, "classes_")
    new, same = pairs_of_labels(300, 1)
    distances = learner.pair_distances(X, new)
    assert np.median(distances[same]) < 0.7 * np.median(distances[~same])


@pytest.mark.parametrize("map_", MAPS, ids=lambda map_: type(map_).__name__)
def test_any_map_learns_from_triplets(map_):
    learner = MetricLearner(map_, TripletHingeLoss(), max_iter=1000, tol=1e-2, random_state=0)
    learner.fit(X, triplets=triplets_of_labels(300, 0))
    new = triplets_of_labels(300, 1)
    in_order = learner.pair_distances(X, new[:, :2]) < learner.pair_distances(X, new[:, [0, 2]])
    assert learner.objective_ < 0.8 * learner.history_[0]
    assert in_order.mean() > 0.9


@pytest.mark.parametrize("map_", [LinearMap(init="identity"), DiagonalMap()])
def test_labels_turned_into_constraints_by_hand_give_the_identical_metric(map_):
    # What the learner sees: rows about their mean.
    centred = X - X.mean(axis=0)
    pairs = nearest_pairs(centred, y, 3, 3)
    by_labels = MetricLearner(map_, PairLogisticLoss(), tol=1e-3).fit(X, y)
    by_hand = MetricLearner(map_, PairLogisticLoss(), tol=1e-3).fit(
        X, pairs=np.c_[pairs.left, pairs.right], similar=pairs.similar
    )
    np.testing.assert_array_equal(by_hand.components_, by_labels.components_)
    triplets = nearest_triplets(centred, y, 3, 10)
    by_labels = MetricLearner(map_, TripletHingeLoss(), tol=1e-3).fit(X, y)
    by_hand = MetricLearner(map_, TripletHingeLoss(), tol=1e-3).fit(
        X, triplets=np.c_[triplets.anchor, triplets.near, triplets.far]
    )
    np.testing.assert_array_equal(by_hand.components_, by_labels.components_)


def test_rows_keep_their_numbers_whatever_their_order():
    rows, similar = pairs_of_labels(200, 0)
    order = np.random.RandomState(0).permutation(len(X))
    learner = MetricLearner(DiagonalMap(), PairLogisticLoss(), tol=1e-3)
    plain = learner.fit(X, pairs=rows, similar=similar).components_
    shuffled = learner.fit(X[order], pairs=np.argsort(order)[rows], similar=similar).components_
    np.testing.assert_allclose(shuffled, plain, rtol=1e-5)


def test_weight_zero_is_leaving_out():
    rows, similar = pairs_of_labels(200, 0)
    kept = np.arange(200) % 3 > 0
    learner = MetricLearner(DiagonalMap(), PairLogisticLoss(), tol=1e-3)
    part = learner.fit(X, pairs=rows[kept], similar=similar[kept]).components_
    zero = learner.fit(X, pairs=rows, similar=similar, constraint_weight=kept.astype(float)).components_
    np.testing.assert_array_equal(zero, part)


def test_constraints_pass_through_pipelines_and_routing():
    rows, similar = pairs_of_labels(200, 0)
    raw = 3 * X + 1
    learner = MetricLearner(DiagonalMap(), PairLogisticLoss(), tol=1e-3)
    plain = make_pipeline(StandardScaler(), learner).fit(
        raw, metriclearner__pairs=rows, metriclearner__similar=similar
    )
    expected = plain[-1].components_
    with config_context(enable_metadata_routing=True):
        asked = MetricLearner(DiagonalMap(), PairLogisticLoss(), tol=1e-3)
        asked.set_fit_request(pairs=True, similar=True)
        routed = make_pipeline(StandardScaler(), asked).fit(raw, pairs=rows, similar=similar)
    np.testing.assert_array_equal(routed[-1].components_, expected)


def test_float32_is_kept():
    rows, similar = pairs_of_labels(200, 0)
    learner = MetricLearner(LinearMap(2), PairLogisticLoss(), tol=1e-3)
    assert learner.fit(X.astype(np.float32), pairs=rows, similar=similar).components_.dtype == np.float32


def test_warnings_point_at_the_caller():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        MetricLearner(loss=PairLogisticLoss(), max_iter=1).fit(X, y)
    assert caught[0].filename == __file__


class TestBadInput:
    def test_two_kinds_of_supervision(self):
        with pytest.raises(ValueError, match="y and pairs"):
            MetricLearner(loss=PairLogisticLoss()).fit(X, y, pairs=[[0, 1]])

    def test_none_at_all(self):
        with pytest.raises(ValueError, match="pairs or triplets"):
            MetricLearner(loss=PairLogisticLoss()).fit(X)

    def test_a_loss_that_knows_no_pairs(self):
        with pytest.raises(ValueError, match="NCALoss does not learn from pairs"):
            MetricLearner(loss=NCALoss()).fit(X, pairs=[[0, 1]])

    def test_triplets_for_a_loss_of_pairs(self):
        with pytest.raises(ValueError, match="TripletHingeLoss"):
            MetricLearner(loss=PairLogisticLoss()).fit(X, triplets=[[0, 1, 2]])

    def test_similar_without_pairs(self):
        with pytest.raises(ValueError, match="similar belongs to pairs"):
            MetricLearner(loss=TripletHingeLoss()).fit(X, triplets=[[0, 1, 2]], similar=[True])

    def test_sample_weight_with_constraints(self):
        with pytest.raises(ValueError, match="constraint_weight"):
            MetricLearner(loss=TripletHingeLoss()).fit(X, None, np.ones(len(X)), triplets=[[0, 1, 2]])

    def test_rows_that_do_not_exist(self):
        with pytest.raises(ValueError, match="names row 178"):
            MetricLearner(loss=TripletHingeLoss()).fit(X, triplets=[[0, 1, 178]])
