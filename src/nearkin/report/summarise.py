"""From what an evaluation found to what a report says."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata

import numpy as np

from nearkin.evaluation import Comparison, ComparisonRow, Record
from nearkin.report.look import confusion_view, hubness_view, unnamed
from nearkin.report.summary import ACCURACY, ARRMSE, BASELINE, LEARNER, REFERENCE, Standing, Summary
from nearkin.report.views import ConfusionView, HubnessView

PACKAGES = ("nearkin", "scikit-learn", "numpy", "scipy", "numba", "pandas", "plotly")
DONE = "done"


def summarise_comparison(
    comparison: Comparison,
    *,
    title: str | None = None,
    facts: Mapping[str, str] | None = None,
    command: str = "",
    notices: Sequence[str] = (),
    versions: Mapping[str, str] | None = None,
) -> Summary:
    """The summary of one comparison.

    Parameters
    ----------
    comparison : Comparison
        From `nearkin.evaluation.compare`.
    facts : mapping
        About the data and the protocol, shown under "Settings and versions".
    command : str
        What to type to get the same again.
    notices : sequence of str
        What a reader should know before trusting the numbers.
    versions : mapping, optional
        Package versions of the run; those installed now by default.
    """
    classification = comparison.metric == ACCURACY.name
    return Summary(
        title=title or comparison.dataset,
        task="classification" if classification else "regression",
        score=ACCURACY if classification else ARRMSE,
        standings=[_standing(row, comparison) for row in comparison.rows],
        headline=comparison.statement,
        facts=dict(facts or {}),
        versions=dict(versions or installed_versions()),
        command=command,
        notices=list(notices),
        test_name="corrected paired t test (p adjusted by Holm for the number of rows)",
    )


def _standing(row: ComparisonRow, comparison: Comparison) -> Standing:
    kind = BASELINE if row.label == comparison.baseline else REFERENCE if row.reference else LEARNER
    return Standing(
        name=row.label,
        kind=kind,
        status=row.status,
        scores=row.scores,
        n_planned=row.n_planned,
        score=math.nan if row.mean is None else row.mean,
        spread=row.sd,
        interval=row.interval,
        gain=row.difference,
        p_value=row.p_adjusted,
        wilcoxon_p=row.wilcoxon_p,
        verdict=row.verdict,
        skewness=row.hub_skewness,
        fit_seconds=row.fit_seconds,
        settings={short_setting(key): value for key, value in row.setting.items()},
        note=row.note,
        scout_score=row.scout_score,
    )


def short_setting(name: str) -> str:
    """The last part of a nested parameter name.

    >>> short_setting("model__learner__n_targets")
    'n_targets'
    """
    return name.rsplit("__", 1)[-1]


def installed_versions() -> dict[str, str]:
    """Versions of Python and of the packages that decide results."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def first_repeat(records: Sequence[Record], learner: str) -> list[Record]:
    """The finished folds of the first repeat, in which every row is held out at most once."""
    return [r for r in records if r.learner == learner and r.status == DONE and r.fold.split(".")[0] == "0"]


def held_out_predictions(records: Sequence[Record], learner: str) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers and predictions of all rows that the first repeat held out."""
    folds = [
        r for r in first_repeat(records, learner) if r.predictions is not None and r.test_rows is not None
    ]
    if not folds:
        return np.empty(0, dtype=int), np.empty(0)
    return np.concatenate([r.test_rows for r in folds]), np.concatenate([r.predictions for r in folds])


def confusion_of(
    records: Sequence[Record], learner: str, labels, name_of: Callable = unnamed
) -> ConfusionView | None:
    """True against predicted classes over the held-out rows; `labels` are those of all rows."""
    rows, predictions = held_out_predictions(records, learner)
    if not len(rows):
        return None
    return confusion_view(learner, np.asarray(labels)[rows], predictions, name_of)


def hubness_of(
    records: Sequence[Record],
    learner: str,
    labels,
    name_of: Callable = unnamed,
    *,
    categorical: bool = True,
) -> HubnessView | None:
    """N_k summed over the folds of the first repeat; None for models without neighbours."""
    found = [(r.test_rows, r.neighbours) for r in first_repeat(records, learner)]
    folds = [(rows, lists) for rows, lists in found if rows is not None and lists is not None]
    if not folds:
        return None
    width = min(lists.shape[1] for _, lists in folds)
    neighbours = np.concatenate([lists[:, :width] for _, lists in folds])
    queries = np.concatenate([rows for rows, _ in folds])
    return hubness_view(learner, neighbours, queries, labels, name_of=name_of, categorical=categorical)
