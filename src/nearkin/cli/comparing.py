"""The work behind `nearkin compare`: run, show, report, and keep the winner."""

from __future__ import annotations

import os
import shlex
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer

from nearkin.cli.errors import CommandError
from nearkin.cli.output import Column, plain, print_table
from nearkin.datasets import DataNotice, Dataset
from nearkin.evaluation import (
    Candidate,
    Comparison,
    Folds,
    Problem,
    Record,
    ResultsStore,
    StratifiedFolds,
    compare,
    fit_candidate,
)
from nearkin.evaluation.fingerprints import describe
from nearkin.report.summarise import installed_versions, summarise_comparison
from nearkin.report.summary import Summary
from nearkin.report.words import p_text, seconds_text, verdict_text


@dataclass(frozen=True)
class Plan:
    """How a comparison is to be run."""

    n_folds: int
    n_repeats: int
    time_budget: float | None
    jobs: int | None
    seed: int
    results: Path | None
    baseline: str
    scale: str
    notices: Sequence[str] = ()


@dataclass(frozen=True)
class Outcome:
    """A finished comparison with everything that a table, a report or a model file needs."""

    data: Dataset
    candidates: Sequence[Candidate]
    plan: Plan
    comparison: Comparison
    records: Sequence[Record]
    summary: Summary

    def candidate(self, label: str) -> Candidate:
        return next(candidate for candidate in self.candidates if candidate.label == label)


def after_label(comparison: Comparison, *, with_neighbours: bool = False) -> str | None:
    """The learned distance to show beside Euclid: the winner, or the best learner if Euclid won.

    `with_neighbours` passes over models that decide by prototypes, for views that show neighbours.
    """
    rows = [row for row in comparison.rows if row.mean is not None and not row.reference]
    rows = [row for row in rows if row.hub_skewness is not None or not with_neighbours]
    return next((row.label for row in rows if row.label != comparison.baseline), None)


def usual_budget(n_rows: int) -> float:
    """Seconds that people like to wait for data of this size."""
    if n_rows <= 1000:
        return 45.0
    return 120.0 if n_rows <= 4000 else 250.0


def require_plotting() -> None:
    """Refuse early where the report could not be drawn."""
    try:
        import jinja2  # noqa: F401
        import plotly  # noqa: F401
    except ImportError:
        raise CommandError("--report needs plotly and jinja2: pip install 'nearkin[report]'") from None


def run(
    data: Dataset, candidates: Sequence[Candidate], plan: Plan, progress: Callable[[Any], None] | None = None
) -> Outcome:
    """Compare the candidates on the data, resuming from the results file if there is one."""
    kind = StratifiedFolds if data.task == "classification" else Folds
    circumstances = {
        "facts": _facts(data, plan),
        "class_names": list(data.class_names),
        "command": typed_command(),
        "notices": list(plan.notices),
        "versions": installed_versions(),
    }
    with ResultsStore.open(plan.results) as store:
        comparison = compare(
            data.X,
            data.y,
            candidates,
            kind(plan.n_folds, plan.n_repeats),
            baseline=plan.baseline,
            name=data.name,
            task=data.task,
            store=store,
            jobs=plan.jobs or available_cores(),
            time_budget=plan.time_budget,
            seed=plan.seed,
            description=circumstances,
            progress=progress,
        )
        records = store.results(comparison.run)
    summary = summary_of(comparison, records, circumstances)
    return Outcome(data, candidates, plan, comparison, records, summary)


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def summary_of(comparison: Comparison, records: Sequence[Record], circumstances: dict[str, Any]) -> Summary:
    """The summary of a comparison under the circumstances that were kept with it."""
    return summarise_comparison(
        comparison,
        facts=circumstances.get("facts", {}),
        command=circumstances.get("command", ""),
        notices=[*circumstances.get("notices", ()), *_warnings(comparison, records)],
        versions=circumstances.get("versions"),
    )


def typed_command() -> str:
    """The command line as the user typed it."""
    return shlex.join(["nearkin", *sys.argv[1:]])


def _facts(data: Dataset, plan: Plan) -> dict[str, str]:
    kind = "stratified " if data.task == "classification" else ""
    times = f"{plan.n_repeats} × " if plan.n_repeats > 1 else ""
    predicts = (
        f"{data.n_classes} classes" + ("" if data.target_names[0] == "y" else f" of {data.target_names[0]}")
        if data.task == "classification"
        else f"{data.n_targets} target{'s' if data.n_targets > 1 else ''}: {', '.join(data.target_names[:6])}"
    )
    return {
        "data": data.source or data.name,
        "rows": f"{data.n_samples:,}",
        "features": f"{data.n_features:,}" + (" (sparse)" if data.is_sparse else ""),
        "predicts": predicts,
        "protocol": f"{times}{plan.n_folds}-fold cross-validation, {kind}tuned inside the training folds",
        "scaling": plan.scale,
        "time budget": "none" if plan.time_budget is None else seconds_text(plan.time_budget),
        "seed": str(plan.seed),
    }


def _warnings(comparison: Comparison, records: Sequence[Record]) -> list[str]:
    """What went less than well, one line per learner."""
    found = []
    for row in comparison.rows:
        warned = [
            r
            for r in records
            if r.learner == row.label and any("ConvergenceWarning" in w for w in r.warnings)
        ]
        if warned:
            found.append(f"{row.label} did not converge in {len(warned)} of {row.n_planned} folds.")
        if row.note:
            found.append(f"{row.label}: {row.note}.")
    return found


def print_leaderboard(outcome: Outcome) -> None:
    """The table and, in a sentence, the answer."""
    summary = outcome.summary
    regression = summary.task == "regression"
    columns = [
        Column("learner"),
        Column(summary.score.name, right=True),
        Column("vs Euclid", right=True),
        Column("p", right=True),
        *([Column("Wilcoxon p", right=True)] if regression else []),
        Column("beats Euclid?"),
        Column("hub skewness", right=True),
        Column("fit", right=True),
    ]
    print_table(columns, [_cells(row, summary, regression) for row in summary.standings], str(outcome.data))
    typer.echo(summary.headline)


def _cells(row, summary: Summary, regression: bool) -> list[str]:
    name = row.name + (" (not neighbours)" if row.kind == "reference" else "")
    name += f" ({len(row.scores)} of {row.n_planned} folds)" if row.partial else ""
    if not row.finished:
        look = "" if row.scout_score is None else f"first look {summary.score.text(row.scout_score)}"
        return [name, row.status, look, "", *([""] if regression else []), "", "", ""]
    spread = "" if row.spread is None else f" ± {summary.score.text(row.spread).removesuffix(' %')}"
    return [
        name,
        summary.score.text(row.score) + spread,
        "" if row.gain is None else summary.score.text(row.gain, signed=True),
        "" if row.p_value is None else p_text(row.p_value),
        *(["" if row.wilcoxon_p is None else p_text(row.wilcoxon_p)] if regression else []),
        verdict_text(row.verdict),
        "–" if row.skewness is None else f"{row.skewness:.2f}",
        seconds_text(row.fit_seconds),
    ]


def as_json(outcome: Outcome) -> dict[str, Any]:
    """The comparison with its circumstances, in plain values."""
    summary = outcome.summary
    return {
        **plain(outcome.comparison.to_dict()),
        "task": summary.task,
        "facts": summary.facts,
        "versions": summary.versions,
        "notices": list(summary.notices),
        "command": summary.command,
    }


def report(outcome: Outcome, path: Path) -> None:
    """Write the HTML report, fitting what its views need, and keep the views beside the results."""
    from nearkin.cli.viewing import views_of
    from nearkin.report.html import write_report

    with warnings.catch_warnings():
        # That a fold holds categories its training rows lack is of no interest here.
        warnings.simplefilter("ignore", DataNotice)
        views = views_of(outcome)
    write_report(path, outcome.summary, views)
    if outcome.plan.results is not None and outcome.comparison.run is not None:
        with ResultsStore.open(outcome.plan.results) as store:
            store.put_artifact(outcome.comparison.run, "views", plain(views.to_dict()))


def fitted(outcome: Outcome, label: str, rows=None):
    """The candidate with the settings chosen most often, fitted on the rows (all by default)."""
    candidate, data = outcome.candidate(label), outcome.data
    setting = original_values(candidate, outcome.comparison.row(label).setting)
    decided = replace(candidate, grid={}, predict_time=(), setting=setting)
    data = data if rows is None else data.take(rows)
    model, _ = fit_candidate(Problem(data.name, data.X, data.y, data.task), decided, outcome.plan.seed)
    return model


def original_values(candidate: Candidate, setting: dict[str, Any]) -> dict[str, Any]:
    """The grid's own values where the results only keep a description of them."""
    grids = [candidate.grid] if isinstance(candidate.grid, Mapping) else candidate.grid
    values: dict[str, Any] = {}
    for key, described in setting.items():
        tried = [value for grid in grids for value in grid.get(key, ())]
        values[key] = next((value for value in tried if describe(value) == described), described)
    return values


def save_winner(outcome: Outcome, path: Path) -> None:
    """Fit the winner on all rows and save it with its provenance."""
    from nearkin.cli.modelfile import save_model

    label = outcome.comparison.winner
    if label is None:
        raise CommandError("no learner finished, so there is no winner to save.")
    row = outcome.comparison.row(label)
    save_model(
        fitted(outcome, label),
        outcome.data,
        path,
        learner=label,
        scores={
            "metric": outcome.comparison.metric,
            "mean": row.mean,
            "sd": row.sd,
            "folds": list(row.scores),
        },
    )
