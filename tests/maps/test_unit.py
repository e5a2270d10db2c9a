"""UnitMap: rows of length one, in training as afterwards."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nearkin.learners.gradient import MetricLearner
from nearkin.losses import NCALoss
from nearkin.maps import DiagonalMap, GatedMap, KernelMap
from nearkin.maps.unit import UnitMap

X, y = load_iris(return_X_y=True)


@pytest.mark.parametrize("inner", [None, DiagonalMap(), GatedMap(2), KernelMap(n_landmarks=20)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_fitted_distance_is_that_of_the_rows_in_training(inner, dtype):
    fitted = MetricLearner(UnitMap(inner), NCALoss(), tol=1e-2, random_state=0).fit(X.astype(dtype), y)
    Z = fitted.transform(X.astype(dtype))
    assert Z.dtype == dtype
    np.testing.assert_allclose(np.linalg.norm(Z, axis=1), 1, rtol=1e-5)
    D = ((Z[:, None] - Z) ** 2).sum(axis=2, dtype=np.float64)
    np.fill_diagonal(D, np.inf)
    P = np.exp(-D)
    hits = (P * (y[:, None] == y)).sum(axis=1) / P.sum(axis=1)
    assert fitted.objective_ == pytest.approx(1 - hits.mean(), rel=1e-4)
    assert not hasattr(fitted, "components_")


def test_lengths_do_not_matter_but_directions_do():
    map_, F = UnitMap(), np.random.RandomState(0).standard_normal((5, 3))
    theta = np.eye(3).ravel()
    Z = map_.forward(theta, F)[0]
    for scale in (1e-200, 1e200):
        np.testing.assert_allclose(map_.forward(theta, scale * F)[0], Z)


def test_zero_rows_stay_where_they_are():
    map_, F = UnitMap(), np.array([[0.0, 0.0], [0.0, 2.0]])
    Z, cache = map_.forward(np.eye(2).ravel(), F)
    np.testing.assert_array_equal(Z, [[0, 0], [0, 1]])
    assert np.isfinite(map_.pullback(np.ones((2, 2)), cache)).all()


def test_rows_to_come_may_lie_where_the_inner_map_says():
    rng = np.random.RandomState(0)
    wide = rng.standard_normal((5, 9))
    assert UnitMap().lift(wide, rng)(wide).shape == (5, 5)
    assert UnitMap().lasting_lift(wide, rng) is None
    np.testing.assert_array_equal(UnitMap(GatedMap()).lasting_lift(wide, rng).origin, wide.mean(axis=0))
