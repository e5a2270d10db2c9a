"""Write the tables of learners, methods, examples and results into the pages that show them.

They come from the classes and from the first lines of pages and examples: there are no lists to keep. Run
it after adding one of these::

    python docs/build.py

A test compares the pages with what this script would write.
"""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from pathlib import Path

from results_tables import reached_table, runs_table
from sections import renewed, table

import nearkin
from nearkin.learners.discovery import public_learners

DOCS = Path(__file__).parent
ROOT = DOCS.parent
METHODS = DOCS / "methods" / "index.md"


@cache
def method_pages() -> dict[Path, tuple[str, ...]]:
    """Pages of methods, those of the quickest families first, with the learners that their titles name."""
    learners = sorted(public_learners(), key=_place)
    pages = {}
    for path in set((DOCS / "methods").glob("*.md")) - {METHODS}:
        title = path.read_text(encoding="utf-8").partition("\n")[0]
        pages[path] = tuple(name for name in learners if re.search(rf"\b{name}\b", title))
    # Titles without a learner come last.
    last = (True, "~")
    return dict(sorted(pages.items(), key=lambda item: (min(map(_place, item[1]), default=last), item[0])))


def page_of(learner: str) -> Path:
    """The page whose title names the learner."""
    for path, learners in method_pages().items():
        if learner in learners:
            return path
    raise LookupError(f"no page in docs/methods has {learner} in its title.")


def family_of(learner: type) -> str:
    """The folder of a learner, in words."""
    return learner.__module__.split(".")[2].replace("_", " ")


def _place(name: str) -> tuple:
    """Where a learner stands in tables: by family and module, compositions of one's own last."""
    learner = public_learners()[name]
    return not learner.ready, family_of(learner), learner.__module__, name


def opening(path: Path) -> str:
    """The first sentence of a page."""
    paragraph = path.read_text(encoding="utf-8").split("\n\n")[1]
    return re.match(r".*?[.](?=\s|$)", " ".join(paragraph.split()))[0]


def first_line(doc: str | None) -> str:
    return (doc or "").partition("\n")[0]


def learners_table() -> str:
    """For the README: every learner and predictor in a line."""
    rows = [
        [f"[`{name}`](docs/methods/{page_of(name).name})", learner.summary, family_of(learner)]
        for name, learner in sorted(public_learners().items(), key=lambda item: _place(item[0]))
    ]
    predictors = {name: getattr(nearkin, name) for name in nearkin.__all__ if name not in public_learners()}
    rows += [
        [f"`{name}`", first_line(inspect.getdoc(item)), "prediction"]
        for name, item in predictors.items()
        if inspect.isclass(item) and hasattr(item, "predict")
    ]
    return table(["learner", "what it does", "kind"], rows)


def glance_table() -> str:
    """For the guide: what each learner takes, costs and leaves."""
    rows = []
    for name in sorted(public_learners(), key=_place):
        learner = public_learners()[name]
        transforms = "yes" if hasattr(learner, "transform") else "no"
        rows.append(
            [
                f"[`{name}`](methods/{page_of(name).name})",
                ", ".join(learner.tasks),
                family_of(learner),
                learner.cost,
                "yes" if learner.accepts_sparse else "no",
                "no, it predicts itself" if hasattr(learner, "predict") else transforms,
            ]
        )
    return table(["learner", "for", "kind", "cost", "sparse rows", "`transform`"], rows)


def methods_table() -> str:
    """For the index of the methods: every page."""
    rows = [
        [f"[{_title(path)}]({path.name})", ", ".join(f"`{name}`" for name in learners), opening(path)]
        for path, learners in method_pages().items()
    ]
    return table(["page", "learners", "in a sentence"], rows)


def examples_table() -> str:
    """For the index: every example and what it shows."""
    rows = []
    for path in sorted((ROOT / "examples").glob("*.py")):
        doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        rows.append([f"[{path.name}](../examples/{path.name})", first_line(doc)])
    return table(["example", "what it shows"], rows)


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


#: Generated parts by the page that shows them.
PARTS = {
    ROOT / "README.md": {"learners": learners_table},
    METHODS: {"methods": methods_table},
    DOCS / "README.md": {"examples": examples_table},
    DOCS / "which-learner.md": {"learners": glance_table},
    DOCS / "results" / "README.md": {"results": runs_table, "reached": reached_table},
}


def files() -> dict[Path, str]:
    """Every page that shows a generated table, with the text it should have."""
    pages = {}
    for path, parts in PARTS.items():
        text = path.read_text(encoding="utf-8")
        for name, body in parts.items():
            text = renewed(text, name, body())
        pages[path] = text
    return pages
