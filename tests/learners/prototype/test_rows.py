"""Merging equal rows."""

import numpy as np

from nearkin.learners.prototype.rows import merge_equal_rows


def test_equal_rows_of_a_class_become_one():
    X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0], [1.0, 2.0]])
    rows, y, weights = merge_equal_rows(X, np.array([0, 0, 0, 1]), np.array([1.0, 2.0, 3.0, 4.0]))
    merged = {(tuple(row), int(c)): w for row, c, w in zip(rows, y, weights)}
    assert merged == {((1.0, 2.0), 0): 0.4, ((3.0, 4.0), 0): 0.2, ((1.0, 2.0), 1): 0.4}


def test_rows_without_weight_vanish():
    X, _, weights = merge_equal_rows(np.array([[1.0], [2.0]]), np.array([0, 1]), np.array([0.0, 2.0]))
    np.testing.assert_array_equal(X, [[2.0]])
    np.testing.assert_array_equal(weights, [1.0])


def test_the_sign_of_zero_does_not_matter():
    X, _, _ = merge_equal_rows(np.array([[0.0], [-0.0]]), np.array([0, 0]), np.ones(2))
    assert len(X) == 1


def test_the_order_of_rows_does_not_matter():
    X = np.asfortranarray(np.random.default_rng(0).normal(size=(30, 3)).astype(np.float32))
    y = np.arange(30) % 2
    order = np.random.default_rng(1).permutation(30)
    straight = merge_equal_rows(X, y, np.ones(30))
    shuffled = merge_equal_rows(X[order], y[order], np.ones(30))
    for one, other in zip(straight, shuffled):
        np.testing.assert_array_equal(one, other)
    assert straight[0].dtype == straight[2].dtype == np.float32
