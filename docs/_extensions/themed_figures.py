"""Sphinx extension: figures of the pages, drawn anew by the build for its light and its dark theme.

Pages show a figure as ``![caption](../figures/NAME.svg)``. For readers on forges that file is kept, with a
white ground. On the site the module ``docs/figures/NAME.py`` draws it again (see `build_figures`), without a
ground and with text in the colours of the theme. Colours of data stay: they should be readable on white and
on black.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import matplotlib

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(DOCS))

import build_figures  # noqa: E402  (found through the path above)

DRAWN = DOCS / "_generated" / "figures"
SHOWN = re.compile(r"^!\[([^\]]*)\]\((?:\.\./|/)?figures/(\w+)\.svg\)$", re.MULTILINE)
TEXT = "#24292f"
ON_SITE = {
    "savefig.transparent": True,
    "text.color": TEXT,
    "axes.labelcolor": TEXT,
    "axes.titlecolor": TEXT,
}
#: What takes the place of text and of black on a dark page.
DARK = {TEXT: "#e6e8eb", "#000000": "#e6e8eb", "stroke: #ffffff": "stroke: #14181e"}


def draw(name: str, folder: Path = DRAWN, drawing=build_figures.draw) -> None:
    """Draw one figure for both themes."""
    folder.mkdir(parents=True, exist_ok=True)
    light = folder / f"{name}.svg"
    with matplotlib.rc_context(ON_SITE):
        drawing(name, light)
    text = light.read_text(encoding="utf-8")
    for colour, replaced in DARK.items():
        text = text.replace(colour, replaced)
    (folder / f"{name}-dark.svg").write_text(text, encoding="utf-8")


def is_current(name: str) -> bool:
    """Whether a figure was drawn after the last change of the figures and of the package."""
    drawn = DRAWN / f"{name}-dark.svg"
    sources = [*build_figures.FOLDER.glob("*.py"), *(DOCS.parent / "src" / "nearkin").rglob("*.py")]
    return drawn.exists() and drawn.stat().st_mtime > max(source.stat().st_mtime for source in sources)


def draw_all(app) -> None:
    for name in build_figures.figure_names():
        if not is_current(name):
            draw(name)


def themed(match: re.Match) -> str:
    """A figure in both themes, as MyST; the theme of the reader shows one of them."""
    caption, name = match.groups()
    return "\n\n".join(
        f"```{{figure}} /_generated/figures/{name}{suffix}.svg\n:class: {theme}\n:figclass: {theme}\n"
        f":alt: {caption}\n\n{caption}\n```"
        for suffix, theme in (("", "only-light"), ("-dark", "only-dark"))
    )


def show(app, docname: str, source: list[str]) -> None:
    source[0] = SHOWN.sub(themed, source[0])


def setup(app) -> dict:
    app.connect("builder-inited", draw_all)
    app.connect("source-read", show)
    return {"parallel_read_safe": True}
