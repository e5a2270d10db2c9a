"""The look of the gallery's pictures: that of the other figures, on white."""

from __future__ import annotations

from pathlib import Path

from matplotlib import pyplot as plt

STYLE = Path(__file__).parents[1] / "figures" / "site.mplstyle"


def apply(gallery_conf, example) -> None:
    """Called by sphinx-gallery before every example."""
    plt.style.use(STYLE)
    plt.rcParams.update(
        {"savefig.transparent": False, "figure.facecolor": "white", "axes.facecolor": "white"}
    )
