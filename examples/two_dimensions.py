"""
Seven digits in the plane
=========================

A learned map to two dimensions is a picture of the data in which neighbours mean something. Principal
components look for variation; the learners look for classes. All pictures show rows that nothing was
learned from.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from nearkin import LFDA, LMCA, MCML, NCA, KNNClassifier

warnings.simplefilter("ignore", ConvergenceWarning)

X, y = load_digits(n_class=7, return_X_y=True)
X = X / 16
train, test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
views = {
    "PCA": PCA(2),
    "LFDA": LFDA(n_components=2),
    "MCML": MCML(n_components=2),
    "NCA": NCA(n_components=2, random_state=0),
    "LMCA": LMCA(n_components=2, random_state=0),
}
fig, axes = plt.subplots(2, 3, figsize=(9, 5.6))
for ax, (name, view) in zip(axes.flat, views.items()):
    view.fit(train, y_train)
    Z = view.transform(test)
    right = KNNClassifier(n_neighbors=5).fit(view.transform(train), y_train).score(Z, y_test)
    low, high = np.quantile(Z, [0.005, 0.995], axis=0)
    for digit in range(7):
        ax.scatter(*Z[y_test == digit].T, s=8, lw=0, color=plt.cm.tab10(digit), label=digit)
    ax.set(title=f"{name}: {right:.0%} by five neighbours", xticks=[], yticks=[])
    margin = 0.06 * (high - low)
    ax.set(xlim=(low[0] - margin[0], high[0] + margin[0]), ylim=(low[1] - margin[1], high[1] + margin[1]))
    print(f"{name}: {right:.1%} of new rows right in two dimensions")
axes.flat[-1].set_axis_off()
axes.flat[-1].legend(
    *axes.flat[0].get_legend_handles_labels(), loc="center", ncols=2, markerscale=2.5, title="digit"
)
plt.show()
