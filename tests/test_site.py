"""What the site adds to the pages: figures, links out of docs/, docstrings."""

import importlib
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def extension():
    """Modules of docs/_extensions, which is no package."""
    pytest.importorskip("matplotlib")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS / "_extensions")
        yield importlib.import_module


SVG = '<path style="fill: #24292f; stroke: #000000"/><path style="fill: #2563eb"/>'


def test_a_figure_is_drawn_for_both_themes(tmp_path, extension):
    figures = extension("themed_figures")
    figures.draw("toy", tmp_path, drawing=lambda name, path: path.write_text(SVG))
    light, dark = ((tmp_path / name).read_text() for name in ("toy.svg", "toy-dark.svg"))
    assert light == SVG
    assert dark == '<path style="fill: #e6e8eb; stroke: #e6e8eb"/><path style="fill: #2563eb"/>'


def test_figures_on_the_site_have_no_ground(tmp_path, extension):
    extension("themed_figures").draw("rca", tmp_path)
    for name in ("rca.svg", "rca-dark.svg"):
        assert "fill: #ffffff" not in (tmp_path / name).read_text()


def test_a_page_shows_a_figure_in_both_themes(extension):
    source = ["# Toy\n\n![What it does](../figures/toy.svg)\n\n![Another](picture.png)\n"]
    extension("themed_figures").show(None, "methods/toy", source)
    assert source[0].count("/_generated/figures/toy.svg") == source[0].count("toy-dark.svg") == 1
    assert source[0].count("\nWhat it does\n") == 2
    assert "![Another](picture.png)" in source[0]


@pytest.mark.parametrize(
    ("path", "docname", "expected"),
    [
        ("CONTRIBUTING.md", "architecture", "/project/contributing.md"),
        ("examples/multi_target.py", "methods/dmlmtp", "/gallery/multi_target.rst"),
        ("examples/needs_data.py", "embeddings", "../examples/needs_data.py"),
        ("docs/hubness.md", "methods/move", "/hubness.md"),
        ("src/nearkin/pairwise/policy.py", "project/pairwise", "../../src/nearkin/pairwise/policy.py"),
    ],
)
def test_links_out_of_docs_lead_to_their_place_on_the_site(path, docname, expected, extension):
    links = extension("repository_links")
    assert links.place_of(path, docname, lambda name: "needs_data" not in name) == expected


def test_every_page_that_includes_a_file_names_it(extension):
    for page, name in extension("repository_links").INCLUDED.items():
        assert f"(../../{name})" in (DOCS / f"{page}.md").read_text(encoding="utf-8")


def test_bars_and_underscores_of_prose_are_no_markup(extension):
    lines = ["The norm |x - y| of `a | b`::", "", "    |x_|", "", "and |z| [1]_.", "(n_in_,)", ">>> 1 | 2"]
    extension("docstrings").keep_as_written(None, "class", "name", None, None, lines)
    kept = [
        r"The norm \|x - y\| of `a | b`::",
        "",
        "    |x_|",
        "",
        r"and \|z\| [1]_.",
        r"(n_in\_,)",
        ">>> 1 | 2",
    ]
    assert lines == kept
