"""
Figures of the papers
=====================

The artificial sets with which Rajabzadeh, Jahromi and Ghodsi (2018) introduced prototypes with metrics of
their own: classes of several parts, or wound around each other, such that no single metric can serve. The
paper shows them as pictures only; the generators follow what its figures show. All numbers, those of the
paper's tables included, are in the results.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.neighbors import KNeighborsClassifier

from nearkin import LMDL, KernelLMDL
from nearkin.datasets.synthetic import make_concentric_circles, make_eight_classes, make_two_classes

sets = {
    "two classes": (make_two_classes, LMDL(n_prototypes=2, init="kmeans", random_state=0)),
    "eight classes": (make_eight_classes, LMDL(n_prototypes=2, init="kmeans", random_state=0)),
    "circles, kernel": (make_concentric_circles, KernelLMDL(n_prototypes=1, rank=2, random_state=0)),
}
fig, axes = plt.subplots(1, 3, figsize=(9, 3.3))
for ax, (name, (make, learner)) in zip(axes, sets.items()):
    (X, y), (new, y_new) = make(random_state=0), make(4000, random_state=1)
    neighbour = KNeighborsClassifier(1).fit(X, y).score(new, y_new)
    learned = learner.fit(X, y).score(new, y_new)
    print(
        f"{name}: nearest neighbour {neighbour:.1%}, {type(learner).__name__} {learned:.1%} of new rows right"
    )
    low, high = X.min(axis=0), X.max(axis=0)
    across, up = np.meshgrid(np.linspace(low[0], high[0], 160), np.linspace(low[1], high[1], 160))
    colours = ListedColormap(plt.cm.tab10.colors[: y.max() + 1])
    answers = learner.predict(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape)
    ax.pcolormesh(across, up, answers, cmap=colours, alpha=0.25, rasterized=True)
    ax.scatter(*X.T, c=y, cmap=colours, s=11, lw=0)
    if hasattr(learner, "prototypes_") and np.shape(learner.prototypes_)[1:] == (2,):
        ax.plot(*learner.prototypes_.T, "k*", ms=8)
    ax.set(title=f"{name}: {neighbour:.0%} → {learned:.0%}", xticks=[], yticks=[], aspect="equal")
plt.show()

# %%
# The plane that the kernel's first prototype sees: rows of its class near, rows of the other far.

X, y = make_concentric_circles(random_state=0)
view = sets["circles, kernel"][1].project(X, 0)
fig, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3))
for ax, rows, title in ((left, X, "the circles"), (right, view, "seen by a prototype")):
    for label, marker in enumerate("os"):
        ax.scatter(*rows[y == label].T, s=12, marker=marker, lw=0)
    ax.set(title=title, xticks=[], yticks=[])
plt.show()
