"""What a fitted model does to raw rows before they are compared, as one affine map.

A FAISS index or an ONNX graph can apply such a map itself, and so accept raw rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer

from nearkin.numerics.affine_probe import affine_of


@dataclass(frozen=True)
class RawRows:
    """``matrix @ x + constant`` for each row x, which is first scaled to length one if `normalised`."""

    matrix: np.ndarray
    constant: np.ndarray
    normalised: bool = False

    def then(self, matrix: np.ndarray, constant: np.ndarray) -> RawRows:
        """This map followed by another."""
        return RawRows(matrix @ self.matrix, matrix @ self.constant + constant, self.normalised)

    @property
    def does_nothing(self) -> bool:
        """Whether raw rows are compared as they are."""
        square = self.matrix.shape[0] == self.matrix.shape[1]
        same = square and bool((self.matrix == np.eye(len(self.matrix))).all())
        return same and not self.normalised and not self.constant.any()


def before_last(pipeline: Pipeline) -> RawRows:
    """The map of all steps of a fitted pipeline except the last.

    Raises
    ------
    TypeError
        Naming the first step that is not an affine map of the rows.
    """
    steps = [(name, step) for name, step in pipeline.steps[:-1] if step is not None and step != "passthrough"]
    # A pipeline whose first step is "passthrough" does not know its own width.
    first = steps[0][1] if steps else pipeline.steps[-1][1]
    n_features = first.n_features_in_
    normalised = bool(steps) and isinstance(steps[0][1], Normalizer) and steps[0][1].norm == "l2"
    before = RawRows(np.eye(n_features), np.zeros(n_features), normalised)
    for name, step in steps[normalised:]:
        found = affine_of(step.transform, len(before.matrix))
        if found is None:
            raise TypeError(
                f"step {name!r} ({type(step).__name__}) is not an affine map of the rows, so only the "
                "pipeline itself can do it; transform rows with its first steps, and hand over the last."
            )
        before = before.then(*found)
    return before
