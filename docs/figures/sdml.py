"""SDML: the metric under growing sparsity."""

import numpy as np
from common import panels, save
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from nearkin import SDML


def draw(path) -> None:
    X, y = load_wine(return_X_y=True)
    X = scale(X)
    levels = (0.01, 0.3, 1.0)
    figure, axes = panels(*(f"sparsity {level:g}" for level in levels), height=2.8)
    for ax, level in zip(axes, levels):
        M = SDML(sparsity=level).fit(X, y).get_mahalanobis_matrix()
        off = M - np.diag(np.diag(M))
        most = np.abs(off).max() or 1.0
        ax.imshow(np.where(np.eye(len(M), dtype=bool), 0, off), cmap="RdBu", vmin=-most, vmax=most)
        features = np.arange(len(M))
        ax.scatter(features, features, s=10, color="black", linewidths=0)
        zero = np.mean(np.abs(off[~np.eye(len(M), dtype=bool)]) < 1e-8)
        ax.set_xlabel(f"{zero:.0%} of the pairs are zero")
    save(figure, path)
