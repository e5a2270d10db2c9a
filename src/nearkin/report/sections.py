"""The report as a list of small sections; a new one is a function and a line in `SECTIONS`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import plotly.graph_objects as go

from nearkin.evaluation import Comparison, Hubness
from nearkin.report import plots
from nearkin.report.circumstances import Circumstances
from nearkin.report.hub_table import hub_table
from nearkin.report.leaderboard import explanations, leaderboard_table
from nearkin.report.plots.confusion import MAX_MATRIX, most_confused
from nearkin.report.views import CostView, EmbeddingView, MissView, PanelView, Views
from nearkin.report.words import seconds_text, size_text


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
    """A plain table; cells are text. `wide` as for a plot."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    wide: bool = False


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
        f" “Beats {comparison.baseline}?” is a {comparison.test} on the same folds. It is decided by the "
        f"adjusted p (Holm's method). “Better/equiv./worse” are the chances, in percent, that a learner is "
        f"better than {comparison.baseline}, practically equivalent, or worse. "
        + " ".join(explanations(comparison))
    )
    tuned = any(row.tuned for row in comparison.rows)
    choice = "; settings were chosen inside the training folds only" if tuned else ", with fixed settings"
    explanation = (
        f"The score is {comparison.metric.name} on held-out folds{choice}. Dots are means, thick "
        "lines 95 % intervals, faint ticks the single folds; the dotted line is plain Euclidean nearest "
        f"neighbours.{test.rstrip()}"
    )
    if any(row.reference for row in comparison.rows):
        explanation += " Diamonds are models that do not use neighbours, shown for comparison only."
    columns, rows = leaderboard_table(comparison)
    lines = [(row, list(zip(columns[1:], cells[1:]))) for row, cells in zip(comparison.rows, rows)]
    data = {"comparison": comparison, "columns": columns, "lines": lines}
    contents: list[Plot | Table | Template] = [Template("leaderboard.html.j2", data)]
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
    contents += [_hub_table(label, found) for label, found in views.hubness.items()]
    if not contents:
        return None
    explanation = (
        "A hub is a reference that turns up among the nearest neighbours of very many queries, and so "
        "decides more predictions than it should; an anti-hub never turns up at all. A skewness near zero "
        "means that the references share the work evenly. The histogram adds up the folds, so its skewness "
        "is not the mean of theirs."
    )
    if any(found.bad_occurrences is not None for found in views.hubness.values()):
        explanation += " “Beside another class” counts its appearances beside queries of another class."
    return Section("hubness", "Hubness", explanation, contents, columns=2)


def _hub_table(label: str, found: Hubness) -> Table:
    columns, rows = hub_table(found)
    caption = (
        f"{label}: largest hubs; {100 * found.anti_hub_share:.0f} % "
        f"({len(found.anti_hubs)} of {found.n_references}) are anti-hubs"
    )
    return Table([column.title for column in columns], rows, caption)


def costs(comparison: Comparison, views: Views) -> Section | None:
    timed = [row for row in comparison.finished if row.fit_seconds is not None]
    if not timed:
        return None
    contents: list[Plot | Table | Template] = []
    explanation = (
        "Time of one fit and of 1,000 predictions, as measured in the folds, and the size of the saved model "
        "fitted on all rows where that was measured."
    )
    if len(timed) > 1:
        turned = "" if comparison.metric.greater_is_better else " (small errors are up)"
        explanation += f" In the plot, the upper left corner is best{turned}."
        contents.append(Plot(plots.time_figure(comparison), role="time"))
    columns = ["learner", "fit", "predict 1,000 rows", "model file"]
    known = [(row, views.costs.get(row.label, CostView())) for row in timed]
    rows = [
        [row.label, seconds_text(row.fit_seconds), seconds_text(cost.predict), size_text(cost.size)]
        for row, cost in known
    ]
    contents.append(Table(columns, rows))
    return Section("costs", "What this costs", explanation, contents)


def embedding(comparison: Comparison, views: Views) -> Section | None:
    view = views.embedding
    if view is None:
        return None
    votes = "; solid lines lead to neighbours that vote for its class, dashed red ones to those that do not"
    explanation = (
        "The same rows under plain Euclid and under the learned distance, drawn so that near points are near "
        "(t-SNE; the size of gaps means little). Small faint points are references, large ones held out. "
        "Point at a held-out one to see the neighbours that decide it, found in the full space"
        f"{votes if view.categorical else ''}."
    )
    contents: list[Plot | Table | Template] = [
        Plot(plots.embedding_figure(view, panel), panel.label + _agreement(view, panel), role="embedding")
        for panel in view.panels
    ]
    contents.append(Template("neighbours.html.j2", {"view": view}))
    return Section("embedding", "The data before and after", explanation, contents, columns=2)


def _agreement(view: EmbeddingView, panel: PanelView) -> str:
    """How many of the neighbours that decide are of the right class."""
    if not view.categorical:
        return ""
    votes = [
        view.labels[other] == view.labels[query]
        for query, neighbours in zip(view.queries, panel.neighbours)
        for other in neighbours
    ]
    return f": {100 * sum(votes) / max(1, len(votes)):.0f} % of the neighbours vote for the right class"


def confusion(comparison: Comparison, views: Views) -> Section | None:
    if not views.confusion:
        return None
    if max(len(view.classes) for view in views.confusion) > MAX_MATRIX:
        return _confused_pairs(views)
    explanation = f"True classes are rows, predictions columns; numbers are held-out rows. {views.protocol}"
    contents = [Plot(plots.confusion_figure(view), view.label, role="confusion") for view in views.confusion]
    return Section("confusion", "Confusion", explanation, contents, columns=2)


def _confused_pairs(views: Views) -> Section:
    n_classes = max(len(view.classes) for view in views.confusion)
    explanation = (
        f"The classes that are taken for one another most often, of {n_classes}; numbers are held-out rows. "
        f"{views.protocol}"
    )
    columns = ["true class", "taken for", *(view.label for view in views.confusion)]
    rows = [[true, taken, *map(str, counts)] for true, taken, counts in most_confused(views.confusion)]
    return Section("confusion", "Confusion", explanation, [Table(columns, rows)])


def regression(comparison: Comparison, views: Views) -> Section | None:
    if not views.regression:
        return None
    explanation = (
        "Predictions of held-out rows against the truth (on the dotted line they agree), and the residuals. "
        f"{views.protocol}"
    )
    contents: list[Plot | Table | Template] = []
    for target, pair in views.regression.items():
        true, predicted = pair["true"], pair["predicted"]
        contents.append(Plot(plots.prediction_figure(target, true, predicted), target, role="regression"))
        contents.append(
            Plot(plots.residual_figure(target, true, predicted), f"{target}: residuals", role="regression")
        )
    contents += [_miss_table(target, misses) for target, misses in views.misses.items()]
    return Section("regression", "Predictions", explanation, contents, columns=2)


def _miss_table(target: str, misses: Sequence[MissView]) -> Table:
    columns = ["row", "true", "predicted"]
    rows = [[str(miss.row), f"{miss.true:.4g}", f"{miss.predicted:.4g}"] for miss in misses]
    if any(miss.neighbours for miss in misses):
        columns.append("nearest rows and their targets")
        for cells, miss in zip(rows, misses):
            near = (f"{row}: {value:.4g}" for row, value in zip(miss.neighbours, miss.targets))
            cells.append(" · ".join(near))
    return Table(columns, rows, f"{target}: largest misses", wide=True)


def local(comparison: Comparison, views: Views) -> Section | None:
    if not views.local:
        return None
    explanation = (
        "Local learners measure differently in different places. Each row is one region or prototype: how "
        "many points of each class belong to it, and how strongly its own metric weighs each feature (the "
        "largest weight is scaled to 1)."
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
            f"{learner.label}: {title.format(learner.kind)}",
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
    confusion,
    regression,
    hubness,
    local,
    costs,
)


def settings(comparison: Comparison, circumstances: Circumstances) -> Section:
    data = {"comparison": comparison, "circumstances": circumstances}
    explanation = "Everything needed to run this again."
    return Section("settings", "Settings and versions", explanation, [Template("settings.html.j2", data)])


def build_sections(comparison: Comparison, views: Views, circumstances: Circumstances) -> list[Section]:
    """Every section that has something to show."""
    made = [make(comparison, views) for make in SECTIONS]
    return [section for section in made if section is not None] + [settings(comparison, circumstances)]
