"""From the records of a run to the tables of a paper."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from sklearn.model_selection import ParameterGrid

from nearkin.evaluation import Record
from nearkin.evaluation.metrics import Metric, metric_named
from nearkin.evaluation.results import DONE
from nearkin.evaluation.standings import choose_by_validation
from nearkin.experiments.outcome import NOT_COMPARED, Cell, ResultTable, Row
from nearkin.experiments.paper import PRINTED_METRICS, Paper, Setup
from nearkin.experiments.published import PublishedTable
from nearkin.experiments.values import Values

#: Records of each (data set label, method label), one per fold.
Found = Mapping[tuple[str, str], list[Record]]


def grouped(records: Iterable[Record], metric: Metric | None = None) -> dict[tuple[str, str], list[Record]]:
    """Records of every method on every set; where settings compete, those of the best validation score.

    `metric` is what they were ranked by, the one named in the records by default.
    """
    by_dataset: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_dataset[record.dataset].append(record)
    found = {}
    for label, own in by_dataset.items():
        ranked_by = metric or metric_named(own[0].metric)
        for method, chosen in choose_by_validation(own, ranked_by).items():
            found[label, method] = at_best_point(chosen, ranked_by)
    return found


def at_best_point(records: list[Record], metric: Metric) -> list[Record]:
    """Records that scored every setting, at the setting of the best mean over the folds; others as they are.

    That setting is chosen by the test rows, as some papers do.
    """
    if any(record.status != DONE or "scores" not in record.figures for record in records):
        return records
    scores = np.array([record.figures["scores"] for record in records], dtype=float)
    means = np.array([metric.better(mean) for mean in scores.mean(axis=0)])
    if np.isnan(means).all():
        return records
    best = int(np.nanargmax(means))
    setting = ParameterGrid(records[0].figures["grid"])[best]
    return [
        replace(
            record,
            score=record.figures["scores"][best],
            chosen=setting,
            figures={"sparsity": record.figures["sparsity"][best]},
        )
        for record in records
    ]


def measured(paper: Paper, found: Found, setups: Sequence[Setup]) -> Values:
    """The numbers measured; a method with a missing fold on a set has none there."""
    means, fold_scores, choices = {}, {}, {}
    for (label, method), records in found.items():
        if any(record.status != DONE for record in records):
            continue
        for metric in paper.metrics:
            scores = _scores(records, metric)
            if len(scores) == len(records):
                key = (metric, label, method)
                means[key], fold_scores[key] = float(np.mean(scores)), scores
        settings = {**records[0].setting, **records[0].chosen}
        choices[label, method] = {name.rsplit("__", 1)[-1]: value for name, value in settings.items()}
    labels = tuple(setup.use.label for setup in setups)
    n_features = {setup.use.label: setup.encoded.n_features for setup in setups}
    return Values(labels, means, fold_scores, choices, n_features)


def _scores(records: Sequence[Record], metric: str) -> tuple[float, ...]:
    scores = [PRINTED_METRICS[metric].printed(record) for record in records if record.status == DONE]
    return tuple(score for score in scores if score is not None)


def filled(
    table: PublishedTable, paper: Paper, found: Found, labels: Sequence[str], notes: Mapping
) -> ResultTable:
    """A table of the paper with our numbers, for the sets that took part.

    `notes` explains cells that could not be filled, by (data set, method).
    """
    known = [method.label for method in paper.methods]
    metric = PRINTED_METRICS[table.metric]
    rows = []
    for label in labels:
        if table.rows and label not in table.rows:
            continue
        cells = [_cell(table, label, method, found, notes) for method in known]
        rows.append(Row(label, tuple(cells)))
    return ResultTable(
        name=table.name,
        metric=table.metric,
        decimals=metric.decimals,
        greater_is_better=metric.greater_is_better,
        methods=tuple(known),
        rows=tuple(rows),
        without_estimator=tuple(method for method in table.methods if method not in known),
        remark=table.remark,
    )


def _cell(table: PublishedTable, label: str, method: str, found: Found, notes: Mapping) -> Cell:
    records = found.get((label, method), [])
    scores = _scores(records, table.metric)
    number = table.number(label, method)
    ours = float(np.mean(scores)) if scores else None
    difference = None
    if ours is not None and number is not None and table.metric not in NOT_COMPARED:
        difference = ours - number.mean
    sd = number.sd if number is not None else None
    note = notes.get((label, method), "")
    if records and len(scores) < len(records):
        note = note or f"{len(scores)} of {len(records)} folds"
    return Cell(
        method=method,
        ours=ours,
        ours_sd=float(np.std(scores, ddof=1)) if len(scores) > 1 else None,
        n_folds=len(scores),
        published=number.mean if number is not None else None,
        published_sd=sd,
        difference=difference,
        in_sd=difference / sd if difference is not None and sd else None,
        note=note,
    )


def failures_of(found: Found) -> list[str]:
    """What failed, one line per method and set."""
    lines = []
    for (label, method), records in found.items():
        bad = [record for record in records if record.status != DONE]
        if not bad:
            continue
        reason = (bad[0].error or "not finished").strip().splitlines()[-1]
        lines.append(f"{method} on {label}: {len(bad)} of {len(records)} folds {bad[0].status} ({reason})")
    return lines


def not_converged(found: Found) -> list[str]:
    """Methods whose solvers ran out of their budget, one line each."""
    warned: dict[str, int] = defaultdict(int)
    total: dict[str, int] = defaultdict(int)
    for (_, method), records in found.items():
        for record in records:
            total[method] += 1
            warned[method] += any("ConvergenceWarning" in text for text in record.warnings)
    return [
        f"{method} stopped at its iteration limit in {count} of {total[method]} folds"
        for method, count in warned.items()
        if count
    ]
