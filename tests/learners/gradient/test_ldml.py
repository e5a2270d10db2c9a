"""LDML: its objective, its use for verification, and awkward data."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import scale

from nearkin.learners.gradient.ldml import LDML
from nearkin.predictors.pairs import PairClassifier
from nearkin.supervision.label_pairs import nearest_pairs

X, y = load_iris(return_X_y=True)
ROWS = np.random.RandomState(0).randint(len(X), size=(120, 2))
SIMILAR = y[ROWS[:, 0]] == y[ROWS[:, 1]]


def test_metric_and_threshold_learned_together_find_nothing_better():
    """The joint problem over M = A'A and b, by SciPy, from another start."""
    V = X[ROWS[:, 0]] - X[ROWS[:, 1]]
    signs = np.where(SIMILAR, 1, -1)

    def loss(parameters):
        A, b = parameters[:-1].reshape(4, 4), parameters[-1]
        return np.mean(np.logaddexp(0, signs * (((V @ A.T) ** 2).sum(axis=1) - b)))

    theirs = min(
        minimize(loss, np.r_[size * np.eye(4).ravel(), 1.0], options={"maxiter": 2000}).fun
        for size in (0.5, 1.0)
    )
    ours = LDML(temperature=1.0, max_iter=2000, tol=1e-10, euclid_share=0.0).fit(
        X, pairs=ROWS, similar=SIMILAR
    )
    assert ours.objective_ == pytest.approx(theirs, abs=2e-4)


def test_verification_gains_from_it():
    wine, labels = load_wine(return_X_y=True)
    noisy = np.c_[scale(wine), np.random.RandomState(0).standard_normal((len(wine), 20))]
    rows = np.random.RandomState(1).randint(len(wine), size=(600, 2))
    same = labels[rows[:, 0]] == labels[rows[:, 1]]
    plain, learned = (
        cross_val_score(PairClassifier(learner, points=noisy), rows, same, scoring="roc_auc", cv=3).mean()
        for learner in (None, LDML(5, tol=1e-3, euclid_share=0.0))
    )
    assert learned > plain + 0.1


def test_labels_turned_into_pairs_by_hand_give_the_identical_metric():
    # Iris is full of ties, which any rounding would break in another way.
    untied = X + 0.01 * np.random.RandomState(0).standard_normal(X.shape)
    pairs = nearest_pairs(untied - untied.mean(axis=0), y, 3, 3)
    by_labels = LDML(init="identity", euclid_share=0.0).fit(untied, y)
    by_hand = LDML(init="identity").fit(untied, pairs=np.c_[pairs.left, pairs.right], similar=pairs.similar)
    np.testing.assert_array_equal(by_hand.components_, by_labels.components_)
    assert hasattr(by_labels, "classes_")
    assert not hasattr(by_hand, "classes_")


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_the_features_does_not_matter(unit):
    plain = LDML(euclid_share=0.0).fit(X, pairs=ROWS, similar=SIMILAR)
    scaled = LDML(euclid_share=0.0).fit(unit * X, pairs=ROWS, similar=SIMILAR)
    assert scaled.objective_ == pytest.approx(plain.objective_, rel=1e-3)


@pytest.mark.parametrize(
    ("data", "rows", "similar"),
    [
        (np.arange(10.0)[:, None], [[0, 1], [0, 9]], [1, 0]),
        (np.random.RandomState(0).standard_normal((12, 40)), [[0, 1], [2, 3]], [1, 0]),
        (X, [[0, 1], [0, 1], [5, 6]], [1, 0, 0]),
        (X, [[0, 0], [1, 1], [5, 100]], [1, 0, 0]),
        (np.ones((12, 2)), [[0, 1], [2, 3]], [1, 0]),
    ],
    ids=["one feature", "d > n", "contradiction", "a row and itself", "constant"],
)
def test_awkward_pairs_are_survived(data, rows, similar):
    fitted = LDML(max_iter=1000, tol=1e-3, euclid_share=0.0).fit(data, pairs=rows, similar=similar)
    assert np.isfinite(fitted.components_).all()
    assert fitted.objective_ <= fitted.history_[0]


@pytest.mark.parametrize(
    ("rows", "similar", "words"),
    [
        ([[0, 1], [1, 2]], None, "both kinds"),
        ([[0, 1], [1, 150]], [1, 0], "names row 150"),
        ([[0, 1], [1, 2]], [1, 0, 1], "one flag per pair"),
        ([[0, 1], [1, 2]], [1, 5], "booleans"),
        (np.empty((0, 2), int), None, "empty"),
    ],
)
def test_impossible_pairs_are_named(rows, similar, words):
    with pytest.raises(ValueError, match=words):
        LDML(euclid_share=0.0).fit(X, pairs=rows, similar=similar)


def test_single_samples_only_are_refused():
    with pytest.raises(ValueError, match="dissimilar"):
        LDML(euclid_share=0.0).fit(X[:3], [0, 1, 2])
