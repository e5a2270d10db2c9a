"""Write the first numbers that readers see, in README.md and on the site, from the pages that keep them.

The demo's table in README.md, the table of docs/embeddings.md and those of docs/results/benchmarks.md come
from runs; what is shown of them elsewhere is copied by this script, never by hand::

    python docs/build.py

A test compares the pages with what this script would write.
"""

from __future__ import annotations

import re
from pathlib import Path

from sections import renewed, table

DOCS = Path(__file__).parent
ROOT = DOCS.parent
README, INDEX = ROOT / "README.md", DOCS / "index.md"
EMBEDDINGS, BENCHMARKS = DOCS / "embeddings.md", DOCS / "results" / "benchmarks.md"


def tables_of(text: str) -> list[tuple[list[str], list[list[str]]]]:
    """Header and rows of every Markdown table of a page."""
    found = []
    for block in re.findall(r"(?:^\|.*\|$\n?)+", text, re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.strip().splitlines()]
        found.append((lines[0], lines[2:]))
    return found


def column(path: Path, header: str, beside: int = 0) -> dict[str, str]:
    """The first column whose header matches (or one beside it), by the first cell of the row."""
    for names, rows in tables_of(path.read_text(encoding="utf-8")):
        for place, name in enumerate(names):
            if re.search(header, name):
                return {row[0]: row[place + beside] for row in rows}
    raise LookupError(f"{path.relative_to(ROOT)} has no table with a column like {header!r}.")


def demo_scores() -> tuple[str, str, str]:
    """The winner of the demo, its accuracy and that of Euclid."""
    block = README.read_text(encoding="utf-8").partition("<!-- demo:")[2].partition("<!-- end of demo")[0]
    scores = re.findall(r"^ (\w+) \(×\d+\) +(\d+\.\d %)", block, re.MULTILINE)
    return *scores[0], dict(scores)["Euclid"]


def index_scores() -> tuple[str, str]:
    """How often the first neighbour is right on trec, with the index as it is and with its vectors moved."""
    first = column(EMBEDDINGS, "trec: 1-NN")
    return first["index as it is"], first["Move-labeled (default)"]


def results_table() -> str:
    winner, learned, euclid = demo_scores()
    before, after = index_scores()
    rows = [
        ["vehicle silhouettes, 5-NN accuracy (`make demo`)", euclid, f"**{learned}** ({winner})"],
        [
            "a vector index of questions, first answer of the right type",
            before,
            f"**{after}** (stored vectors moved, queries unchanged)",
        ],
    ]
    return table(["", "plain Euclid", "nearkin"], rows)


def speed_table() -> str:
    """How many times as long as nearkin the peers take, set by set."""
    nca, lmnn = column(BENCHMARKS, "scikit-learn's NCA.*time"), column(BENCHMARKS, "^pylmnn")
    memory = column(BENCHMARKS, "scikit-learn's NCA.*time", beside=1)
    # A cell may go on in words after its number.
    of_kind = {kind(name): value.split(";")[0] for name, value in lmnn.items()}
    rows = [
        [kind(name), f"{value} ×", f"{memory[name]} ×", f"{of_kind[kind(name)]} ×"]
        for name, value in nca.items()
        if kind(name) in of_kind
    ]
    columns = [
        "",
        "NCA: scikit-learn, time",
        "NCA: scikit-learn, memory",
        "LMNN: pylmnn, time to a worse objective",
    ]
    return table(columns, rows)


def kind(name: str) -> str:
    """A data set with its number of features, without that of its rows."""
    return re.sub(r", [\d,]+ x (\d+)$", r", \1 features", name)


def files() -> dict[Path, str]:
    """Both pages with the text they should have."""
    pages = {}
    for path in (README, INDEX):
        text = path.read_text(encoding="utf-8")
        text = renewed(text, "results", results_table())
        pages[path] = renewed(text, "speed", speed_table())
    return pages
