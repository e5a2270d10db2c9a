"""
A loss of your own in 20 lines
==============================

A loss knows neither maps nor solvers: it takes an embedding `Z` and gives a value and its gradient. Here
the share of the scatter that is inside the classes, which linear discriminant analysis is about. Every
map of nearkin can then be learned by it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from nearkin import KNNClassifier, MetricLearner
from nearkin.losses import Loss
from nearkin.maps import KernelMap, LinearMap


class ScatterRatioLoss(Loss):
    """Mean squared distance to the mean of the own class, over that to the mean of all."""

    def prepare(self, X, y, *, start=None, sample_weight=None):
        return np.eye(y.max() + 1)[y] / np.bincount(y)[y][:, None], y

    def value_and_grad(self, Z, state, *, exact=False):
        averages, y = state
        from_class, from_all = Z - (averages.T @ Z)[y], Z - Z.mean(axis=0)
        inside, total = np.mean(np.sum(from_class**2, axis=1)), np.mean(np.sum(from_all**2, axis=1))
        ratio = inside / total
        return float(ratio), 2 * (from_class - ratio * from_all) / (len(Z) * total)


# %%
# The same loss with two maps to the plane:

X, y = load_wine(return_X_y=True)
train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
scaler = StandardScaler().fit(train)
train, test = scaler.transform(train), scaler.transform(test)
maps = {"linear map": LinearMap(2), "after a kernel": KernelMap(LinearMap(2))}
fig, axes = plt.subplots(1, 2)
for ax, (name, map_) in zip(axes, maps.items()):
    learner = MetricLearner(map_, ScatterRatioLoss(), max_iter=100, random_state=0).fit(train, y_train)
    Z = learner.transform(test)
    right = KNNClassifier(n_neighbors=5).fit(learner.transform(train), y_train).score(Z, y_test)
    for label, marker in enumerate("os^"):
        ax.scatter(*Z[y_test == label].T, s=16, marker=marker, lw=0, alpha=0.8)
    ax.set(title=f"{name}: {right:.0%} right", xticks=[], yticks=[])
    print(
        f"{name}: {learner.objective_:.3f} of the scatter inside the classes, {right:.1%} of test rows right"
    )
plt.show()
