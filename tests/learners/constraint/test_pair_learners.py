"""What every learner from pairs of this room owes its users, on the data they bring."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nearkin.learners.constraint.dml_eig import DMLEig
from nearkin.learners.constraint.itml import ITML
from nearkin.learners.constraint.lego import LEGO
from nearkin.learners.constraint.mmc import MMC
from nearkin.learners.constraint.sdml import SDML

LEARNERS = [
    ITML(euclid_share=0.0),
    ITML(prior="covariance", euclid_share=0.0),
    DMLEig(euclid_share=0.0),
    MMC(euclid_share=0.0),
    MMC(diagonal=True, euclid_share=0.0),
    SDML(euclid_share=0.0),
    LEGO(euclid_share=0.0),
]
#: Those that set similar pairs against dissimilar ones and need both.
NEED_BOTH = (DMLEig, MMC)
X, y = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)

pytestmark = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def assert_learned(learner, rows):
    M = learner.get_mahalanobis_matrix()
    assert np.isfinite(M).all()
    assert M.any()
    assert getattr(learner, "gap_", 0.0) <= learner.get_params().get("tol", 0.0)
    pairs = np.array([[0, 1], [len(rows) - 1, 0]])
    expected = np.linalg.norm((rows[pairs[:, 0]] - rows[pairs[:, 1]]) @ learner.components_.T, axis=1)
    np.testing.assert_allclose(learner.pair_distances(rows, pairs), expected, rtol=1e-3, atol=1e-5)


def test_labels_turned_into_pairs_by_hand_give_the_same_metric(learner):
    made = learner._constraints_of_labels(X, y)
    np.testing.assert_array_equal(made.similar, y[made.left] == y[made.right])
    from_labels = learner.fit(X, y).get_mahalanobis_matrix()
    by_hand = learner.fit(X, pairs=np.c_[made.left, made.right], similar=made.similar)
    np.testing.assert_allclose(by_hand.get_mahalanobis_matrix(), from_labels, rtol=1e-5, atol=1e-6)
    assert not hasattr(by_hand, "classes_")


def test_one_class_is_refused(learner):
    with pytest.raises(ValueError, match="one class"):
        learner.fit(X, np.zeros(150))


def test_singleton_classes(learner):
    labels = np.r_[y[:140], np.arange(3, 13)]
    assert_learned(learner.fit(X, labels), X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if isinstance(learner, NEED_BOTH):
            with pytest.raises(ValueError, match=r"similar pair|single row"):
                learner.fit(X[:8], np.arange(8))
        else:
            assert_learned(learner.fit(X[:8], np.arange(8)), X[:8])


def test_rows_that_occur_in_two_classes(learner):
    rows, labels = np.r_[X, X[:5]], np.r_[y, np.full(5, 2)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert_learned(learner.fit(rows, labels), rows)


def test_dissimilar_pairs_of_equal_rows_are_reported(learner):
    rows = np.r_[X[:100], X[:1]]
    given = {"pairs": [[0, 100], [0, 1], [0, 60]], "similar": [False, True, False]}
    if isinstance(learner, SDML | LEGO):  # they change nothing there: a scatter and a step of zero
        return assert_learned(learner.fit(rows, **given), rows)
    with pytest.warns(UserWarning, match="leaves out 1 of"):
        learner.fit(rows, **given)
    left_out = learner.get_mahalanobis_matrix()
    kept = learner.fit(rows, pairs=given["pairs"][1:], similar=given["similar"][1:]).get_mahalanobis_matrix()
    np.testing.assert_allclose(left_out, kept, rtol=1e-6, atol=1e-9)


def test_more_features_than_rows(learner):
    rows = RNG.normal(size=(20, 50))
    assert_learned(learner.fit(rows, np.arange(20) % 2), rows)


def test_one_feature(learner):
    assert_learned(learner.fit(X[:, 2:3], y), X[:, 2:3])


def test_constant_and_repeated_columns(learner):
    rows = np.c_[X, np.ones(150), X[:, 0]]
    assert_learned(learner.fit(rows, y), rows)


def test_contradictory_pairs(learner):
    pairs = [[0, 1], [0, 1], [2, 60], [2, 60]]
    assert_learned(learner.fit(X, pairs=pairs, similar=[1, 0, 1, 0]), X)


@pytest.mark.parametrize("similar", [True, False])
def test_pairs_of_one_kind_only(learner, similar):
    pairs = np.array([[0, 60], [1, 61], [2, 62], [3, 110]])
    if isinstance(learner, NEED_BOTH):
        with pytest.raises(ValueError, match=r"no (dis)?similar pair"):
            learner.fit(X, pairs=pairs, similar=np.full(4, similar))
    else:
        learner = learner.fit(X, pairs=pairs, similar=np.full(4, similar))
        assert_learned(learner, X)


def test_pairs_out_of_range_are_refused(learner):
    with pytest.raises(ValueError, match="names row 150"):
        learner.fit(X, pairs=[[0, 150]], similar=[True])


@pytest.mark.parametrize("scale", [2.0**-20, 2.0**20])  # ties between distances stay ties
def test_which_rows_are_near_does_not_depend_on_the_unit(learner, scale):
    pairs = np.c_[np.arange(149), np.arange(1, 150)]
    plain = learner.fit(X, y).pair_distances(X, pairs)
    scaled = learner.fit(scale * X, y).pair_distances(scale * X, pairs)
    np.testing.assert_allclose(scaled / scaled.mean(), plain / plain.mean(), rtol=1e-2, atol=1e-2)


def test_float32_is_kept(learner):
    learner.fit(X.astype(np.float32), y)
    assert learner.components_.dtype == np.float32
    assert learner.transform(X.astype(np.float32)).dtype == np.float32
    assert_learned(learner, X.astype(np.float32))


def test_pairs_reach_a_learner_inside_a_pipeline(learner):
    name = type(learner).__name__.lower()
    pairs = {f"{name}__pairs": [[0, 1], [2, 60], [5, 120]], f"{name}__similar": [True, False, False]}
    pipeline = make_pipeline(StandardScaler(), learner).fit(X, **pairs)
    assert pipeline.transform(X).shape[0] == 150
