"""What the report shows of the data itself: the few extra fits happen here, the report only draws."""

from __future__ import annotations

import numpy as np

from nearkin.cli.comparing import Outcome, fitted
from nearkin.evaluation import Folds, StratifiedFolds
from nearkin.report.local import local_views
from nearkin.report.look import embedding_view
from nearkin.report.summarise import confusion_of, held_out_predictions, hubness_of
from nearkin.report.views import Views

PROTOCOL = "Every row was held out once, and judged by a model that had not seen it."
MAX_TARGETS_SHOWN = 6


def views_of(outcome: Outcome) -> Views:
    """Hubness, confusion and predictions from the results; pictures from one more fit per distance."""
    data = outcome.data
    shown = [label for label in (outcome.plan.baseline, outcome.after()) if label is not None]
    names = class_namer(data)
    labels = (
        data.y
        if data.task == "classification"
        else np.asarray(data.y, dtype=float).reshape(len(data.y), -1)[:, 0]
    )
    hubness = [
        view for label in shown if (view := hubness_of(outcome.records, label, labels, names)) is not None
    ]
    confusion = []
    if data.task == "classification":
        found = (confusion_of(outcome.records, label, labels, names) for label in shown)
        confusion = [view for view in found if view is not None]
    return Views(
        hubness=hubness,
        embedding=_embedding(outcome, shown, labels, names),
        confusion=confusion,
        local=_local(outcome, names),
        regression=_predictions(outcome, shown[-1]) if data.task == "regression" else {},
        protocol=PROTOCOL,
    )


def class_namer(data):
    """From a label to its readable name; regression targets stay numbers."""
    if data.task != "classification":
        return lambda value: value
    names = dict(zip(np.unique(data.y).tolist(), data.class_names))
    return lambda label: names.get(label, str(label))


def _embedding(outcome: Outcome, shown, labels, names):
    data, plan = outcome.data, outcome.plan
    folds = StratifiedFolds if data.task == "classification" else Folds
    split = folds(plan.n_folds).splits(data.y, plan.seed)[0]
    models = {label: fitted(outcome, label, split.train) for label in shown}
    models = {label: model for label, model in models.items() if hasattr(model.steps[-1][1], "kneighbors")}
    if not models:
        return None
    return embedding_view(
        models,
        data.X,
        labels,
        split.train,
        split.test,
        seed=plan.seed,
        name_of=names,
        target_name=data.target_names[0],
    )


def _local(outcome: Outcome, names) -> list:
    """Regions and prototypes of every local learner that took part, fitted on all rows."""
    data = outcome.data
    found = []
    for row in outcome.comparison.rows:
        if row.mean is None or row.reference or row.label == outcome.plan.baseline:
            continue
        if not _is_local(outcome.candidate(row.label).estimator.steps[-1][1]):
            continue
        pipeline = fitted(outcome, row.label)
        final = pipeline.steps[-1][1]
        views = local_views(
            row.label,
            getattr(final, "learner_", final),
            pipeline[:-1].transform(data.X),
            [names(label) for label in data.y.tolist()],
            data.feature_names,
        )
        found += [] if views is None else [views]
    return found


def _is_local(predictor) -> bool:
    parameters = getattr(predictor, "learner", predictor)
    return any(name in parameters.get_params() for name in ("n_prototypes", "n_regions"))


def _predictions(outcome: Outcome, label: str) -> dict:
    rows, predicted = held_out_predictions(outcome.records, label)
    if not len(rows):
        return {}
    true = np.asarray(outcome.data.y, dtype=float).reshape(outcome.data.n_samples, -1)[rows]
    predicted = np.asarray(predicted, dtype=float).reshape(len(rows), -1)
    return {
        name: {"true": true[:, i].tolist(), "predicted": predicted[:, i].tolist()}
        for i, name in enumerate(outcome.data.target_names[:MAX_TARGETS_SHOWN])
    }
