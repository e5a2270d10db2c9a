"""Views of the held-out rows from records alone, and the report of a results file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from nearkin._types import ColumnLike
from nearkin.evaluation import Comparison, Hubness, Record, ResultsStore, summarise
from nearkin.evaluation.metrics import CLASSIFICATION
from nearkin.evaluation.results import DONE, NOT_RUN_BUDGET
from nearkin.evaluation.standings import shown_records
from nearkin.report.circumstances import Circumstances
from nearkin.report.look import Namer, class_namer, confusion_view, unnamed
from nearkin.report.views import ConfusionView, CostView, MissView, Views

PROTOCOL = "Every row was held out once, and judged by a model that had not seen it."
MAX_TARGETS_SHOWN = 6
#: Large misses listed per target, and neighbours beside each.
MAX_MISSES = 6
NEIGHBOURS_LISTED = 5


def views_of_records(
    comparison: Comparison, records: Sequence[Record], y: ColumnLike, circumstances: Circumstances
) -> Views:
    """Hubness, confusion and predictions of the held-out rows, before and after learning.

    Parameters
    ----------
    comparison : Comparison
    records : sequence of Record
        With their arrays.
    y : array of the labels or targets of all rows
    circumstances : Circumstances
        Holds the names of classes and targets.
    """
    classification = comparison.metric.task == CLASSIFICATION
    labels, name = first_target(y), class_namer(y, circumstances.class_names)
    hubness = {
        label: hubness_of(records, label, labels, name, categorical=classification)
        for label in shown_labels(comparison, with_neighbours=True)
    }
    shown = shown_labels(comparison)
    confusion = [confusion_of(records, label, labels, name) for label in shown] if classification else []
    names = circumstances.target_names
    return Views(
        hubness={label: found for label, found in hubness.items() if found is not None},
        confusion=[view for view in confusion if view is not None],
        regression={} if classification else _predictions(records, shown[-1], y, names),
        misses={} if classification else _misses(records, shown[-1], y, names),
        costs={row.label: cost_of(records, row.label) for row in comparison.finished},
        protocol=PROTOCOL,
    )


def shown_labels(comparison: Comparison, *, with_neighbours: bool = False) -> list[str]:
    """The baseline and the learned distance that is shown beside it."""
    after = comparison.learned(with_neighbours=with_neighbours)
    return [comparison.baseline] + ([] if after is None else [after.label])


def first_target(y) -> np.ndarray:
    """Labels, or the first of several targets, one per row."""
    y = np.asarray(y)
    return y if y.ndim == 1 else y[:, 0]


def first_repeat(records: Sequence[Record], label: str) -> list[Record]:
    """The finished folds of the first repeat, in which every row is held out at most once."""
    return [r for r in records if r.label == label and r.status == DONE and r.fold.startswith("0.")]


def held_out_predictions(records: Sequence[Record], label: str) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers and predictions of all rows that the first repeat held out."""
    found = [(r.test_rows, r.predictions) for r in first_repeat(records, label)]
    folds = [(rows, answers) for rows, answers in found if rows is not None and answers is not None]
    if not folds:
        return np.empty(0, dtype=int), np.empty(0)
    return np.concatenate([rows for rows, _ in folds]), np.concatenate([answers for _, answers in folds])


def confusion_of(
    records: Sequence[Record], label: str, labels: ColumnLike, name: Namer = unnamed
) -> ConfusionView | None:
    """True against predicted classes over the held-out rows; `labels` are those of all rows."""
    rows, predictions = held_out_predictions(records, label)
    if not len(rows):
        return None
    return confusion_view(label, np.asarray(labels)[rows], predictions, name)


def hubness_of(
    records: Sequence[Record],
    label: str,
    labels: ColumnLike,
    name: Namer = unnamed,
    *,
    categorical: bool = True,
) -> Hubness | None:
    """N_k summed over the folds of the first repeat; None for models without neighbours."""
    found = [(r.test_rows, r.neighbours) for r in first_repeat(records, label)]
    folds = [(rows, lists) for rows, lists in found if rows is not None and lists is not None]
    if not folds:
        return None
    labels, width = np.asarray(labels), min(lists.shape[1] for _, lists in folds)
    neighbours = np.concatenate([lists[:, :width] for _, lists in folds])
    queries = np.concatenate([rows for rows, _ in folds])
    both = (labels[queries], labels) if categorical else ()
    return replace(Hubness.of(neighbours, len(labels), *both), labels=np.asarray(name(labels)))


def cost_of(records: Sequence[Record], label: str) -> CostView:
    """Seconds of 1,000 predictions, over all finished folds."""
    done = [r for r in records if r.label == label and r.status == DONE]
    n_rows, seconds = sum(r.n_test for r in done), sum(r.predict_seconds or 0.0 for r in done)
    return CostView(predict=1000 * seconds / n_rows if n_rows else None)


def _pairs(records: Sequence[Record], label: str, y) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row numbers, targets and predictions (rows by targets) of the held-out rows."""
    rows, predicted = held_out_predictions(records, label)
    true = np.asarray(y, dtype=float).reshape(len(y), -1)[rows]
    return rows, true, np.asarray(predicted, dtype=float).reshape(len(rows), -1)


def _target_names(names: Sequence[str], n_targets: int) -> Sequence[str]:
    return (names or [f"target {i + 1}" for i in range(n_targets)])[:MAX_TARGETS_SHOWN]


def _predictions(records: Sequence[Record], label: str, y, names: Sequence[str]) -> dict[str, dict]:
    rows, true, predicted = _pairs(records, label, y)
    if not len(rows):
        return {}
    return {
        target: {"true": true[:, i].tolist(), "predicted": predicted[:, i].tolist()}
        for i, target in enumerate(_target_names(names, true.shape[1]))
    }


def _misses(records: Sequence[Record], label: str, y, names: Sequence[str]) -> dict[str, list[MissView]]:
    """The rows that were predicted worst, with their nearest training rows where the model has them."""
    rows, true, predicted = _pairs(records, label, y)
    if not len(rows):
        return {}
    targets = np.asarray(y, dtype=float).reshape(len(y), -1)
    near: dict[int, list[int]] = {}
    for r in first_repeat(records, label):
        if r.test_rows is not None and r.neighbours is not None:
            near.update(zip(r.test_rows.tolist(), r.neighbours[:, :NEIGHBOURS_LISTED].tolist()))
    found = {}
    for i, target in enumerate(_target_names(names, true.shape[1])):
        worst = np.argsort(-np.abs(true[:, i] - predicted[:, i]), kind="stable")[:MAX_MISSES]
        found[target] = [
            MissView(
                row=int(rows[at]),
                true=float(true[at, i]),
                predicted=float(predicted[at, i]),
                neighbours=near.get(int(rows[at]), []),
                targets=targets[near.get(int(rows[at]), []), i].tolist(),
            )
            for at in worst
        ]
    return found


def troubles_of(comparison: Comparison, records: Sequence[Record]) -> list[str]:
    """What did not go well, one line per learner."""
    found = []
    cut_short = [row.label for row in comparison.rows if row.partial and row.note.endswith(NOT_RUN_BUDGET)]
    if cut_short:
        why = "because it was stopped" if comparison.interrupted else "for lack of time"
        found.append(f"Some folds were not run {why}: {', '.join(cut_short)}.")
    for row in comparison.rows:
        own = [record for record in records if record.label == row.label]
        warned = sum(any("ConvergenceWarning" in text for text in record.warnings) for record in own)
        if warned:
            found.append(f"{row.label} did not converge in {warned} of {row.n_planned} folds.")
        if row.note and row.label not in cut_short:
            found.append(f"{row.label}: {row.note}.")
    return found


def report_results(
    results: str | PathLike,
    path: str | PathLike,
    dataset: str | None = None,
    *,
    embed_plotly: bool = False,
) -> Path:
    """Write the report of a comparison from its results file alone; nothing is run again.

    Parameters
    ----------
    results : path of a results file
    path : path of the page to write
    dataset : str, optional
        Which data set, if the file holds several; the last run by default.
    embed_plotly : bool
        Put plotly.js into the page, as `write_report` does.
    """
    from nearkin.report.html import write_report

    with ResultsStore.open(results) as store:
        runs = [run for run in store.runs() if run["description"].get("kind") == "compare"]
        names = list(dict.fromkeys(run["description"].get("dataset") for run in runs))
        runs = [run for run in runs if dataset in (None, run["description"].get("dataset"))]
        if not runs:
            about = f" on {dataset!r}" if dataset else ""
            raise ValueError(f"{results} holds no comparison{about}; it has: {names}.")
        run, description = runs[-1]["run"], runs[-1]["description"]
        first_repeats = description.get("first_repeats")
        records = store.results(run)
        kept, y = store.artifact(run, "views"), store.targets(run)
    rope = description.get("rope")
    comparison = summarise(records, description["baseline"], run=run, first_repeats=first_repeats, rope=rope)
    records = shown_records(records, first_repeats or math.inf)
    given = Circumstances.from_dict(description)
    circumstances = replace(given, notices=[*given.notices, *troubles_of(comparison, records)])
    if kept is not None:
        views = Views.from_dict(kept)
    else:
        views = views_of_records(comparison, records, y, circumstances)
    return write_report(path, comparison, views, circumstances, embed_plotly=embed_plotly)
