"""LMNN: targets, margin and impostors of one row, before and after."""

import numpy as np
from common import COLOURS, GREY, circle, classes, panels, save, squared_distances, stripes

from nearkin import LMNN

MARGIN = 1.0


def draw(path) -> None:
    X, y = stripes()
    planes = (X, LMNN(n_targets=3, euclid_share=0.0).fit(X, y).transform(X))
    same = y[:, None] == y
    D = [squared_distances(Z) for Z in planes]
    targets = np.argsort(np.where(same & ~np.eye(len(y), dtype=bool), D[0], np.inf), axis=1)[:, :3]
    reach = [np.take_along_axis(squared, targets, axis=1).max(axis=1) for squared in D]
    inside = [(squared < far[:, None] + MARGIN) & ~same for squared, far in zip(D, reach)]
    row = int(np.argmax(inside[0].sum(axis=1) - inside[1].sum(axis=1)))
    figure, axes = panels("before: impostors inside the margin", "LMNN: pushed out of it")
    for ax, Z, far, impostors in zip(axes, planes, reach, inside):
        classes(ax, Z, y, alpha=0.5)
        for target in targets[row]:
            ax.plot(*Z[[row, target]].T, color=GREY, linewidth=1.5)
        for radius, style in ((far[row], "-"), (far[row] + MARGIN, "--")):
            ax.plot(*circle(np.eye(2), Z[row], np.sqrt(radius)).T, color=GREY, linewidth=1, linestyle=style)
        ax.scatter(*Z[impostors[row]].T, s=60, facecolors="none", edgecolors=COLOURS[1], linewidths=1.5)
        ax.plot(*Z[row], "k*", markersize=10)
        counts = impostors.sum(axis=1)
        ax.set_xlabel(f"impostors of this row: {counts[row]}; of a row on average: {counts.mean():.1f}")
    save(figure, path)
