"""How many prototypes each class gets."""

import numpy as np
import pytest

from nearkin.datasets.synthetic import make_two_classes
from nearkin.learners.prototype import LMDL
from nearkin.learners.prototype.counts import prototype_counts

CLASSES = np.array(["a", "b"])
MEMBERS = np.array([3, 40])


def test_a_number_is_capped_at_the_members():
    np.testing.assert_array_equal(prototype_counts(5, CLASSES, MEMBERS), [3, 5])


def test_a_dict_is_taken_per_class():
    np.testing.assert_array_equal(prototype_counts({"b": 7, "a": 2}, CLASSES, MEMBERS), [2, 7])


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        ({"a": 1}, r"missing \['b'\]"),
        ({"a": 1, "b": 1, "c": 1}, r"not in y \['c'\]"),
        ({"a": 4, "b": 1}, "asks for 4 prototypes of class 'a', which has only 3 distinct rows"),
        ({"a": 0, "b": 1}, "expected a positive whole number"),
        (True, "expected a positive whole number"),
    ],
)
def test_bad_numbers_are_refused(wanted, complaint):
    with pytest.raises(ValueError, match=complaint):
        prototype_counts(wanted, CLASSES, MEMBERS)


def test_integer_labels_name_classes_too(blobs):
    X, y = blobs
    codes = np.unique(y, return_inverse=True)[1]
    model = LMDL({0: 1, 1: 2, 2: 3}, random_state=0, euclid_share=0.0).fit(X, codes)
    np.testing.assert_array_equal(model.prototype_labels_, [0, 1, 1, 2, 2, 2])


def test_auto_finds_that_two_strips_need_two_prototypes():
    X, y = make_two_classes(200, random_state=0)
    model = LMDL("auto", random_state=0, tol=0.01, euclid_share=0.0).fit(X, y)
    assert (model.prototype_labels_ == 0).sum() > 1


def test_auto_survives_tiny_classes():
    X = np.random.default_rng(0).normal(size=(12, 2))
    y = np.r_[np.zeros(9), 1, 1, 2]
    X[9:11] += 5
    X[11] -= 5
    model = LMDL("auto", random_state=0, max_epochs=500, euclid_share=0.0).fit(X, y)
    assert set(model.prototype_labels_) == {0, 1, 2}
