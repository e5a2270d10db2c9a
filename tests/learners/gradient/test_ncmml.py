"""NCMML: the means it promises, its gain, and bad input."""

import numpy as np
import pytest
from scipy.special import log_softmax
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import scale

from nearkin import KNNClassifier
from nearkin.learners.gradient.ncmml import NCMML
from nearkin.losses.centre import CentreLoss

X, y = load_iris(return_X_y=True)


def test_objective_is_the_cross_entropy_of_class_means():
    fitted = NCMML(leave_one_out=False, temperature=1.0, tol=1e-3, random_state=0, euclid_share=0.0).fit(X, y)
    Z = fitted.transform(X)
    means = np.stack([Z[y == c].mean(axis=0) for c in range(3)])
    scores = log_softmax(-((Z[:, None] - means) ** 2).sum(axis=2) / 2, axis=1)
    assert fitted.objective_ == pytest.approx(-scores[np.arange(150), y].mean(), rel=1e-9)


def test_large_data_is_optimised_in_float32_to_the_same_objective():
    digits, labels = load_digits(return_X_y=True)
    fitted = NCMML(8, temperature=1.0, max_iter=300, tol=1e-3, euclid_share=0.0).fit(digits, labels)
    loss, Z = CentreLoss(temperature=1.0), fitted.transform(digits)
    assert Z.dtype == np.float64
    assert fitted.objective_ == pytest.approx(loss.value_and_grad(Z, loss.prepare(Z, labels))[0], rel=1e-4)
    assert fitted.objective_ < fitted.history_[0]


def test_neighbours_gain_from_it():
    wine, labels = load_wine(return_X_y=True)
    noise = np.random.RandomState(0).standard_normal((len(wine), 20))
    noisy = np.c_[scale(wine), noise]
    train = np.arange(len(wine)) % 2 == 0
    plain, learned = (
        KNNClassifier(learner, 3).fit(noisy[train], labels[train]).score(noisy[~train], labels[~train])
        for learner in (None, NCMML(2, random_state=0, euclid_share=0.0))
    )
    assert learned >= plain
    assert learned > 0.85


def test_several_centres_tell_classes_of_several_parts_apart():
    # Exclusive or: the means of the classes coincide.
    rng = np.random.RandomState(0)
    corners = rng.randint(2, size=(200, 2))
    data = np.c_[corners + 0.1 * rng.standard_normal((200, 2)), rng.standard_normal((200, 2))]
    labels = corners.sum(axis=1) % 2
    one, two = (
        NCMML(n_centres=k, max_iter=300, tol=1e-4, early_stopping=False, euclid_share=0.0).fit(data, labels)
        for k in (1, 4)
    )
    assert two.objective_ < 0.1 < one.objective_


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_the_unit_of_the_features_does_not_matter(unit):
    learner = NCMML(early_stopping=False, euclid_share=0.0)
    plain, scaled = learner.fit(X, y).objective_, learner.fit(unit * X, y).objective_
    assert scaled == pytest.approx(plain, rel=1e-3)


@pytest.mark.parametrize(
    ("data", "labels"),
    [
        (np.arange(10.0)[:, None], np.arange(10) % 2),
        (np.random.RandomState(0).standard_normal((12, 40)), np.arange(12) % 3),
        (np.tile(np.random.RandomState(0).standard_normal((5, 3)), (4, 1)), np.arange(20) // 10),
        (np.ones((12, 2)), np.arange(12) % 2),
        (np.random.RandomState(0).standard_normal((9, 2)), np.array([0, 0, 0, 0, 1, 1, 1, 1, 2])),
    ],
    ids=["one feature", "more features than rows", "rows in both classes", "constant", "lone row"],
)
def test_awkward_data_is_survived(data, labels):
    fitted = NCMML(max_iter=1000, tol=1e-3, random_state=0, euclid_share=0.0).fit(data, labels)
    assert np.isfinite(fitted.components_).all()
    assert fitted.objective_ <= fitted.history_[0]


def test_features_that_hardly_vary_in_one_half_do_not_blow_up():
    # Some pixels are lit in a single image: LDA of a half without it scales them beyond all bounds.
    digits, labels = load_digits(return_X_y=True)
    part, _, labels, _ = train_test_split(digits, labels, test_size=0.5, random_state=0, stratify=labels)
    fitted = NCMML(9, tol=1e-2, random_state=0, euclid_share=0.0).fit(scale(part), labels)
    assert np.abs(fitted.transform(scale(part))).max() < 1e3
