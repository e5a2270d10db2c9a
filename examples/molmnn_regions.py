"""
Regions of MoLMNN
=================

On the left of this plane the classes differ from bottom to top, on the right from left to right. No
single linear map suits both. `MoLMNN` learns soft gates that divide the space, and a metric for every
region.
"""

import matplotlib.pyplot as plt
import numpy as np

from nearkin import LMNN, KNNClassifier, MoLMNN

# %%
# Two features say it all; eight more are noise.


def sample(n, rng):
    y, side = rng.integers(2, size=n), rng.integers(2, size=n)
    along, across = rng.normal(0, 2.5, n), 0.9 * y + rng.normal(0, 0.25, n)
    left, right = np.column_stack([along, across]), np.column_stack([across + 9, along])
    place = np.where(side[:, None] == 0, left, right)
    return np.hstack([place, rng.normal(0, 0.5, (n, 8))]), y


rng = np.random.default_rng(0)
(X, y), (new, y_new) = sample(300, rng), sample(1000, rng)
learners = {
    "Euclid": None,
    "LMNN, one metric": LMNN(),
    "MoLMNN, two regions": MoLMNN(n_regions=2, random_state=0),
}
models = {name: KNNClassifier(learner, n_neighbors=3).fit(X, y) for name, learner in learners.items()}
for name, model in models.items():
    print(f"{name}: {model.score(new, y_new):.1%}")

# %%
# The gate of the first region over the plane, and what each region looks at: the length of every feature's
# column in its projection.

mixture = models["MoLMNN, two regions"].learner_
fig, (left, right) = plt.subplots(1, 2, width_ratios=(3, 2))
across, up = np.meshgrid(np.linspace(-9, 12, 140), np.linspace(-10, 9, 110))
grid = np.zeros((across.size, 10))
grid[:, :2] = np.column_stack([across.ravel(), up.ravel()])
gate = mixture.gate(grid)[:, 0].reshape(across.shape)
shade = left.pcolormesh(across, up, gate, cmap="PiYG", alpha=0.4, vmin=0, vmax=1, rasterized=True)
for label, marker in enumerate("os"):
    left.scatter(*X[y == label, :2].T, s=11, marker=marker, lw=0, alpha=0.8)
fig.colorbar(shade, ax=left, label="gate of the first region", shrink=0.8)
left.set(title="Two regions", xticks=[], yticks=[])
for region, projection in enumerate(mixture.projections_):
    strength = np.linalg.norm(projection, axis=0)
    places = np.arange(10) + 0.4 * region
    right.bar(places, strength / strength.max(), width=0.38, label=f"region {region + 1}")
right.set_xticks(np.arange(10) + 0.2, ["x", "y", *("noise " * 8).split()], rotation=90)
right.set_title("What each region looks at")
right.legend()
plt.show()
