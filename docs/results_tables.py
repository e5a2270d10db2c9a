"""Write the tables of docs/results/README.md from the pages of the runs, which `nearkin reproduce` writes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sections import table

from nearkin.experiments import load_paper

RESULTS = Path(__file__).parent / "results"
#: The table of a page that sets our numbers beside the published ones, and its columns.
HEADING = "## Published numbers reached"
#: A cell that fell short, by how much, and no reason: it was found out after the run.
UNEXPLAINED = re.compile(r"(?P<label>[^;()]+) \((?P<difference>[+−-][\d.]+)\)")
#: Share of the cells, in percent, that should be reached: of proposed methods, and of those compared with.
GOALS = {True: 90, False: 85}
COLUMNS = ("table", "method", "cells", "at or better", "within one sd", "within our sd", "worse", "worse on")


@dataclass(frozen=True)
class Reached:
    """A line of that table."""

    run: str
    table: str
    method: str
    own: bool
    cells: int
    better: int
    within: int
    within_own: int
    worse: str


def runs_table() -> str:
    """Every run that is kept, with its commit and headline."""
    rows = []
    for path in sorted(RESULTS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        headline = re.search(r"^\*\*(.+)\*\*$", text, re.MULTILINE)
        if headline:
            rows.append([f"[{_title(text)}]({path.name})", _date(text), _commit(text), headline[1]])
    return table(["run", "of", "commit", "outcome"], rows)


def reached_table() -> str:
    """Of every full run: how the methods' numbers compare with the published ones, and the sums."""
    lines = [line for path in sorted(RESULTS.glob("*.md")) for line in reached(path)]
    rows = [
        [
            line.run,
            line.method + (" (proposed)" if line.own else ""),
            line.table,
            *map(str, (line.cells, line.better, line.within, line.within_own, _worse(line))),
            line.worse,
        ]
        for line in lines
    ]
    counts = ["cells", "at or better", "within one sd", "within our sd", "worse"]
    body = table(["run", "method", "table", *counts, "worse on, and why"], rows)
    return "\n\n".join([body, *(_sum(lines, own) for own in (True, False))])


def reached(path: Path) -> list[Reached]:
    """The lines of a page; none of quick runs, nor of pages that are no run."""
    text = path.read_text(encoding="utf-8")
    title = _title(text)
    if HEADING not in text or "quick" in title or path.name == "README.md":
        return []
    rows = _rows(text.split(HEADING, 1)[1].split("\n## ", 1)[0])
    if rows and tuple(rows[0]) != COLUMNS:
        raise ValueError(f"{path.name} is of an older form; write it anew with nearkin reproduce.")
    lines = []
    for row in rows[2:]:
        name, method, cells, better, within, within_own, _, *worse = row
        counts = (int(number) for number in (cells, better, within, within_own))
        label = method.rstrip("*")
        why = _explained(" ".join(worse).strip(), title, name, label)
        lines.append(Reached(title, name, label, method.endswith("*"), *counts, why))
    return lines


def _explained(worse: str, run: str, table_name: str, method: str) -> str:
    """What fell short, with the reasons that the paper's declaration has by now."""

    def with_reason(cell: re.Match) -> str:
        paper = load_paper(run)
        metric = next(published.metric for published in paper.tables if published.name == table_name)
        reason = paper.reasons.get((metric, cell["label"].strip(), method), "")
        return f"{cell['label']} ({cell['difference']}{reason and f': {reason}'})"

    return UNEXPLAINED.sub(with_reason, worse)


def _rows(part: str) -> list[list[str]]:
    """Cells of the Markdown table in a part of a page."""
    return [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        for line in part.splitlines()
        if line.startswith("|")
    ]


def _worse(line: Reached) -> int:
    return line.cells - line.better - line.within - line.within_own


def _sum(lines: list[Reached], own: bool) -> str:
    chosen = [line for line in lines if line.own == own]
    cells = sum(line.cells for line in chosen)
    good = sum(line.better + line.within for line in chosen)
    loose = sum(line.within_own for line in chosen)
    who = "Methods that the papers propose" if own else "Methods that they compare with"
    share = f" ({100 * good / cells:.0f} %)" if cells else ""
    both = f" ({100 * (good + loose) / cells:.0f} % with them; the goal is {GOALS[own]} %)" if cells else ""
    return (
        f"{who}: {good} of {cells} cells{share} are at or better than published or within one published "
        f"standard deviation; {loose} more{both} are within our own where none is printed."
    )


def _title(text: str) -> str:
    return text.partition("\n")[0].removeprefix("# ")


def _date(text: str) -> str:
    found = re.search(r"run of (\d{4}-\d\d-\d\d)", text)
    return found[1] if found else ""


def _commit(text: str) -> str:
    found = re.search(r"\bCommits? ([0-9a-f]{7,}(?:\+changes)?(?:, [0-9a-f]{7,}(?:\+changes)?)*)", text)
    return found[1] if found else "not recorded"
