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


FIGURES = [path for path in sorted((DOCS / "figures").glob("*.py")) if not path.stem.startswith("_")]


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.stem)
def test_figures_belong_to_a_page_and_have_a_caption(path, extension):
    figures = extension("method_figures")
    assert figures.caption_of(path).endswith(".")
    assert callable(figures.loaded(path).draw)
    shown = f"/_generated/figures/{path.stem}.svg"
    pages = [page.read_text(encoding="utf-8") for page in DOCS.glob("*.md")]
    assert (DOCS / "methods" / f"{path.stem}.md").exists() or any(shown in page for page in pages)


TOY = '''"""A line
from here to there."""

import matplotlib.pyplot as plt


def draw(path):
    fig, ax = plt.subplots()
    ax.plot([0, 1], color="C1")
    ax.set_title("up")
    fig.savefig(path)
'''


def test_a_figure_is_drawn_for_both_themes(tmp_path, extension):
    figures = extension("method_figures")
    module = tmp_path / "toy.py"
    module.write_text(TOY)
    figures.draw(module, tmp_path)
    light, dark = ((tmp_path / name).read_text() for name in ("toy.svg", "toy-dark.svg"))
    for colour, replaced in figures.DARK.items():
        assert colour not in dark
        assert (colour in light) == (replaced in dark)
    assert "#24292f" in light
    assert "#e07b39" in light  # C1 is the same in both
    assert "#e07b39" in dark
    assert figures.caption_of(module) == "A line from here to there."


def test_a_figure_stands_below_the_opening_of_its_page(extension, monkeypatch, tmp_path):
    figures = extension("method_figures")
    (tmp_path / "toy.py").write_text(TOY)
    monkeypatch.setattr(figures, "FIGURES", tmp_path)
    source = ["# Toy\n\nOpening.\n\n## Idea\n\nText.\n\n## Formula\n"]
    figures.add_figure(None, "methods/toy", source)
    opening, _, rest = source[0].partition("## Idea")
    assert opening.startswith("# Toy\n\nOpening.\n")
    assert opening.count("toy.svg") == opening.count("toy-dark.svg") == 1
    assert "figure" not in rest
    untouched = ["# Toy\n\n## Idea\n"]
    figures.add_figure(None, "toy", untouched)
    assert untouched == ["# Toy\n\n## Idea\n"]


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
