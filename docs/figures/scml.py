"""SCML: local discriminants, and what each of them weighs."""

import numpy as np
from common import COLOURS, classes, panels, save, stripes

from nearkin import SCML


def draw(path) -> None:
    X, y = stripes()
    learned = SCML(n_bases=60, beta=0.03, random_state=0).fit(X, y)
    figure, axes = panels(
        "60 local discriminants, as broad as their weight", "rows under the metric they make"
    )
    classes(axes[0], X, y, alpha=0.35)
    centre, reach = X.mean(axis=0), 2.5
    for base, share in zip(learned.bases_, learned.weights_ / learned.weights_.sum()):
        line = np.c_[centre - reach * base, centre + reach * base]
        axes[0].plot(*line, color="#9ca3af", linewidth=0.5)
        axes[0].plot(*line, color=COLOURS[3], linewidth=25 * share, solid_capstyle="butt")
    Z = learned.transform(X)
    classes(axes[1], Z if Z.shape[1] == 2 else np.c_[Z[:, 0], np.zeros(len(Z))], y)
    save(figure, path)
