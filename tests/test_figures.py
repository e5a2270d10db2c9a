"""Every method page is whole, and its figure is made by code that always draws the same."""

import importlib
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(path for path in (DOCS / "methods").glob("*.md") if path.stem != "index")
#: What a reader looks for on a page, as headings begin.
PARTS = ("Idea", "When to use it", "Cost", "Reference")


@pytest.fixture(scope="module")
def figures():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        yield importlib.import_module("build_figures")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_method_page_has_all_its_parts(page):
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    for part in PARTS:
        assert any(heading.startswith(part) for heading in headings), f"{page.name} has no part {part!r}"
    assert "```math" in text or "$" in text, f"{page.name} has no formula"
    assert f"](../figures/{page.stem}.svg)" in text, f"{page.name} shows no figure"
    assert (DOCS / "figures" / f"{page.stem}.svg").stat().st_size < 120_000


def test_every_figure_belongs_to_a_page(figures):
    shown = {"landing": DOCS / "index.md", "landing_narrow": DOCS / "index.md", **{p.stem: p for p in PAGES}}
    assert set(figures.figure_names()) == set(shown)
    for name, page in shown.items():
        assert f"figures/{name}.svg)" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["rca", "glml"])
def test_a_figure_is_drawn_alike_each_time(figures, name, tmp_path):
    pytest.importorskip("matplotlib")
    for copy in ("first", "second"):
        figures.draw(name, tmp_path / f"{copy}.svg")
    drawn = (tmp_path / "first.svg").read_bytes()
    assert drawn.startswith(b"<?xml")
    assert drawn == (tmp_path / "second.svg").read_bytes()
