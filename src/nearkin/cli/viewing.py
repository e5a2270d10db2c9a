"""What the report shows of the data itself: the few extra fits happen here, the report only draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nearkin.cli.comparing import Outcome, after_label, fitted
from nearkin.cli.output import to_stderr
from nearkin.evaluation import Comparison, Folds, Record, ResultsStore, StratifiedFolds
from nearkin.report.local import local_views
from nearkin.report.look import embedding_view
from nearkin.report.summarise import confusion_of, held_out_predictions, hubness_of
from nearkin.report.views import EmbeddingView, LocalViews, Views

PROTOCOL = "Every row was held out once, and judged by a model that had not seen it."
MAX_TARGETS_SHOWN = 6
#: One fold of so many is held out for the pictures: enough points to look at, enough left to learn from.
PICTURE_FOLDS = 4
#: The report should not take longer than the comparison.
MAX_ROWS_FITTED = 3000
MAX_FIT_SECONDS = 10.0


def views_of(outcome: Outcome) -> Views:
    """Hubness, confusion and predictions from the results; pictures from one more fit per distance."""
    data = outcome.data
    namer = class_namer(data.y, data.class_names)
    views = views_of_records(outcome.comparison, outcome.records, data.y, namer, data.target_names)
    return Views(
        hubness=views.hubness,
        confusion=views.confusion,
        regression=views.regression,
        protocol=views.protocol,
        embedding=_if_it_fits("the picture of the data", _embedding, outcome, namer),
        local=_if_it_fits("the regions and prototypes", _local, outcome, namer) or (),
    )


def _if_it_fits(what: str, look: Callable, *arguments):
    """The view, or None and a note: a fit that fails for one picture must not cost the whole report."""
    try:
        return look(*arguments)
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        to_stderr(f"note: {what} is left out of the report: {error}", style="yellow")
        return None


def stored_views(
    store: ResultsStore,
    run: str,
    comparison: Comparison,
    records: Sequence[Record],
    class_names: Sequence[str],
) -> Views:
    """The views kept beside a run, or those that its records alone can give."""
    kept = store.artifact(run, "views")
    if kept is not None:
        return Views.from_dict(kept)
    y = store.targets(run)
    n_targets = 1 if y.ndim == 1 else y.shape[1]
    names = [f"target {i + 1}" for i in range(n_targets)]
    return views_of_records(comparison, records, y, class_namer(y, class_names), names)


def views_of_records(
    comparison: Comparison,
    records: Sequence[Record],
    y,
    namer: Callable[[Any], Any],
    target_names: Sequence[str],
) -> Views:
    """Hubness, confusion and predictions of the held-out rows, before and after learning."""
    shown, found_near = shown_labels(comparison), shown_labels(comparison, with_neighbours=True)
    labels, classification = first_target(y), comparison.metric == "accuracy"
    hubness = [hubness_of(records, label, labels, namer, categorical=classification) for label in found_near]
    confusion = [confusion_of(records, label, labels, namer) for label in shown] if classification else []
    return Views(
        hubness=[view for view in hubness if view is not None],
        confusion=[view for view in confusion if view is not None],
        regression={} if classification else _predictions(records, shown[-1], y, target_names),
        protocol=PROTOCOL,
    )


def shown_labels(comparison: Comparison, *, with_neighbours: bool = False) -> list[str]:
    """Euclid and the learned distance that is shown beside it."""
    after = after_label(comparison, with_neighbours=with_neighbours)
    return [comparison.baseline] + ([] if after is None else [after])


def first_target(y) -> np.ndarray:
    """Labels, or the first of several targets, one per row."""
    y = np.asarray(y)
    return y if y.ndim == 1 else y[:, 0]


def class_namer(y, class_names: Sequence[str]) -> Callable[[Any], Any]:
    """From a label to its readable name; targets of regression stay numbers."""
    if not class_names:
        return lambda value: value
    names = dict(zip(np.unique(y).tolist(), class_names))
    return lambda label: names.get(label, str(label))


def _embedding(outcome: Outcome, namer) -> EmbeddingView:
    data, plan = outcome.data, outcome.plan
    folds = StratifiedFolds if data.task == "classification" else Folds
    rows = _rows_to_look_at(outcome)
    split = folds(PICTURE_FOLDS).splits(data.y[rows], plan.seed)[0]
    train, test = rows[split.train], rows[split.test]
    shown = shown_labels(outcome.comparison, with_neighbours=True)
    models = {label: fitted(outcome, label, train) for label in shown}
    return embedding_view(
        models,
        data.X,
        first_target(data.y),
        train,
        test,
        seed=plan.seed,
        name_of=namer,
        categorical=data.task == "classification",
        target_name="class" if data.target_names[0] == "y" and data.class_names else data.target_names[0],
    )


def _rows_to_look_at(outcome: Outcome) -> np.ndarray:
    """All rows, or as many as are fitted in moments: a picture shows no more of them anyway."""
    n = outcome.data.n_samples
    if n <= MAX_ROWS_FITTED:
        return np.arange(n)
    return np.sort(np.random.default_rng(outcome.plan.seed).choice(n, MAX_ROWS_FITTED, replace=False))


def _local(outcome: Outcome, namer) -> list[LocalViews]:
    """Regions and prototypes of the local learners that took part, unless they take long to fit."""
    data, rows, found = outcome.data, _rows_to_look_at(outcome), []
    for row in outcome.comparison.rows:
        if row.mean is None or row.reference or row.label == outcome.plan.baseline:
            continue
        if not _is_local(outcome.candidate(row.label).estimator.steps[-1][1]):
            continue
        if row.fit_seconds is not None and row.fit_seconds > MAX_FIT_SECONDS:
            continue
        pipeline = fitted(outcome, row.label, rows)
        final = pipeline.steps[-1][1]
        views = local_views(
            row.label,
            getattr(final, "learner_", final),
            pipeline[:-1].transform(data.take(rows).X),
            data.y[rows],
            data.feature_names if data.encoder is None else pipeline[:-1].get_feature_names_out(),
            namer,
        )
        found += [] if views is None else [views]
    return found


def _is_local(predictor) -> bool:
    learner = getattr(predictor, "learner", predictor)
    return any(name in learner.get_params() for name in ("n_prototypes", "n_regions"))


def _predictions(records: Sequence[Record], label: str, y, names: Sequence[str]) -> dict[str, dict]:
    rows, predicted = held_out_predictions(records, label)
    if not len(rows):
        return {}
    true = np.asarray(y, dtype=float).reshape(len(y), -1)[rows]
    predicted = np.asarray(predicted, dtype=float).reshape(len(rows), -1)
    return {
        name: {"true": true[:, i].tolist(), "predicted": predicted[:, i].tolist()}
        for i, name in enumerate(names[:MAX_TARGETS_SHOWN])
    }
