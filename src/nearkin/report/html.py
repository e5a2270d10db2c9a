"""Sections to one self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

import jinja2

from nearkin.evaluation import Comparison, choose_winner
from nearkin.files import replacing
from nearkin.report.circumstances import Circumstances
from nearkin.report.leaderboard import tags_of
from nearkin.report.sections import Plot, Section, Table, Template, build_sections
from nearkin.report.theme import PAGE_INKS
from nearkin.report.views import Views
from nearkin.report.words import seconds_text, short_setting, value_text


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("nearkin.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["tags"] = tags_of
    environment.filters["setting"] = value_text
    environment.filters["short"] = short_setting
    environment.tests["plot"] = lambda item: isinstance(item, Plot)
    environment.tests["table"] = lambda item: isinstance(item, Table)
    environment.tests["piece"] = lambda item: isinstance(item, Template)
    return environment


def _script_json(text: str) -> str:
    """JSON that may stand inside a script element: no tag can be closed from within."""
    return text.replace("<", "\\u003c").replace("&", "\\u0026")


def _figure_json(plot: Plot) -> str:
    text = plot.figure.to_json()
    for ink, variable in PAGE_INKS.items():
        text = text.replace(f'"{ink}"', f'"{variable}"')
    return _script_json(text)


def _data_json(data: Any) -> str:
    return _script_json(json.dumps(data, allow_nan=False, default=str))


def _plotly() -> str:
    import plotly.offline

    return plotly.offline.get_plotlyjs()


def render_page(
    sections: Sequence[Section],
    *,
    title: str,
    headline: str = "",
    tiles: Sequence[dict[str, str]] = (),
    notices: Sequence[str] = (),
    embed_plotly: bool = False,
) -> str:
    """The whole page as text, styles and scripts inside, nothing fetched.

    Parameters
    ----------
    sections : sequence of Section
    title, headline : str
        The large first line and the sentence below it.
    tiles : sequence of dict
        Key figures under the headline, each with "label", "value" and "note".
    notices : sequence of str
        What the reader should know before trusting the numbers.
    embed_plotly : bool
        Put plotly.js (some 5 MB) into the page, which then zooms, pans and saves figures; without it the
        page draws them by itself.
    """
    environment = _templates()
    environment.globals.update(figure_json=_figure_json, data_json=_data_json, embedding_data=asdict)
    source = environment.loader
    assert source is not None
    names = ("report.css", "report.js", "figures.js")
    parts = {name: source.get_source(environment, name)[0] for name in names}
    return environment.get_template("report.html.j2").render(
        title=title,
        headline=headline,
        tiles=tiles,
        notices=notices,
        sections=sections,
        css=parts["report.css"],
        script=parts["report.js"],
        drawing=_plotly() if embed_plotly else parts["figures.js"],
    )


def key_figures(comparison: Comparison) -> list[dict[str, str]]:
    """The tiles under the headline: winner, Euclid, hubs and time."""
    found, baseline = choose_winner(comparison.rows), comparison.row(comparison.baseline)
    if found is None:
        return []
    winner = found.standing
    metric = comparison.metric
    tiles = [{"label": f"Best: {winner.label}", "value": metric.text(winner.mean), "note": metric.name}]
    if baseline.finished and winner is not baseline:
        note = f"{winner.label} {metric.text(winner.difference, signed=True)}"
        tiles.append({"label": baseline.label, "value": metric.text(baseline.mean), "note": note})
        if winner.hub_skewness is not None and baseline.hub_skewness is not None:
            value = f"{baseline.hub_skewness:.1f} → {winner.hub_skewness:.1f}"
            tiles.append({"label": "Hub skewness", "value": value, "note": "before → after"})
    elif winner.hub_skewness is not None:
        value = f"{winner.hub_skewness:.1f}"
        tiles.append({"label": "Hub skewness", "value": value, "note": winner.label})
    if winner.fit_seconds is not None:
        fit = seconds_text(winner.fit_seconds)
        tiles.append({"label": "Time to fit", "value": fit, "note": winner.label})
    return tiles


def render_report(
    comparison: Comparison,
    views: Views | None = None,
    circumstances: Circumstances | None = None,
    *,
    embed_plotly: bool = False,
) -> str:
    """The report of one comparison as HTML text; `embed_plotly` as in `render_page`."""
    circumstances = circumstances or Circumstances()
    return render_page(
        build_sections(comparison, views or Views(), circumstances),
        title=comparison.dataset,
        headline=comparison.statement,
        tiles=key_figures(comparison),
        notices=circumstances.notices,
        embed_plotly=embed_plotly,
    )


def write_report(
    path: str | PathLike,
    comparison: Comparison,
    views: Views | None = None,
    circumstances: Circumstances | None = None,
    *,
    embed_plotly: bool = False,
) -> Path:
    """Write the report of one comparison; the file needs nothing beside it."""
    path = Path(path)
    with replacing(path, "w", encoding="utf-8") as file:
        file.write(render_report(comparison, views, circumstances, embed_plotly=embed_plotly))
    return path
