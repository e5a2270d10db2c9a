"""Vehicles that nothing was learned from, before and after: each as near to its own kind as it gets."""

import numpy as np
from common import COLOURS, MARKERS, panels, save
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from nearkin import MCML, KNNClassifier
from nearkin.datasets import load_dataset


def draw(path, *, narrow: bool = False) -> None:
    """Side by side, or one above the other for the width of a phone."""
    data = load_dataset("vehicle")
    rows = np.asarray(data.X, dtype=float)
    split = train_test_split(rows, data.y, test_size=0.5, random_state=0, stratify=data.y)
    scaler = StandardScaler().fit(split[0])
    train, test, y_train, y_test = scaler.transform(split[0]), scaler.transform(split[1]), *split[2:]
    views = (PCA(2).fit(train), MCML(n_components=2).fit(train, y_train))
    size = {"width": 3.6, "height": 5.6, "rows": 2} if narrow else {"width": 8.6, "height": 3.3}
    figure, axes = panels("", "", plane=False, **size)
    words = "told right" if narrow else "of new rows told right by their neighbours"
    for ax, view, name in zip(axes, views, ("before", "after")):
        Z = view.transform(test)
        right = KNNClassifier(n_neighbors=5).fit(view.transform(train), y_train).score(Z, y_test)
        ax.set_title(f"{name}: {right:.0%} {words}", loc="left")
        ax.set(xticks=[], yticks=[])
        for number, kind in enumerate(np.unique(y_test)):
            style = {"color": COLOURS[number], "marker": MARKERS[number], "alpha": 0.8, "linewidths": 0}
            ax.scatter(*Z[y_test == kind].T, s=15, label=kind, **style)
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "ncols": 4, "columnspacing": 0.8}
    if not narrow:
        place = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
    axes[1].legend(**place, handletextpad=0.1, frameon=False)
    save(figure, path)
