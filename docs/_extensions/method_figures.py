"""Sphinx extension: figures of the pages, drawn while the site is built.

A module `docs/figures/<name>.py` draws the figure of the method page `docs/methods/<name>.md`:

- its docstring is the caption;
- `draw(path)` saves a matplotlib figure there, as SVG.

Nothing else is asked: the module is found by its name, and the figure appears below the opening of the page.
A figure without a method page can be shown by any page as ``{figure} /_generated/figures/<name>.svg``. Sizes,
fonts and colours come from `figures/site.mplstyle`. Text and axes are re-coloured for the dark theme, so
colours of data should be readable on white and on black; "C0" to "C6" are.
"""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path
from types import ModuleType

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot as plt

DOCS = Path(__file__).parents[1]
FIGURES = DOCS / "figures"
STYLE = FIGURES / "site.mplstyle"
DRAWN = DOCS / "_generated" / "figures"
#: Colours of text, axes and grids in `site.mplstyle`, and what takes their place on a dark page.
DARK = {"#24292f": "#e6e8eb", "#6e7781": "#9da7b1", "#d0d7de": "#3d444d"}


def modules() -> dict[str, Path]:
    """The module of every figure by the name of the figure."""
    return {path.stem: path for path in sorted(FIGURES.glob("*.py")) if not path.stem.startswith("_")}


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"figure_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def caption_of(path: Path) -> str:
    """The docstring of a figure's module on one line."""
    return " ".join((inspect.getdoc(loaded(path)) or "").split())


def draw(path: Path, folder: Path = DRAWN) -> None:
    """Draw one figure for the light and the dark theme."""
    folder.mkdir(parents=True, exist_ok=True)
    light = folder / f"{path.stem}.svg"
    with plt.style.context(STYLE):
        loaded(path).draw(light)
    plt.close("all")
    text = light.read_text(encoding="utf-8")
    for colour, replaced in DARK.items():
        text = text.replace(colour, replaced)
    (folder / f"{path.stem}-dark.svg").write_text(text, encoding="utf-8")


def is_current(path: Path) -> bool:
    """Whether a figure was drawn after the last change of its module, the style and the package."""
    drawn = DRAWN / f"{path.stem}-dark.svg"
    if not drawn.exists():
        return False
    sources = [path, STYLE, *(DOCS.parent / "src" / "nearkin").rglob("*.py")]
    return drawn.stat().st_mtime > max(source.stat().st_mtime for source in sources)


def shown(name: str, caption: str) -> str:
    """A figure in both themes, as MyST."""
    return "\n\n".join(
        f"```{{figure}} /_generated/figures/{name}{suffix}.svg\n:class: {theme}\n:figclass: {theme}\n"
        f":alt: {caption}\n\n{caption}\n```"
        for suffix, theme in (("", "only-light"), ("-dark", "only-dark"))
    )


def draw_all(app) -> None:
    for name, path in modules().items():
        if not is_current(path):
            print(f"drawing {name}", flush=True)
            draw(path)


def add_figure(app, docname: str, source: list[str]) -> None:
    """Put the figure of a method page before its first heading of second rank."""
    folder, _, name = docname.rpartition("/")
    if folder != "methods" or name not in modules():
        return
    opening, heading, rest = source[0].partition("\n## ")
    source[0] = f"{opening}\n{shown(name, caption_of(modules()[name]))}\n{heading}{rest}"


def setup(app) -> dict:
    app.connect("builder-inited", draw_all)
    app.connect("source-read", add_figure)
    return {"parallel_read_safe": True}
