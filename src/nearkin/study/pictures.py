"""Views that need a few fits of their own, which are made here: the report only draws."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from nearkin._types import Estimator
from nearkin.datasets.targets import AND
from nearkin.evaluation.protocols import folds_for
from nearkin.persistence import save
from nearkin.report.held_out import first_target, shown_labels, views_of_records
from nearkin.report.local import local_views
from nearkin.report.look import Namer, class_namer, embedding_view
from nearkin.report.views import EmbeddingView, LocalViews, Views

if TYPE_CHECKING:
    from nearkin.study.study import Study

#: One of this many folds is held out for the pictures: enough points to look at, enough left to learn from.
PICTURE_FOLDS = 4
#: The report should not take longer than the comparison.
MAX_ROWS_FITTED = 3000
MAX_FIT_SECONDS = 10.0


def views_of(study: Study) -> Views:
    """Hubness, confusion and predictions from the results; pictures from one more fit per distance."""
    data = study.data
    name_labels = class_namer(data.y, data.class_names)
    views = views_of_records(study.comparison, study.records, data.y, study.circumstances)
    fit_on_all = cache(study.fit)
    sizes = _if_it_fits("the size of the models", _sizes, study, fit_on_all) or {}
    return replace(
        views,
        costs={label: replace(cost, size=sizes.get(label)) for label, cost in views.costs.items()},
        embedding=_if_it_fits("the picture of the data", _embedding, study, name_labels),
        local=_if_it_fits("the regions and prototypes", _local, study, name_labels, fit_on_all) or (),
    )


def _if_it_fits(what: str, look: Callable, *arguments: Any) -> Any:
    """The view, or None and a warning: a fit that fails for one picture must not cost the whole report."""
    try:
        return look(*arguments)
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        warnings.warn(f"{what} is left out of the report: {error}", stacklevel=4)
        return None


def _embedding(study: Study, name_labels: Namer) -> EmbeddingView:
    data, seed = study.data, study.comparison.seed
    rows = _rows_to_look_at(study)
    split = folds_for(data.task, PICTURE_FOLDS).splits(data.y[rows], seed)[0]
    train, test = rows[split.train], rows[split.test]
    shown = shown_labels(study.comparison, with_neighbours=True)
    unnamed = data.target_names[0] == "y" and data.class_names
    return embedding_view(
        {label: study.fit(label, train) for label in shown},
        data.X,
        first_target(data.y),
        train,
        test,
        seed=seed,
        name_labels=name_labels,
        categorical=data.task == "classification",
        target_name="class" if unnamed else AND.join(data.target_names),
    )


def _sizes(study: Study, fit_on_all: Callable) -> dict[str, int]:
    """Bytes of the model files of the two distances that are shown, if they are quick to fit."""
    sizes = {}
    with TemporaryDirectory() as folder:
        for label in shown_labels(study.comparison):
            row = study.comparison.row(label)
            if row.finished and (row.fit_seconds or 0.0) <= MAX_FIT_SECONDS:
                path = Path(folder) / "model.nearkin"
                save(fit_on_all(label), path)
                sizes[label] = path.stat().st_size
    return sizes


def _rows_to_look_at(study: Study) -> np.ndarray:
    """All rows, or as many as are quick to fit: a picture shows no more of them anyway."""
    n = study.data.n_samples
    if n <= MAX_ROWS_FITTED:
        return np.arange(n)
    return np.sort(np.random.default_rng(study.comparison.seed).choice(n, MAX_ROWS_FITTED, replace=False))


def _local(study: Study, name_labels: Namer, fit_on_all: Callable) -> list[LocalViews]:
    """Regions and prototypes of the local learners that took part, unless they take long to fit."""
    rows, found = _rows_to_look_at(study), []
    data = study.data.take(rows)
    local = {candidate.label for candidate in study.candidates if _is_local(candidate.estimator)}
    for row in study.comparison.finished:
        if row.label not in local or (row.fit_seconds or 0.0) > MAX_FIT_SECONDS:
            continue
        everything = len(rows) == study.data.n_samples
        pipeline = fit_on_all(row.label) if everything else study.fit(row.label, rows)
        final = pipeline.steps[-1][1]
        learner, Z = getattr(final, "learner_", final), pipeline[:-1].transform(data.X)
        names = data.feature_names if data.encoder is None else pipeline[:-1].get_feature_names_out()
        views = local_views(row.label, learner, Z, data.y, names, name_labels)
        found += [] if views is None else [views]
    return found


def _is_local(pipeline: Estimator) -> bool:
    predictor = pipeline.steps[-1][1]
    learner = getattr(predictor, "learner", predictor)
    return learner is not None and any(name in learner.get_params() for name in ("n_prototypes", "n_regions"))
