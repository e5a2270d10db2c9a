"""
What LMNN does to impostors
===========================

Each row has three *targets*, its nearest rows of the same class. Rows of other classes that come nearer
than the farthest target plus a margin are *impostors*. `LMNN` pulls targets in and pushes impostors out;
step by step they become fewer.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from nearkin import LMNN

warnings.simplefilter("ignore", ConvergenceWarning)  # some of the fits below are stopped on purpose

rng = np.random.default_rng(0)
y = np.repeat([0, 1, 2], 50)
X = np.column_stack([rng.normal(0, 2.2, 150), 1.1 * y + rng.normal(0, 0.3, 150)]) @ [
    [0.9, 0.42],
    [-0.42, 0.9],
]

# %%
# Targets are chosen once, under plain Euclid. Impostors are counted under the distance of the moment.


def squared_distances(Z):
    return ((Z[:, None] - Z) ** 2).sum(axis=2)


same = y[:, None] == y
others_of_class = np.where(same & ~np.eye(len(y), dtype=bool), squared_distances(X), np.inf)
targets = np.argsort(others_of_class, axis=1)[:, :3]


def impostors(Z):
    """For each row, which rows of other classes are nearer than its farthest target plus a margin of 1."""
    D = squared_distances(Z)
    reach = np.take_along_axis(D, targets, axis=1).max(axis=1)
    return (reach[:, None] + 1 > D) & ~same


# %%
# The row that gets rid of most impostors, at the start and after one, three and all steps. Rings are
# impostors, lines lead to targets.

settled = LMNN(n_targets=3, euclid_share=0.0).fit(X, y)
chosen = (impostors(X).sum(axis=1) - impostors(settled.transform(X)).sum(axis=1)).argmax()
fig, axes = plt.subplots(2, 2, figsize=(7.2, 5.4))
for ax, steps in zip(axes.flat, (0, 1, 3, 200)):
    Z = X if steps == 0 else LMNN(n_targets=3, euclid_share=0.0, max_iter=steps).fit(X, y).transform(X)
    found = impostors(Z)
    for label, marker in enumerate("os^"):
        ax.scatter(*Z[y == label].T, s=13, marker=marker, alpha=0.6, lw=0)
    for target in targets[chosen]:
        ax.plot(*Z[[chosen, target]].T, color="0.3", lw=1.2)
    ax.scatter(*Z[found[chosen]].T, s=55, facecolor="none", edgecolor="C4", lw=1.3)
    ax.plot(*Z[chosen], "k*", ms=11)
    name = {0: "Euclid", 1: "1 step", 200: "settled"}.get(steps, f"{steps} steps")
    ax.set_title(f"{name}: {found[chosen].sum()} here, {found.sum(axis=1).mean():.1f} on average")
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.set_adjustable("datalim")
    print(f"{name}: {found.sum()} impostors in all")
plt.show()
