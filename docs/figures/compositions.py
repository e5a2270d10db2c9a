"""Compositions: a kernel map learned from pairs alone."""

import numpy as np
from common import classes, panels, save
from sklearn.datasets import make_circles

from nearkin import MetricLearner
from nearkin.losses import PairLogisticLoss
from nearkin.maps import KernelMap, LinearMap


def draw(path) -> None:
    X, y = make_circles(160, noise=0.06, factor=0.55, random_state=0)
    rng = np.random.default_rng(0)
    pairs = rng.integers(len(X), size=(600, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    learned = MetricLearner(KernelMap(LinearMap(2), gamma=2.0), PairLogisticLoss(), random_state=0)
    learned.fit(X, pairs=pairs, similar=y[pairs[:, 0]] == y[pairs[:, 1]])
    figure, axes = panels(
        "two rings, and 600 pairs of like or unlike rows", "a kernel map learned from the pairs"
    )
    for ax, Z in zip(axes, (X, learned.transform(X))):
        classes(ax, Z, y)
    save(figure, path)
