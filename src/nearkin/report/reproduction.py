"""The page of a repeated experiment, from plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from nearkin.files import replacing
from nearkin.report.html import render_page
from nearkin.report.plots.boxes import box_figure
from nearkin.report.plots.critical_difference import critical_difference_figure
from nearkin.report.plots.drawn import bars_figure, curves_figure, map_figure
from nearkin.report.plots.published import published_figure
from nearkin.report.sections import Plot, Section, Table, Template
from nearkin.report.words import seconds_text


def write_reproduction(
    path: str | Path,
    found: Mapping[str, Any],
    tables: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    notices: Sequence[str] = (),
) -> Path:
    """Write the page of one reproduction; the file needs nothing beside it.

    Parameters
    ----------
    found : mapping
        The reproduction in plain values: "paper", "citation", "headline", "tables", "statistics",
        "claims", "used", "absent", "command", "versions" and the other circumstances; under "figures" the
        paper's, each with "title", what it "published" and "drawing".
    tables : mapping
        The same as text: under "claims", "results", "agreement", "statistics" and "datasets" a list
        of tables with "title", "note", "columns" and "rows".
    notices : sequence of str
        Where the run differs from the paper, and what did not go well.
    """
    sections = [
        _claims(tables["claims"]),
        _differences(notices),
        *_results(found["tables"], tables["results"]),
        *_figures(found.get("figures", ())),
        _agreement(tables["agreement"]),
        _statistics(found["statistics"], tables["statistics"], found.get("figures", ())),
        _datasets(tables["datasets"]),
        _circumstances(found),
    ]
    page = render_page(
        [section for section in sections if section is not None],
        title=f"{found['paper']}{' (quick)' if found['quick'] else ''}",
        headline=f"{found['citation']}. {found['headline']}",
        tiles=_tiles(found),
    )
    path = Path(path)
    with replacing(path, "w", encoding="utf-8") as file:
        file.write(page)
    return path


def _tiles(found: Mapping[str, Any]) -> list[dict[str, str]]:
    answers = [claim["here"]["answer"] for claim in found["claims"] if not claim.get("beyond")]
    tested = [answer for answer in answers if answer != "not tested"]
    # A set in two forms, such as two numbers of dimensions, is one set.
    used = {one["name"] for one in found["used"]}
    every = used | {one["name"] for one in found["absent"]}
    return [
        {
            "label": "Claims of the paper that hold",
            "value": f"{tested.count('yes')} of {len(tested)}",
            "note": "tested",
        },
        {"label": "Data sets", "value": f"{len(used)} of {len(every)}", "note": "took part"},
        {"label": "Time", "value": seconds_text(found["work_seconds"]), "note": "of fitting, one core"},
    ]


def _as_table(table: Mapping[str, Any], caption: str | None = None) -> Table:
    return Table(table["columns"], table["rows"], table["title"] if caption is None else caption)


def _claims(tables: Sequence[Mapping[str, Any]]) -> Section | None:
    explanation = (
        "What the paper says about its results, put to the numbers measured here and to those it prints. "
        "“Mostly” is a claim about all cases that holds on more than half of them."
    )
    contents = [_as_table(table, "" if number == 0 else None) for number, table in enumerate(tables)]
    return Section("claims", "Claims", explanation, contents) if contents else None


def _differences(notices: Sequence[str]) -> Section | None:
    explanation = "Where this run is not what the paper describes, and what did not go well."
    contents = [Template("list.html.j2", {"lines": notices})]
    return Section("differences", "Differences from the paper", explanation, contents) if notices else None


def _results(found: Sequence[Mapping[str, Any]], tables: Sequence[Mapping[str, Any]]) -> list[Section]:
    sections = []
    for number, (table, text) in enumerate(zip(found, tables, strict=True)):
        figure = published_figure(table["rows"], table["methods"], table["metric"], table["decimals"])
        contents: list[Plot | Table | Template] = [Plot(figure, role="published"), _as_table(text, "")]
        sections.append(Section(f"results{number}", text["title"], _sentence(text["note"]), contents))
    return sections


def _figures(figures: Sequence[Mapping[str, Any]]) -> list[Section]:
    """The paper's figures, ours beside what the paper says that its own show."""
    sections = []
    for number, figure in enumerate(figures):
        drawing = figure["drawing"]
        contents: list[Plot | Table | Template] = [
            Plot(_panel(drawing["kind"], panel), panel["title"], role="figure") for panel in drawing["panels"]
        ]
        text = f"In the paper: {figure['published']} Here: {drawing['text']}"
        sections.append(Section(f"figure{number}", figure["title"], text, contents, columns=2))
    return sections


def _panel(kind: str, panel: Mapping[str, Any]) -> go.Figure:
    if kind == "bars":
        return bars_figure(panel["bars"], panel["axis"])
    if kind == "boxes":
        return box_figure(panel["boxes"], panel["labels"], panel["axis"])
    return curves_figure(panel) if kind == "curves" else map_figure(panel)


def _sentence(text: str) -> str:
    """With a capital and a full stop; a name that begins in small letters, such as aRRMSE, stays as it is."""
    first = text.partition(",")[0]
    capital = text[:1].upper() if first == first.lower() else text[:1]
    return f"{capital}{text[1:].rstrip('.')}."


def _agreement(tables: Sequence[Mapping[str, Any]]) -> Section | None:
    if not tables:
        return None
    return Section("agreement", tables[0]["title"], tables[0]["note"], [_as_table(tables[0], "")])


def _statistics(
    found: Sequence[Mapping[str, Any]],
    tables: Sequence[Mapping[str, Any]],
    figures: Sequence[Mapping[str, Any]],
) -> Section | None:
    contents: list[Plot | Table | Template] = []
    # Boxes that are a figure of the paper are drawn there.
    has_boxes = any(figure["drawing"]["kind"] == "boxes" for figure in figures)
    for statistic, text in zip(found, tables, strict=True):
        drawing = statistic["drawing"]
        if drawing.get("kind") == "ranks":
            figure = critical_difference_figure(
                drawing["ranks"], drawing["critical_difference"], highlight=drawing["highlight"]
            )
            contents.append(Plot(figure, "Average ranks", role="ranks"))
        elif drawing.get("kind") == "boxes" and not has_boxes:
            figure = box_figure(drawing["boxes"], drawing["labels"], drawing["axis"])
            contents.append(Plot(figure, statistic["title"], role="boxes"))
        contents.append(_as_table(text, f"{text['title']}. {text['note']}"))
    explanation = "Tests on the numbers measured here: the paper's own, or those that its claims call for."
    return Section("statistics", "Statistics", explanation, contents) if contents else None


def _datasets(tables: Sequence[Mapping[str, Any]]) -> Section | None:
    explanation = "Every set of the paper is here: those that took part, and those that did not and why."
    contents = [_as_table(table) for table in tables]
    return Section("datasets", "Data sets", explanation, contents) if contents else None


def _circumstances(found: Mapping[str, Any]) -> Section:
    rows = [
        ("command", found["command"]),
        ("protocol", found["protocol"]),
        ("date", found["date"]),
        ("seed", str(found["seed"])),
        ("time on the clock", seconds_text(found["seconds"])),
        *((name, value) for name, value in found["versions"].items() if name != "commit"),
        *((("commit", ", ".join(found["commits"])),) if found.get("commits") else ()),
    ]
    table = Table(("what", "value"), rows)
    return Section("settings", "Settings and versions", "Everything needed to run this again.", [table])
