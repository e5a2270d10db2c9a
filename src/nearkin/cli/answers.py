"""Known answers beside the rows to predict, gathered block by block and scored at the end."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearkin.cli.modelfile import LoadedModel
from nearkin.datasets.columns import as_categories, as_numbers
from nearkin.datasets.targets import combined_labels
from nearkin.evaluation.metrics import last_step
from nearkin.evaluation.running_scores import LabelScores, NumberScores


class Answers:
    """Predictions against the truth for the rows whose answers are known, accumulated as sums."""

    def __init__(self, model: LoadedModel):
        self.model = model
        self.n_rows = 0
        classification = model.task == "classification"
        self._scores = LabelScores() if classification else NumberScores(self._train_mean())

    @property
    def n_answers(self) -> int:
        return self._scores.n_rows

    def add(self, block, predictions) -> np.ndarray | None:
        """Add a block of rows and the table of its predictions; returns its known answers, if any."""
        self.n_rows += len(predictions)
        names = self.model.target_names
        columns = getattr(block, "columns", ())
        if any(name not in columns for name in names):
            return None
        known = block[names].notna().all(axis=1).to_numpy()
        if not known.any():
            return None
        true, predicted = block[names][known], predictions[names][known]
        if self.model.task == "classification":
            sides = [[as_categories(side[name]) for name in names] for side in (true, predicted)]
            answers, found = (combined_labels(side) for side in sides)
        else:
            answers = np.column_stack([as_numbers(true[name]) for name in names])
            found = predicted.to_numpy(dtype=float)
        self._scores.add(answers, found)
        return answers

    def add_arrays(self, true: np.ndarray, predicted: np.ndarray) -> None:
        """Add labels or targets and their predictions, given as arrays."""
        self.n_rows += len(true)
        self._scores.add(true, predicted)

    def scores(self) -> dict[str, float]:
        """Scores over all answers; none if there were no answers."""
        return self._scores.scores() if self.n_answers else {}

    def _train_mean(self) -> Any:
        targets = getattr(last_step(self.model.pipeline), "targets_", None)
        return None if targets is None else np.mean(np.reshape(targets, (len(targets), -1)), axis=0)
