"""What strangers bring, for every learner made of scatters: a right answer or a clear error."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from nearkin import KNNClassifier
from nearkin.learners.closed_form.dmlmj import DMLMJ
from nearkin.learners.closed_form.gmml import GMML
from nearkin.learners.closed_form.lfda import LFDA
from nearkin.learners.closed_form.mlev import ANMM, MLEV

X, y = load_wine(return_X_y=True)
X = scale(X)
LEARNERS = [
    GMML(euclid_share=0.0),
    GMML(equivariant=True, pairs_from="nearest", euclid_share=0.0),
    DMLMJ(euclid_share=0.0),
    DMLMJ(kernel="rbf", random_state=0, euclid_share=0.0),
    MLEV(euclid_share=0.0),
    MLEV("local", euclid_share=0.0),
    ANMM(euclid_share=0.0),
    LFDA(euclid_share=0.0),
    LFDA(kernel="rbf", random_state=0, euclid_share=0.0),
]
LINEAR = [learner for learner in LEARNERS if getattr(learner, "kernel", None) is None]
FROM_PAIRS = [
    GMML(euclid_share=0.0),
    GMML(t=0.5, euclid_share=0.0),
    DMLMJ(euclid_share=0.0),
    DMLMJ(n_components=None, euclid_share=0.0),
]


@pytest.fixture(params=LEARNERS, ids=str)
def learner(request):
    return clone(request.param)


@pytest.fixture(params=LINEAR, ids=str)
def linear(request):
    return clone(request.param)


@pytest.fixture(params=FROM_PAIRS, ids=str)
def from_pairs(request):
    return clone(request.param)


def errors(learner, rows, labels):
    return np.sum(
        KNNClassifier(learner, n_neighbors=1).fit(rows[::2], labels[::2]).predict(rows[1::2]) != labels[1::2]
    )


def test_wine_is_told_apart(learner):
    assert errors(learner, X, y) <= 8


def test_fits_agree_and_report_one_step(learner):
    first = learner.fit(X, y).transform(X)
    np.testing.assert_array_equal(first, clone(learner).fit(X, y).transform(X))
    assert learner.n_iter_ == 1
    assert np.isfinite(learner.objective_)


def test_one_class_is_an_error(learner):
    with pytest.raises(ValueError, match="only one class"):
        learner.fit(X, np.zeros(len(X)))


def test_classes_of_one_row_each_are_an_error(learner):
    with pytest.raises(ValueError, match="at least two rows"):
        learner.fit(X[:12], np.arange(12))


def test_single_classes_of_one_row_are_survived(learner):
    labels = y.copy()
    labels[[3, 70, 150]] = [7, 8, 9]
    assert errors(learner, X, labels) <= 12


def test_rows_that_appear_in_several_classes_are_survived(learner):
    rows, labels = np.r_[X, X[:40], X[:40]], np.r_[y, (y[:40] + 1) % 3, y[:40]]
    assert np.isfinite(learner.fit(rows, labels).transform(X)).all()


def test_more_features_than_rows(learner):
    rng = np.random.default_rng(0)
    wide = np.c_[3 * X, rng.normal(size=(len(X), 300))][::2]
    Z = learner.fit(wide, y[::2]).transform(wide)
    assert np.isfinite(Z).all()
    assert Z.shape[1] <= len(wide)
    assert np.ptp(Z) > 0


def test_more_features_than_rows_lose_nothing_by_a_rotation_into_their_span(linear):
    rng = np.random.default_rng(0)
    # Forty features of which the rows span thirteen, and the same rows in thirteen coordinates.
    basis = np.linalg.qr(rng.normal(size=(40, 13)))[0]
    few, labels = X[::8], y[::8]
    narrow, wide = (clone(linear).fit(rows, labels) for rows in (few, few @ basis.T))
    found, expected = wide.distance_.pairwise(X @ basis.T, few @ basis.T), narrow.distance_.pairwise(X, few)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


def test_one_feature(learner):
    Z = learner.fit(X[:, :1], y).transform(X[:, :1])
    assert np.isfinite(Z).all()
    assert np.ptp(Z) > 0


def test_constant_features_have_no_weight(linear):
    constant = np.c_[X, np.full(len(X), 5.0)]
    np.testing.assert_array_equal(linear.fit(constant, y).components_[:, -1], 0)
    found = linear.distance_.pairwise(constant[:9], constant)
    np.testing.assert_allclose(found, clone(linear).fit(X, y).distance_.pairwise(X[:9], X), atol=1e-9)


def test_repeated_features_are_survived(learner):
    assert errors(learner, np.c_[X, X[:, :4]], y) <= 8


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_rows_all_alike_are_survived(linear):
    linear.fit(np.ones((10, 3)), np.arange(10) % 2)
    assert np.isfinite(linear.components_).all()


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_the_features_changes_no_neighbour(learner, unit):
    def nearest(rows):
        model = KNNClassifier(clone(learner), n_neighbors=1).fit(rows[::2], y[::2])
        return model.kneighbors(rows[1::2])[1]

    assert np.mean(nearest(unit * X) == nearest(X)) > 0.97


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_features_of_very_different_size_leave_nothing_undefined(learner, unit):
    mixed = X * np.where(np.arange(13) == 2, unit, 1.0)
    assert np.isfinite(learner.fit(mixed, y).transform(mixed)).all()


def test_single_precision_is_kept(learner):
    Z = learner.fit(X.astype(np.float32), y).transform(X.astype(np.float32))
    assert Z.dtype == np.float32
    assert getattr(learner, "components_", Z).dtype == np.float32
    double = clone(learner).fit(X, y).transform(X)
    assert Z.shape == double.shape
    np.testing.assert_allclose(Z, double, atol=2e-2 * np.abs(double).max())


def test_missing_values_are_an_error(learner):
    broken = X.copy()
    broken[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        learner.fit(broken, y)


PAIRS = np.array(
    [[0, 1], [2, 3], [60, 61], [0, 60], [1, 150], [61, 151], [150, 151], [4, 90], [5, 6], [91, 5]]
)
SIMILAR = np.array([1, 1, 1, 0, 0, 0, 1, 0, 1, 0])


def test_contradictory_pairs_are_survived(from_pairs):
    twice = np.r_[PAIRS, PAIRS]
    from_pairs.fit(X, pairs=twice, similar=np.r_[SIMILAR, 1 - SIMILAR])
    assert np.isfinite(from_pairs.components_).all()


def test_only_similar_pairs_are_enough(from_pairs):
    from_pairs.fit(X, pairs=PAIRS[SIMILAR == 1])
    assert np.isfinite(from_pairs.components_).all()
    # Along the directions learned, similar pairs lie closer than rows do in general.
    everything = from_pairs.distance_.pairwise(X, X).mean()
    assert np.mean(from_pairs.pair_distances(X, PAIRS[SIMILAR == 1]) ** 2) < 0.5 * everything


def test_only_dissimilar_pairs_are_an_error(from_pairs):
    with pytest.raises(ValueError, match="similar pairs"):
        from_pairs.fit(X, pairs=PAIRS, similar=np.zeros(10))


def test_rows_that_do_not_exist_are_an_error(from_pairs):
    with pytest.raises(ValueError, match="names row 178"):
        from_pairs.fit(X, pairs=[[0, 178]])


def test_a_pair_of_equal_rows_adds_nothing_but_its_count(from_pairs):
    from_pairs.fit(X, pairs=np.r_[PAIRS, [[7, 7]]], similar=np.r_[SIMILAR, 1])
    assert np.isfinite(from_pairs.components_).all()
    from_pairs.fit(X, pairs=[[7, 7], [1, 80]], similar=[1, 0])
    assert np.isfinite(from_pairs.components_).all()


@pytest.mark.parametrize(
    "from_pairs",
    [GMML(t=0.5, euclid_share=0.0), DMLMJ(n_components=None, euclid_share=0.0)],
    ids=str,
    indirect=True,
)
def test_a_weight_of_two_is_a_pair_given_twice(from_pairs):
    weights = [2] + [1] * 8 + [0]
    weighted = from_pairs.fit(X, pairs=PAIRS, similar=SIMILAR, constraint_weight=weights)
    weighted = weighted.get_mahalanobis_matrix()
    again = from_pairs.fit(X, pairs=np.r_[PAIRS[:1], PAIRS[:9]], similar=np.r_[1, SIMILAR[:9]])
    again = again.get_mahalanobis_matrix()
    np.testing.assert_allclose(weighted, again, rtol=1e-6, atol=1e-9 * np.abs(again).max())


def test_labels_and_pairs_together_are_an_error(from_pairs):
    with pytest.raises(ValueError, match="one kind of supervision"):
        from_pairs.fit(X, y, pairs=PAIRS)
