"""Model files: a fitted pipeline and what is known about its data, for use on tables of the same columns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from nearkin.evaluation.metrics import last_step
from nearkin.study.saving import first_estimator


@dataclass(frozen=True)
class LoadedModel:
    """What `load_model` found in a file; the pipeline takes tables, unless the model is for sparse data."""

    pipeline: Any
    metadata: dict[str, Any]

    @property
    def target_names(self) -> list[str]:
        return list(self.metadata.get("target_names") or ["prediction"])

    @property
    def takes_tables(self) -> bool:
        """Whether the names of the columns are known, so that a table can be read."""
        return hasattr(self.pipeline, "feature_names_in_")

    @property
    def predicts(self) -> bool:
        """Whether the model predicts; a learner alone only embeds rows."""
        return hasattr(self.pipeline, "predict")

    @property
    def task(self) -> str:
        return "classification" if hasattr(last_step(self.pipeline), "classes_") else "regression"

    @property
    def class_names(self) -> list[str]:
        return list(self.metadata.get("class_names") or [])


def load_model(path: Path) -> LoadedModel:
    """A model and what its file says about it; any other file, or a damaged one, is an error."""
    from nearkin.persistence import load, read_metadata

    description = read_metadata(path)
    model, metadata = load(path), description["metadata"]
    encoder = _missing_encoder(model, description)
    if encoder is not None:
        steps = getattr(model, "steps", [("model", model)])
        # The encoder finds columns by name and passes on bare numbers.
        vars(first_estimator(model)).pop("feature_names_in_", None)
        model = Pipeline([("table", encoder), *steps])
    return LoadedModel(model, metadata)


def _missing_encoder(model, description: dict[str, Any]):
    """A fitted encoder for the front of a model fitted on bare numbers, if its columns are known."""
    from nearkin.datasets.encoding import TableEncoder, number_encoder
    from nearkin.datasets.saved_encoder import encoder_from_state

    metadata, steps = description["metadata"], getattr(model, "steps", [("model", model)])
    if isinstance(steps[0][1], TableEncoder):
        return None
    if metadata.get("encoder") is not None:
        return encoder_from_state(metadata["encoder"])
    # A model fitted on a data frame in Python knows its columns itself.
    names = metadata.get("columns") or description.get("feature_names")
    return None if names is None else number_encoder(names)
