"""The papers' tests over all their data sets, as tables and as data to draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from nearkin.evaluation.significance import (
    compare_with_control,
    critical_difference,
    five_by_two_f,
    friedman,
    robustness_ratios,
    wilcoxon_signed_rank,
)
from nearkin.experiments.published import PublishedTable
from nearkin.experiments.values import Values


@dataclass(frozen=True)
class Statistic:
    """A test's outcome: a sentence, a table of text, and in `drawing` what a figure needs.

    `drawing["kind"]` is "ranks" (average ranks and their critical difference), "boxes" (a list of
    numbers per method) or missing.
    """

    title: str
    text: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    drawing: dict[str, Any] = field(default_factory=dict)


def friedman_with_finner(metric: str, methods: Sequence[str], controls: Sequence[str]) -> Callable:
    """Friedman's test, average ranks, and Finner's comparisons of each control with the others."""

    def test(values: Values) -> Statistic | None:
        labels = values.complete(metric, methods)
        if len(labels) < 2:
            return None
        found = friedman(values.table(metric, methods, labels), greater_is_better=False)
        ranks = dict(zip(methods, found.average_ranks.tolist(), strict=True))
        adjusted = {
            control: {row.method: row.finner_p for row in compare_with_control(found, methods, control)}
            for control in controls
        }
        rows = tuple(
            (name, f"{ranks[name]:.2f}", *(_p(adjusted[c].get(name)) for c in controls))
            for name in sorted(methods, key=ranks.__getitem__)
        )
        text = (
            f"Friedman's statistic over {len(labels)} sets is {found.statistic:.2f} with {len(methods) - 1} "
            f"degrees of freedom, p = {_p(found.p_value)}."
        )
        drawing = {
            "kind": "ranks",
            "ranks": ranks,
            "critical_difference": critical_difference(len(methods), len(labels)),
            "highlight": controls[0],
        }
        columns = ("method", "average rank", *(f"Finner p against {control}" for control in controls))
        return Statistic("Friedman and Finner", text, columns, rows, drawing)

    return test


def wilcoxon(
    metric: str, pairs: Sequence[tuple[str, str]], among: Sequence[str] | None = None, remark: str = ""
) -> Callable:
    """Wilcoxon's signed-rank test over the data sets (or only those named) for pairs of methods."""

    def test(values: Values) -> Statistic | None:
        rows = []
        for first, second in pairs:
            labels = values.complete(metric, [first, second], among)
            if len(labels) < 2:
                continue
            own, other = values.table(metric, [first, second], labels).T
            found = wilcoxon_signed_rank(own, other)
            wins, losses = int(np.sum(own < other)), int(np.sum(own > other))
            rows.append(
                (
                    f"{first} against {second}",
                    str(len(labels)),
                    f"{wins} / {losses}",
                    f"{found.difference:+.4f}",
                    _p(found.p_value),
                )
            )
        if not rows:
            return None
        columns = ("pair", "sets", "lower / higher", f"mean difference of {metric}", "p")
        text = " ".join(["Two-sided and exact; sets on which both agree are left out.", remark]).strip()
        return Statistic("Wilcoxon signed rank", text, columns, tuple(rows))

    return test


def signed_ranks(metric: str, method: str, than: str, decimals: int, remark: str = "") -> Callable:
    """The absolute difference on each data set, its sign, and its rank, as the signed-rank test uses it."""

    def test(values: Values) -> Statistic | None:
        labels = values.complete(metric, [method, than])
        if not labels:
            return None
        own, other = values.table(metric, [method, than], labels).T
        gain = np.round(other - own, decimals)
        ranks = np.zeros(len(labels))
        ranks[gain != 0] = stats.rankdata(np.abs(gain[gain != 0]))
        rows = tuple(
            (label, f"{abs(value):.{decimals}f}", _sign(value), f"{rank:g}" if value else "–")
            for label, value, rank in zip(labels, gain, ranks, strict=True)
        )
        text = f"{than} minus {method}, + where {method} is better; equal sets have no rank. {remark}".strip()
        return Statistic(f"Differences of {metric}", text, ("data set", "abs", "sgn", "R"), rows)

    return test


def _sign(value: float) -> str:
    return "+" if value > 0 else "−" if value < 0 else ""


def time_ratios(table: PublishedTable, base: str, methods: Sequence[str]) -> Callable:
    """Training times of methods as multiples of one method's, ours beside those of a published table."""

    def test(values: Values) -> Statistic | None:
        rows = []
        for label in values.complete("seconds", [base, *methods]):
            own = values.means["seconds", label, base]
            numbers = {name: table.number(label, name) for name in (base, *methods)}
            cells = []
            for name in methods:
                text = f"{values.means['seconds', label, name] / own:.3g}"
                printed, printed_base = numbers[name], numbers[base]
                if printed is not None and printed_base is not None:
                    text += f" / {printed.mean / printed_base.mean:.3g}"
                cells.append(text)
            rows.append((label, f"{own:.3g}", *cells))
        if not rows:
            return None
        text = f"Training times as multiples of {base}'s in the same run, ours / published."
        return Statistic("Training times", text, ("data set", f"{base}, seconds", *methods), tuple(rows))

    return test


def five_by_two(metric: str, pairs: Sequence[tuple[str, str]]) -> Callable:
    """The 5 x 2 cv paired F test on every data set for pairs of methods."""

    def test(values: Values) -> Statistic | None:
        rows = []
        for label in values.datasets:
            cells = [_f_cell(values, metric, label, first, second) for first, second in pairs]
            if any(cells):
                rows.append((label, *cells))
        if not rows:
            return None
        columns = ("data set", *(f"{first} − {second}" for first, second in pairs))
        text = f"Mean difference of {metric} over the ten folds, and p of the test; * below 0.05."
        return Statistic("5 x 2 cv paired F test", text, columns, tuple(rows))

    return test


def _f_cell(values: Values, metric: str, label: str, first: str, second: str) -> str:
    own, other = (values.scores.get((metric, label, name), ()) for name in (first, second))
    if len(own) != 10 or len(other) != 10:
        return ""
    found = five_by_two_f(own, other)
    star = "*" if found.p_value < 0.05 else ""
    return f"{found.difference:+.2f} (p = {_p(found.p_value)}){star}"


def robustness(metric: str, methods: Sequence[str]) -> Callable:
    """Distribution of b_m, a method's error over the smallest one on the set, over the data sets."""

    def test(values: Values) -> Statistic | None:
        labels = values.complete(metric, methods)
        if not labels:
            return None
        ratios = robustness_ratios(values.table(metric, methods, labels))
        rows = []
        for name, column in sorted(zip(methods, ratios.T, strict=True), key=lambda item: np.median(item[1])):
            # Quartiles are taken from the numbers themselves: nothing lies half-way to an infinite ratio.
            low, high = np.percentile(column, [25, 75], method="nearest")
            quartiles = (low, np.median(column), high)
            best = int(np.sum(column == 1))
            rows.append((name, *(f"{value:.2f}" for value in (*quartiles, column.max())), str(best)))
        columns = ("method", "lower quartile", "median", "upper quartile", "largest", "best on")
        drawing = {
            "kind": "boxes",
            "boxes": {name: ratios[:, i].tolist() for i, name in enumerate(methods)},
            "labels": labels,
            "axis": "b_m: error over the smallest error on the set",
        }
        text = f"b_m over {len(labels)} sets; 1 is the best method of a set."
        return Statistic("Robustness", text, columns, tuple(rows), drawing)

    return test


def _p(p_value: float | None) -> str:
    if p_value is None:
        return ""
    return f"{p_value:.1e}" if p_value < 0.001 else f"{p_value:.3f}"
