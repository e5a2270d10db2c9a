"""MLKR is MEGM with one width for all."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.datasets import load_diabetes, load_iris
from sklearn.preprocessing import scale

from nearkin import MEGM, KNNRegressor
from nearkin.learners.gradient.mlkr import MLKR

X, y = load_diabetes(return_X_y=True)
X = scale(X)


@pytest.mark.parametrize("n_targets", [1, 2])
def test_objective_is_the_error_of_kernel_regression(n_targets):
    Y = np.c_[y, X[:, 2]][:, :n_targets]
    fitted = MLKR(2, tol=1e-3).fit(X, Y)
    D = cdist(fitted.transform(X), fitted.transform(X), "sqeuclidean")
    np.fill_diagonal(D, np.inf)
    targets = scale(Y)
    errors = ((targets - softmax(-D, axis=1) @ targets) ** 2).sum(axis=1)
    assert fitted.objective_ == pytest.approx(errors.mean(), rel=1e-4)


def test_it_is_megm_without_widths():
    mlkr = MLKR(3, tol=1e-3, early_stopping=False).fit(X, y)
    megm = MEGM(3, n_neighbors=None, task="regression", tol=1e-3, early_stopping=False).fit(X, y)
    np.testing.assert_array_equal(mlkr.components_, megm.components_)
    assert "n_neighbors" not in mlkr.get_params()
    assert "task" not in mlkr.get_params()


def test_whole_numbers_are_targets_not_classes():
    iris, labels = load_iris(return_X_y=True)
    fitted = MLKR(2, tol=1e-2).fit(iris, labels)
    assert not hasattr(fitted, "classes_")
    assert KNNRegressor(fitted, 5).fit(iris, labels).score(iris, labels) > 0.9


def test_neighbours_gain_from_it():
    noisy = np.c_[X, np.random.RandomState(0).standard_normal((len(X), 20))]
    train = np.arange(len(X)) % 2 == 0
    plain, learned = (
        KNNRegressor(learner, 15).fit(noisy[train], y[train]).score(noisy[~train], y[~train])
        for learner in (None, MLKR(2))
    )
    assert learned > plain
