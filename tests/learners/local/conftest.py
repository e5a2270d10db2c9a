"""Awkward data, shared by the tests of the local learners."""

import numpy as np
import pytest


def _plain(rng):
    return rng.normal(size=(30, 4)), np.arange(30) % 3


def a_class_of_one_row(rng):
    y = np.arange(30) % 2
    y[7] = 2
    return rng.normal(size=(30, 4)), y


def copies_across_classes(rng):
    X, _ = _plain(rng)
    X[15:] = X[:15]
    return X, np.arange(30) // 15


def a_class_of_copies(rng):
    X, y = _plain(rng)
    X[y == 1] = X[1]
    return X, y


def classes_of_copies(rng):
    _, y = _plain(rng)
    return rng.normal(size=(3, 4))[y], y


def all_rows_alike(rng):
    X, y = _plain(rng)
    return np.ones_like(X), y


def one_feature(rng):
    X, y = _plain(rng)
    return X[:, :1], y


def constant_columns(rng):
    X, y = _plain(rng)
    X[:, :3] = 5.0
    return X, y


def more_features_than_rows(rng):
    _, y = _plain(rng)
    return rng.normal(size=(30, 200)) + y[:, None], y


def every_row_its_own_class(rng):
    return rng.normal(size=(30, 4)), np.arange(30)


def tiny_features(rng):
    X, y = _plain(rng)
    return 1e-6 * X, y


def huge_features(rng):
    X, y = _plain(rng)
    return 1e6 * X + 1e6, y


def mixed_features(rng):
    X, y = _plain(rng)
    return X * [1e-6, 1.0, 1.0, 1e6], y


KINDS = [
    a_class_of_one_row,
    copies_across_classes,
    a_class_of_copies,
    classes_of_copies,
    all_rows_alike,
    one_feature,
    constant_columns,
    more_features_than_rows,
    every_row_its_own_class,
    tiny_features,
    huge_features,
    mixed_features,
]


@pytest.fixture(params=[np.float64, np.float32], ids=["float64", "float32"])
def dtype(request):
    return request.param


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def awkward(request, dtype):
    """Rows and labels on which learners tend to stumble, in both precisions."""
    X, y = request.param(np.random.default_rng(0))
    return X.astype(dtype), y
