"""The report as a list of small sections; a new one is a function and a line in `SECTIONS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from nearkin.evaluation import Comparison, Hubness
from nearkin.report import plots
from nearkin.report.circumstances import Circumstances
from nearkin.report.views import Views

#: Hubs listed by name.
MAX_HUBS = 8


@dataclass(frozen=True)
class Plot:
    """A figure with its caption; `role` lets the page's script find figures that work together.

    A `wide` figure takes the whole width of a section of two columns.
    """

    figure: go.Figure
    caption: str = ""
    role: str = ""
    wide: bool = False


@dataclass(frozen=True)
class Table:
    """A plain table; cells are text."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Template:
    """A piece of HTML from the templates folder, with its data."""

    name: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Section:
    """A heading, an explanation for someone who sees this for the first time, and its contents.

    Contents stand beside each other where the window is wide enough if `columns` is 2.
    """

    key: str
    title: str
    explanation: str
    contents: Sequence[Plot | Table | Template]
    columns: int = 1


def leaderboard(comparison: Comparison, views: Views) -> Section:
    test = (
        f" “Beats {comparison.baseline}?” is a {comparison.test} on the same folds: p as such, and adjusted "
        "by Holm for the number of rows, which decides."
    )
    explanation = (
        f"The score is {comparison.metric.name} on held-out folds; settings were chosen inside the training "
        "folds only. Dots are means, thick lines 95 % intervals, faint ticks the single folds; the dotted "
        f"line is plain Euclidean nearest neighbours.{test}"
    )
    if any(row.reference for row in comparison.rows):
        explanation += " Diamonds are models that do not use neighbours, shown for comparison only."
    contents: list[Plot | Table | Template] = [Template("leaderboard.html.j2", {"comparison": comparison})]
    if comparison.finished:
        contents.append(Plot(plots.leaderboard_figure(comparison), role="leaderboard"))
    return Section("leaderboard", "Leaderboard", explanation, contents)


def hubness(comparison: Comparison, views: Views) -> Section | None:
    contents: list[Plot | Table | Template] = []
    if views.hubness:
        contents.append(
            Plot(plots.occurrence_figure(views.hubness), "Before and after learning", role="hubness")
        )
    if sum(row.hub_skewness is not None for row in comparison.finished) > 1:
        contents.append(Plot(plots.skewness_figure(comparison), "Mean skewness over the folds"))
    contents += [_hub_table(name, found) for name, found in views.hubness.items()]
    if not contents:
        return None
    explanation = (
        "A hub is a reference that turns up among the nearest neighbours of very many queries, and so "
        "decides more predictions than it should; an anti-hub never turns up at all. A skewness near zero "
        "means that the references share the work evenly. The histogram adds up the folds, so its skewness "
        "is not the mean of theirs."
    )
    if any(found.bad_occurrences is not None for found in views.hubness.values()):
        explanation += " “Bad” appearances are beside a query of another class."
    return Section("hubness", "Hubness", explanation, contents, columns=2)


def _hub_table(name: str, found: Hubness) -> Table:
    with_bad = found.bad_occurrences is not None
    columns = ["row", "label", f"N{found.k}"] + (["of these bad"] if with_bad else [])
    rows = [
        [str(hub["row"]), _label(hub["label"]), str(hub["count"])] + ([str(hub["bad"])] if with_bad else [])
        for hub in found.largest(MAX_HUBS)
    ]
    caption = (
        f"{name}: largest hubs; {100 * found.anti_hub_share:.0f} % "
        f"({len(found.anti_hubs)} of {found.n_references}) are anti-hubs"
    )
    return Table(columns, rows, caption)


def _label(label) -> str:
    return f"{label:.4g}" if isinstance(label, float) else str(label)


def time(comparison: Comparison, views: Views) -> Section | None:
    if sum(row.fit_seconds is not None for row in comparison.finished) < 2:
        return None
    turned = "" if comparison.metric.greater_is_better else " (small errors are up)"
    explanation = f"Mean time of one fit against the score: the upper left is where to be{turned}."
    return Section(
        "time", "Score against time", explanation, [Plot(plots.time_figure(comparison), role="time")]
    )


def embedding(comparison: Comparison, views: Views) -> Section | None:
    view = views.embedding
    if view is None:
        return None
    votes = "; solid lines lead to neighbours that vote for its class, dashed red ones to those that do not"
    explanation = (
        "The two main directions of the data under plain Euclid and under the learned distance. Small faint "
        "points are references, large ones were held out. Point at a held-out one to see the neighbours that "
        f"decide it{votes if view.categorical else ''}. Neighbours are found in the full space, so they need "
        "not look nearest here."
    )
    contents: list[Plot | Table | Template] = []
    for panel in view.panels:
        share = f" ({100 * panel.explained:.0f} % of the variance)" if panel.explained is not None else ""
        contents.append(Plot(plots.embedding_figure(view, panel), panel.name + share, role="embedding"))
    contents.append(Template("neighbours.html.j2", {"view": view}))
    return Section("embedding", "The data before and after", explanation, contents, columns=2)


def confusion(comparison: Comparison, views: Views) -> Section | None:
    if not views.confusion:
        return None
    explanation = f"True classes are rows, predictions columns; numbers are held-out rows. {views.protocol}"
    contents = [Plot(plots.confusion_figure(view), view.name, role="confusion") for view in views.confusion]
    return Section("confusion", "Confusion", explanation, contents, columns=2)


def regression(comparison: Comparison, views: Views) -> Section | None:
    if not views.regression:
        return None
    explanation = (
        f"Predictions of held-out rows against the truth; on the dotted line they agree. {views.protocol}"
    )
    contents = [
        Plot(plots.prediction_figure(target, pair["true"], pair["predicted"]), target, role="regression")
        for target, pair in views.regression.items()
    ]
    return Section("regression", "Predictions", explanation, contents, columns=2)


def local(comparison: Comparison, views: Views) -> Section | None:
    if not views.local:
        return None
    explanation = (
        "Local learners measure differently in different places. Each row is one region or prototype: how "
        "many points of each class fall to it, and how strongly its own metric weighs each feature (the "
        "largest weight is made 1)."
    )
    figures = (
        (plots.local_shares_figure, "points per {}", lambda part: part.shares),
        (plots.local_weights_figure, "what each {} looks at", lambda part: part.weights),
        (
            plots.local_points_figure,
            "the points of each {} as its metric sees them",
            lambda part: len(part.x),
        ),
    )
    contents = [
        Plot(
            draw(learner),
            f"{learner.learner}: {title.format(learner.kind)}",
            role="local",
            wide=draw is plots.local_points_figure,
        )
        for learner in views.local
        for draw, title, has_data in figures
        if any(has_data(part) for part in learner.parts)
    ]
    return Section("local", "Regions and prototypes", explanation, contents, columns=2)


#: In the order of the page, before the circumstances.
SECTIONS: tuple[Callable[[Comparison, Views], Section | None], ...] = (
    leaderboard,
    embedding,
    hubness,
    time,
    confusion,
    regression,
    local,
)


def settings(comparison: Comparison, circumstances: Circumstances) -> Section:
    data = {"comparison": comparison, "circumstances": circumstances}
    explanation = "Everything needed to run this again."
    return Section("settings", "Settings and versions", explanation, [Template("settings.html.j2", data)])


def build_sections(comparison: Comparison, views: Views, circumstances: Circumstances) -> list[Section]:
    """Every section that has something to show."""
    made = [make(comparison, views) for make in SECTIONS]
    return [section for section in made if section is not None] + [settings(comparison, circumstances)]
