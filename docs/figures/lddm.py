"""LDDM: the directions that matter around focal rows."""

import numpy as np
from common import classes, panels, save

from nearkin import LDDM


def draw(path) -> None:
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 200)
    y = np.repeat([0, 1], 100)
    radius = 2.2 + 1.0 * y + rng.normal(0, 0.2, 200)
    X = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    learned = LDDM().fit(X, y)
    figure, axes = panels(
        "LDDM: around every focal row the directions that tell classes apart", width=4.6, height=4.0
    )
    classes(axes[0], X, y, alpha=0.4)
    for focal in range(0, len(learned.focal_rows_), 5):
        place = X[learned.focal_rows_[focal]]
        for direction in learned.directions_[focal][:1]:
            axes[0].plot(
                *np.c_[place - 0.4 * direction, place + 0.4 * direction], color="black", linewidth=1.3
            )
    save(figure, path)
