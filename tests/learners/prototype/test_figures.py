"""What the figures of the LMDL paper claim, on sets drawn like its own."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from nearkin.datasets.synthetic import (
    make_concentric_circles,
    make_eight_classes,
    make_helix,
    make_two_classes,
)
from nearkin.learners.prototype import LMDL, KernelLMDL
from nearkin.numerics.selection import smallest_per_row


def leave_one_out_accuracy(distance, X, y):
    """Accuracy of the nearest other row under a distance."""
    D = distance.pairwise(X, X)
    np.fill_diagonal(D, np.inf)
    _, nearest = smallest_per_row(D, 1)
    return np.mean(y[nearest[:, 0]] == y)


def euclidean_accuracy(X, y):
    # Without an argument, kneighbors leaves each row out of its own neighbours.
    nearest = NearestNeighbors(n_neighbors=1).fit(X).kneighbors(return_distance=False)
    return np.mean(y[nearest[:, 0]] == y)


@pytest.mark.parametrize("make", [make_two_classes, make_eight_classes])
def test_two_prototypes_a_class_lift_the_leave_one_out_accuracy(make):
    X, y = make(random_state=0)
    model = LMDL(n_prototypes=2, init="kmeans", random_state=0).fit(X, y)
    assert leave_one_out_accuracy(model.distance_, X, y) > euclidean_accuracy(X, y)


@pytest.mark.parametrize("make", [make_two_classes, make_eight_classes, make_helix])
def test_two_prototypes_a_class_represent_the_set_better_than_its_rows(make):
    X, y = make(random_state=0)
    model = LMDL(n_prototypes=2, init="kmeans", random_state=0).fit(X, y)
    assert model.score(X, y) > euclidean_accuracy(X, y)


def test_the_kernel_solves_the_circles():
    X, y = make_concentric_circles(random_state=0)
    new_X, new_y = make_concentric_circles(random_state=1)
    model = KernelLMDL(n_prototypes=1, rank=2, random_state=0).fit(X, y)
    assert model.score(new_X, new_y) > 0.97


def test_the_plane_of_the_kernel_separates_the_circles():
    X, y = make_concentric_circles(random_state=0)
    model = KernelLMDL(n_prototypes=1, rank=2, random_state=0).fit(X, y)
    view = model.project(X, 0)
    assert view.shape == (len(X), 2)
    own = (view[y == 0] ** 2).sum(axis=1)
    other = (view[y == 1] ** 2).sum(axis=1)
    assert np.median(own) < np.median(other) / 10
