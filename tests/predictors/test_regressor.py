"""KNNRegressor: means of neighbours' targets, one or many."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsRegressor

from nearkin import DMLMTP, MEGM, KNNRegressor

X, y = load_diabetes(return_X_y=True)
TARGETS = np.column_stack([y, X[:, 0] * 100, -y])


@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("target", [y, TARGETS], ids=["one", "many"])
def test_agrees_with_scikit_learn(weights, target):
    ours = KNNRegressor(n_neighbors=7, weights=weights).fit(X[:300], target[:300])
    theirs = KNeighborsRegressor(n_neighbors=7, weights=weights).fit(X[:300], target[:300])
    np.testing.assert_allclose(ours.predict(X[300:]), theirs.predict(X[300:]))


def test_works_with_a_learner_for_several_targets():
    model = KNNRegressor(DMLMTP(), n_neighbors=5).fit(X, TARGETS)
    assert model.predict(X[:4]).shape == (4, 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_targets_must_be_finite(bad):
    broken = TARGETS.copy()
    broken[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        KNNRegressor().fit(X, broken)


def test_few_whole_numbers_are_still_numbers_to_a_regressor():
    counts = np.round(y / 50)
    model = KNNRegressor(MEGM(max_iter=5, early_stopping=False), n_neighbors=3)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, counts)
    assert model.learner_.task == "regression"
    assert not hasattr(model.learner_, "classes_")


def test_texts_are_no_regression_targets():
    with pytest.raises(ValueError, match=r"predicts numbers.*such as red.*KNNClassifier"):
        KNNRegressor().fit(X, np.where(y > 100, "red", "red"))


def test_a_number_in_the_place_of_the_learner_is_explained():
    with pytest.raises(TypeError, match=r"learner=5: expected a learner.*n_neighbors"):
        KNNRegressor(5).fit(X, y)
