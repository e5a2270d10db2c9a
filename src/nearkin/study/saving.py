"""Models saved with their provenance: columns, classes, scores and where they came from."""

from __future__ import annotations

from os import PathLike
from typing import Any

from nearkin._types import Estimator
from nearkin.datasets import Dataset
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
    """Save a fitted pipeline with its columns, targets, classes and where it came from."""
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
