"""
A gated NCA, which nobody has built before
==========================================

In nearkin every gradient learner is a *map*, a *loss* and a *solver*, and any map goes with any loss. The
gates of `MoLMNN` were published with a large-margin loss; here they learn from that of NCA.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from nearkin import NCA, KNNClassifier, MetricLearner
from nearkin.losses import NCALoss
from nearkin.maps import GatedMap

X, y = load_digits(return_X_y=True)
X = MinMaxScaler((-1, 1)).fit_transform(X)
train, test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)

# %%
# The composition is one line. Both learners map to three dimensions:

gated = MetricLearner(GatedMap(n_regions=3, n_components=3), NCALoss(), max_iter=100, random_state=0)
plain = NCA(n_components=3, max_iter=100, random_state=0)
scores = {}
for name, learner in {"NCA": plain, "gated NCA": gated}.items():
    model = KNNClassifier(learner, n_neighbors=5).fit(train, y_train)
    scores[name] = model.score(test, y_test)
    print(f"{name}: {scores[name]:.1%} of the test rows right in three dimensions")
    if name == "gated NCA":
        gated = model.learner_

# %%
# The regions are soft. Which digits does each of them care for?

gates = gated.distance_.queries.gate(test)
shares = np.array([gates[y_test == digit].mean(axis=0) for digit in range(10)])
fig, (left, right) = plt.subplots(1, 2, width_ratios=(2, 3))
left.bar(list(scores), list(scores.values()), color=["C0", "C1"], width=0.6)
left.set(title="Test rows right, three dimensions", ylim=(0.5, 1))
left.yaxis.set_major_formatter("{x:.0%}")
picture = right.imshow(shares.T, cmap="Purples", vmin=0, vmax=1, aspect="auto")
right.set_xticks(range(10))
right.set_yticks(range(3), [f"region {number + 1}" for number in range(3)])
right.set(title="Mean gate of each region", xlabel="digit")
fig.colorbar(picture, ax=right)
plt.show()
