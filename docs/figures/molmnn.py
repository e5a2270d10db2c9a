"""MoLMNN: two regions with a metric each."""

import numpy as np
from common import circle, classes, panels, save, unit_area

from nearkin import MoLMNN


def draw(path) -> None:
    rng = np.random.default_rng(0)
    y = np.tile(np.repeat([0, 1], 50), 2)
    left = np.c_[rng.normal(0, 1.3, 100), 0.9 * y[:100] + rng.normal(0, 0.22, 100)]
    right = np.c_[0.9 * y[100:] + rng.normal(0, 0.22, 100) + 4.5, rng.normal(0.5, 1.3, 100)]
    X = np.r_[left, right]
    learned = MoLMNN(n_regions=2, euclid_share=0.0, random_state=0).fit(X, y)
    figure, axes = panels("MoLMNN: two gated regions and the metric of each", width=6.0, height=3.4)
    low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
    across, up = np.meshgrid(np.linspace(low[0], high[0], 120), np.linspace(low[1], high[1], 100))
    gate = learned.gate(np.c_[across.ravel(), up.ravel()])[:, 0].reshape(across.shape)
    axes[0].pcolormesh(across, up, gate, cmap="PiYG", alpha=0.3, rasterized=True)
    classes(axes[0], X, y, alpha=0.6)
    for region, factor in enumerate(learned.projections_):
        weights = learned.gate(X)[:, region]
        metric = factor.T @ factor
        metric = unit_area(metric + 0.02 * np.trace(metric) * np.eye(2))
        axes[0].plot(*circle(metric, weights @ X / weights.sum(), 0.9).T, color="black", linewidth=1.5)
    save(figure, path)
