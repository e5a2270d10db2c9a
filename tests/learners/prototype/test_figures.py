"""What the figures of the LMDL paper claim, on sets drawn like its own."""

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

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


def make_blurred_helix(random_state):
    """A helix whose windings run into each other, small enough to leave out each row in turn."""
    return make_helix(240, random_state, noise=0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "init"),
    [(make_two_classes, "random"), (make_eight_classes, "kmeans"), (make_blurred_helix, "kmeans")],
)
def test_two_prototypes_a_class_lift_the_leave_one_out_accuracy(make, init):
    X, y = make(random_state=0)
    right = cross_val_score(
        LMDL(n_prototypes=2, init=init, random_state=0, euclid_share=0.0), X, y, cv=LeaveOneOut()
    )
    assert right.mean() > euclidean_accuracy(X, y) + 0.03


def parts_without_a_prototype(prototypes):
    """Of the eight classes, how many have both prototypes on the same side of the ring."""
    first, second = prototypes[::2], prototypes[1::2]
    return np.sum((first * second).sum(axis=1) > 0)


def test_only_starts_in_every_part_of_a_class_solve_the_eight_classes():
    # A part that no prototype starts in lies beyond the window of the sigmoid and never gets one.
    new_X, new_y = make_eight_classes(4000, random_state=100)
    score, bare = {"random": [], "kmeans": []}, {"random": [], "kmeans": []}
    for seed in range(8):
        X, y = make_eight_classes(random_state=seed)
        for init in score:
            model = LMDL(n_prototypes=2, init=init, random_state=seed, euclid_share=0.0).fit(X, y)
            score[init].append(model.score(new_X, new_y))
            bare[init].append(parts_without_a_prototype(model.prototypes_))
    assert min(bare["random"]) > 0 == max(bare["kmeans"])
    assert min(score["kmeans"]) > 0.85 > np.mean(score["random"])


@pytest.mark.parametrize("make", [make_two_classes, make_eight_classes, make_helix])
def test_two_prototypes_a_class_lift_the_accuracy_on_new_rows(make):
    lifts = []
    for seed in range(2):
        X, y = make(random_state=seed)
        new_X, new_y = make(4000, random_state=100 + seed)
        model = LMDL(n_prototypes=2, init="kmeans", random_state=0, euclid_share=0.0).fit(X, y)
        neighbour = KNeighborsClassifier(1).fit(X, y)
        lifts.append(model.score(new_X, new_y) - neighbour.score(new_X, new_y))
    assert np.mean(lifts) > 0.015


def test_the_learned_metrics_bring_rows_of_a_class_together():
    # The nearest other row, all rows having taught the metric. Of the three sets only this one gains:
    # where a class winds on, rows beside each other may carry metrics of different prototypes.
    lifts = []
    for seed in range(6):
        X, y = make_eight_classes(random_state=seed)
        model = LMDL(n_prototypes=2, init="kmeans", random_state=seed, euclid_share=0.0).fit(X, y)
        lifts.append(leave_one_out_accuracy(model.distance_, X, y) - euclidean_accuracy(X, y))
    assert np.mean(lifts) > 0.01


@pytest.mark.parametrize("seed", range(3))
def test_along_one_direction_only_the_kernel_solves_the_circles(seed):
    X, y = make_concentric_circles(random_state=0)
    new_X, new_y = make_concentric_circles(1000, random_state=1)
    linear, kernel = (
        learner(n_prototypes=1, rank=1, random_state=seed, euclid_share=0.0).fit(X, y).score(new_X, new_y)
        for learner in (LMDL, KernelLMDL)
    )
    assert linear < 0.75
    assert kernel > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_the_kernel_solves_the_circles_from_every_start(seed):
    X, y = make_concentric_circles(random_state=0)
    new_X, new_y = make_concentric_circles(1000, random_state=1)
    model = KernelLMDL(n_prototypes=1, rank=2, random_state=seed, euclid_share=0.0).fit(X, y)
    assert model.score(new_X, new_y) > 0.98


def test_the_plane_of_the_kernel_separates_the_circles():
    X, y = make_concentric_circles(random_state=0)
    model = KernelLMDL(n_prototypes=1, rank=2, random_state=0, euclid_share=0.0).fit(X, y)
    view = model.project(X, 0)
    assert view.shape == (len(X), 2)
    own = (view[y == 0] ** 2).sum(axis=1)
    other = (view[y == 1] ** 2).sum(axis=1)
    assert np.median(own) < np.median(other) / 10
