"""
Prototypes with metrics of their own
====================================

`LMDL` keeps a few prototypes per class instead of all rows, each with a metric. Ellipses show what each
prototype takes for near; the background shows how the plane is divided.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.datasets import make_moons

from nearkin import LMDL, KNNClassifier

X, y = make_moons(400, noise=0.2, random_state=0)
new, y_new = make_moons(2000, noise=0.2, random_state=1)
neighbours = KNNClassifier(n_neighbors=5).fit(X, y)
print(f"5 nearest of {len(X)} rows: {neighbours.score(new, y_new):.1%} of new rows right")

# %%
# One, two and four prototypes for each class:


def ellipse(factor, centre, size=0.25):
    """Points at one distance from a prototype under its metric, scaled to the area of a circle."""
    metric = factor.T @ factor
    metric = metric + 1e-3 * np.trace(metric) * np.eye(2)
    values, vectors = np.linalg.eigh(metric / np.sqrt(np.linalg.det(metric)))
    angle = np.linspace(0, 2 * np.pi, 80)
    return centre + size * (np.column_stack([np.cos(angle), np.sin(angle)]) / np.sqrt(values)) @ vectors.T


across, up = np.meshgrid(np.linspace(-1.8, 2.8, 200), np.linspace(-1.3, 1.8, 150))
fig, axes = plt.subplots(1, 3, figsize=(9, 3))
for ax, count in zip(axes, (1, 2, 4)):
    model = LMDL(n_prototypes=count, init="kmeans", random_state=0).fit(X, y)
    answers = model.predict(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    ax.pcolormesh(across, up, answers, cmap=ListedColormap(["C0", "C1"]), alpha=0.15, rasterized=True)
    for label, marker in enumerate("os"):
        ax.scatter(*X[y == label].T, s=9, marker=marker, lw=0, alpha=0.5)
    for place, factor, label in zip(model.prototypes_, model.metrics_, model.prototype_labels_):
        ax.plot(*ellipse(factor, place).T, color="k", lw=1.1)
        ax.plot(*place, "*", color=f"C{label}", mec="k", ms=12)
    right = model.score(new, y_new)
    ax.set(title=f"{2 * count} prototypes: {right:.1%}", xticks=[], yticks=[], ylim=(-1.3, 1.8))
    print(f"{2 * count} prototypes: {right:.1%} of new rows right")
plt.show()
