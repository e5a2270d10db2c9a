"""Model files: a fitted pipeline and all that is needed to use it on a table of the same columns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nearkin.datasets import TableEncoder


@dataclass(frozen=True)
class LoadedModel:
    """What `load_model` found in a file."""

    pipeline: Any
    metadata: dict[str, Any]

    @property
    def encoder(self) -> TableEncoder | None:
        state = self.metadata.get("encoder")
        return None if state is None else TableEncoder.from_dict(state)

    @property
    def target_names(self) -> list[str]:
        return list(self.metadata.get("target_names") or ["prediction"])

    @property
    def predictor(self):
        """The last step of the pipeline."""
        steps = getattr(self.pipeline, "steps", None)
        return self.pipeline if steps is None else steps[-1][1]

    def scaled(self, X):
        """X as the last step sees it."""
        steps = getattr(self.pipeline, "steps", None)
        return X if steps is None or len(steps) == 1 else self.pipeline[:-1].transform(X)

    def names(self, labels) -> np.ndarray:
        """Readable names of class labels; numbers stay as they are."""
        labels = np.asarray(labels)
        names = self.metadata.get("class_names") or []
        classes = getattr(self.predictor, "classes_", None)
        if classes is None or len(names) != len(classes) or labels.dtype.kind not in "iub":
            return labels
        return np.asarray(names)[np.searchsorted(classes, labels)]


def load_model(path: Path) -> LoadedModel:
    """A model and what its file says about it; a foreign or damaged file is an error."""
    from nearkin.persistence import load, read_metadata

    description = read_metadata(path)
    metadata = dict(description["metadata"])
    if metadata.get("encoder") is None and description.get("feature_names"):
        # Saved from Python on a data frame: its columns are numbers with names.
        metadata["encoder"] = TableEncoder.for_numbers(description["feature_names"]).to_dict()
    return LoadedModel(load(path), metadata)
