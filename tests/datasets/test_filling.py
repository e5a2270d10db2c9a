import numpy as np
import pytest
from sklearn.impute import KNNImputer

from nearkin.datasets.filling import NearRowsFiller, column_filler


@pytest.mark.parametrize(("impute", "expected"), [("median", 3.0), ("mean", 4.0), ("most-frequent", 2.0)])
def test_figures_of_the_column(impute, expected):
    X = np.array([[2.0], [2.0], [4.0], [8.0], [np.nan]])
    assert column_filler(impute, number=True).fit(X).transform(X)[-1, 0] == expected
    assert column_filler(impute, number=False).fit(X).transform(X)[-1, 0] == 2.0


def test_near_rows_decide_whatever_the_units():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:, 0] += 2
    filled = NearRowsFiller().fit(X).transform(X)
    units = np.array([1e-3, 1.0, 1e4])
    np.testing.assert_allclose(NearRowsFiller().fit(X * units).transform(X * units), filled * units)
    assert np.abs(KNNImputer().fit_transform(X * units) / units - filled).max() > 0.01
    known = ~np.isnan(X)
    np.testing.assert_array_equal(filled[known], X[known])
    assert np.isfinite(filled).all()


def test_a_feature_nobody_knows_and_single_precision():
    X = np.float32([[1, np.nan], [2, np.nan], [np.nan, np.nan]])
    filled = NearRowsFiller().fit(X).transform(X)
    assert filled.dtype == np.float32
    assert np.isfinite(filled).all()
    assert filled[2, 0] == pytest.approx(1.5)
