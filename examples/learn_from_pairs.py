"""
Learning from pairs
===================

Nobody labels rows here; someone only says of some pairs whether they belong together. `LDML` learns a
distance from these pairs, and `PairClassifier` a threshold on it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import train_test_split

from nearkin import LDML, PairClassifier

X, digit = load_digits(return_X_y=True)
X = X / 16
train, test, d_train, d_test = train_test_split(X, digit, test_size=0.4, random_state=0, stratify=digit)


def told_pairs(digits, n, rng):
    """Pairs of rows, half of them alike, as someone might tell us of them."""
    pairs = rng.integers(len(digits), size=(20 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    alike = digits[pairs[:, 0]] == digits[pairs[:, 1]]
    rows = np.concatenate([np.flatnonzero(alike)[: n // 2], np.flatnonzero(~alike)[: n // 2]])
    return pairs[rows], alike[rows]


rng = np.random.default_rng(0)
pairs, alike = told_pairs(d_train, 2000, rng)
new_pairs, new_alike = told_pairs(d_test, 2000, rng)

# %%
# The model sees row numbers of `train`; it is asked about pairs of rows that it has never seen.

model = PairClassifier(LDML(n_components=20), points=train).fit(pairs, alike)
euclid = np.linalg.norm(test[new_pairs[:, 0]] - test[new_pairs[:, 1]], axis=1)
learned = np.sqrt(model.learner_.pair_distances(test, new_pairs))
print(f"new pairs told right by the learned threshold: {model.score(test[new_pairs], new_alike):.1%}")

# %%

fig, axes = plt.subplots(1, 3, figsize=(9, 3))
for ax, distances, name in zip(axes, (euclid, learned), ("Euclid", "LDML")):
    bins = np.linspace(0, np.quantile(distances, 0.995), 40)
    ax.hist(distances[new_alike], bins, alpha=0.6, label="alike")
    ax.hist(distances[~new_alike], bins, alpha=0.6, label="not alike")
    ax.set(title=name, xlabel="distance of a pair", yticks=[])
    area = roc_auc_score(new_alike, -distances)
    axes[2].plot(*roc_curve(new_alike, -distances)[:2], label=f"{name}, area {area:.3f}")
    print(f"{name}: area under the curve {area:.3f}")
axes[0].legend()
axes[2].set(title="Pairs found against false alarms", xlabel="false alarms", ylabel="found")
axes[2].legend(loc="lower right")
plt.show()
