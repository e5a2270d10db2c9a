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
#: A cell with both numbers.
BESIDE = re.compile(r"(?P<ours>[\d.]+)†? / (?P<published>[\d.]+)(?:±(?P<sd>[\d.]+))? \(.*\)")
#: A cell that fell short, by how much, and no reason: it was found out after the run.
UNEXPLAINED = re.compile(r"(?P<label>[^;()]+) \((?P<difference>[+−-][\d.]+)\)")
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
    """The lines of a page; none of quick runs. Of pages from before the table had these columns, they are
    counted from its other tables, in which our own deviations are not told."""
    text = path.read_text(encoding="utf-8")
    title = _title(text)
    if HEADING not in text or "quick" in title or path.name == "README.md":
        return []
    rows = _rows(text.split(HEADING, 1)[1].split("\n## ", 1)[0])
    if not rows or tuple(rows[0]) != COLUMNS:
        return _counted(text, title)
    lines = []
    for row in rows[2:]:
        name, method, cells, better, within, within_own, _, *worse = row
        counts = (int(number) for number in (cells, better, within, within_own))
        label = method.rstrip("*")
        why = _explained(" ".join(worse).strip(), title, label)
        lines.append(Reached(title, name, label, method.endswith("*"), *counts, why))
    return lines


def _explained(worse: str, run: str, method: str) -> str:
    """What fell short, with the reasons that the paper's declaration has by now."""

    def with_reason(cell: re.Match) -> str:
        reason = load_paper(run).reasons.get((cell["label"].strip(), method), "")
        return f"{cell['label']} ({cell['difference']}{reason and f': {reason}'})"

    return UNEXPLAINED.sub(with_reason, worse)


def _rows(part: str) -> list[list[str]]:
    """Cells of the Markdown table in a part of a page."""
    return [
        [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        for line in part.splitlines()
        if line.startswith("|")
    ]


def _counted(text: str, run: str) -> list[Reached]:
    own = {method.label for method in load_paper(run).methods if method.own}
    lines = []
    for part in text.split("\n## ")[1:]:
        measure = re.search(r"^(accuracy|error|aRRMSE), (larger|smaller) is better", part, re.MULTILINE)
        if not measure:
            continue
        (_, *methods), _, *rows = _rows(part)
        for place, method in enumerate(methods, 1):
            cells = {row[0]: BESIDE.fullmatch(row[place]) for row in rows}
            gains = {label: _gain(cell, measure[2] == "larger") for label, cell in cells.items() if cell}
            if not gains:
                continue
            better = sum(gain >= 0 for gain, _ in gains.values())
            worse = [label for label, (gain, sd) in gains.items() if gain < 0 and -gain > sd]
            within = len(gains) - better - len(worse)
            name = part.partition("\n")[0]
            why = f"{', '.join(worse)} (an older run, see below)" if worse else ""
            lines.append(Reached(run, name, method, method in own, len(gains), better, within, 0, why))
    return lines


def _gain(cell: re.Match, larger_is_better: bool) -> tuple[float, float]:
    """How much better than published, and the published standard deviation (0 where none is printed)."""
    gain = float(cell["ours"]) - float(cell["published"])
    return round(gain if larger_is_better else -gain, 6), float(cell["sd"] or 0)


def _worse(line: Reached) -> int:
    return line.cells - line.better - line.within - line.within_own


def _sum(lines: list[Reached], own: bool) -> str:
    chosen = [line for line in lines if line.own == own]
    cells = sum(line.cells for line in chosen)
    good = sum(line.better + line.within for line in chosen)
    loose = sum(line.within_own for line in chosen)
    who = "Methods that the papers propose" if own else "Methods that they compare with"
    share = f" ({100 * good / cells:.0f} %)" if cells else ""
    both = f" ({100 * (good + loose) / cells:.0f} % with them)" if cells else ""
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
