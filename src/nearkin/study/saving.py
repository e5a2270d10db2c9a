"""Models saved with their provenance: columns, classes, scores and where they came from."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from nearkin._types import Estimator
from nearkin.datasets import Dataset
from nearkin.datasets.dataset import are_default_names
from nearkin.evaluation.rows import plain
from nearkin.persistence import save


def save_model(
    model: Estimator,
    data: Dataset,
    path: str | PathLike,
    *,
    learner: str,
    scores: dict[str, Any] | None = None,
    command: str = "",
) -> None:
    """Save a fitted pipeline with its columns, targets, classes and origin.

    A pipeline fitted on the bare numbers of a table learns the names of its columns here, so that data frames
    with other columns, or with these in another order, are refused.
    """
    if not data.is_sparse:
        _name_columns(model, data.feature_names)
    save(
        model,
        path,
        metadata=plain(
            {
                "columns": None if data.is_sparse else list(data.feature_names),
                "target_names": list(data.target_names),
                "class_names": list(data.class_names),
                "task": data.task,
                "learner": learner,
                "data": data.source or data.name,
                "n_rows": data.n_samples,
                "scores": scores,
                "command": command,
            }
        ),
    )


def _name_columns(model: Estimator, names: Sequence[str]) -> None:
    first = first_estimator(model)
    named = hasattr(first, "feature_names_in_")
    if not named and not are_default_names(names) and getattr(first, "n_features_in_", 0) == len(names):
        first.feature_names_in_ = np.array(names, dtype=object)


def first_estimator(model: Estimator) -> Any:
    """The first step that does anything to the rows given to a model."""
    return next(step for _, step in getattr(model, "steps", [("model", model)]) if step != "passthrough")
