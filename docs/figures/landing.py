"""Vehicles not learned from: the two directions in which they vary most, and the two that MCML learned."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from nearkin import MCML, KNNClassifier
from nearkin.datasets import load_dataset


def draw(path) -> None:
    data = load_dataset("vehicle")
    train, test, y_train, y_test = train_test_split(
        np.asarray(data.X, dtype=float), data.y, test_size=0.5, random_state=0, stratify=data.y
    )
    scaler = StandardScaler().fit(train)
    train, test = scaler.transform(train), scaler.transform(test)
    views = {"before": PCA(2).fit(train), "after": MCML(n_components=2).fit(train, y_train)}
    fig, axes = plt.subplots(1, 2, figsize=(8.6, 3.5))
    for ax, (title, view) in zip(axes, views.items()):
        model = KNNClassifier(n_neighbors=5).fit(view.transform(train), y_train)
        Z = view.transform(test)
        for kind in np.unique(y_test):
            ax.scatter(*Z[y_test == kind].T, s=14, alpha=0.85, lw=0, label=kind)
        ax.set_title(
            f"{title}: nearest neighbours right on {model.score(Z, y_test):.0%} of new rows", fontsize=10
        )
        ax.set(xticks=[], yticks=[])
    axes[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handletextpad=0.1)
    fig.savefig(path)
