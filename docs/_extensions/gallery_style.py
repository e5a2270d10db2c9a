"""The look of the gallery's pictures."""

from __future__ import annotations

from pathlib import Path

from matplotlib import pyplot as plt

STYLE = Path(__file__).with_name("gallery.mplstyle")


def apply(gallery_conf, example) -> None:
    """Called by sphinx-gallery before every example."""
    plt.style.use(STYLE)
