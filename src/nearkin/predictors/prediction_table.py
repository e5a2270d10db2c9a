"""Predictions as a table: for every row the prediction, its probability, and the deciding neighbours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nearkin._types import ColumnLike, Estimator, MatrixLike
from nearkin.datasets.targets import AND

if TYPE_CHECKING:
    import pandas as pd


def prediction_table(
    model: Estimator,
    X: MatrixLike,
    *,
    n_neighbors: int = 0,
    proba: bool = False,
    target_names: Sequence[str] = ("prediction",),
    class_names: Sequence[str] = (),
    first_row: int = 1,
) -> pd.DataFrame:
    """A data frame with a row per row of X.

    Parameters
    ----------
    model : fitted predictor, or pipeline that ends in one
    X : array, CSR matrix or data frame that the model takes
    n_neighbors : int
        How many neighbours (for prototype learners, prototypes) to list with each prediction.
    proba : bool
        Whether to give the probability of each class.
    target_names : sequence of str
        Names of the predicted columns.
    class_names : sequence of str
        Readable names of ``model.classes_`` if those are numbers.
    first_row : int
        Number of the first row of X; training rows always count from 1.

    Returns
    -------
    DataFrame
        `row`, the target name(s), `proba_<class>`, then for each neighbour `neighbor<i>_row`,
        `_label` (or `_<target>` for several targets) and `_distance`; for prototype learners
        `prototype<i>_...`.

    Examples
    --------
    >>> from nearkin import KNNClassifier
    >>> model = KNNClassifier(n_neighbors=1).fit([[0.0], [1.0], [5.0]], ["a", "a", "b"])
    >>> print(prediction_table(model, [[4.0]], n_neighbors=2).to_csv(index=False).strip())
    row,prediction,neighbor1_row,neighbor1_label,neighbor1_distance,neighbor2_row,neighbor2_label,neighbor2_distance
    1,b,3,b,1.0,2,a,3.0
    """
    import pandas as pd

    predictor, Z = _final_step(model, X)
    predicted = np.asarray(predictor.predict(Z))
    columns: dict[str, np.ndarray] = {"row": np.arange(len(predicted)) + first_row}
    columns |= _targets(predicted, target_names, _Names(predictor, class_names))
    if proba:
        columns |= _probabilities(predictor, Z, class_names)
    if n_neighbors:
        columns |= _deciding(predictor, Z, n_neighbors, target_names, class_names)
    return pd.DataFrame(columns)


class _Names:
    """From class labels to readable names; regression targets stay as they are."""

    def __init__(self, predictor: Estimator, class_names: Sequence[str]) -> None:
        self.classes = getattr(predictor, "classes_", None)
        self.names = np.asarray(class_names)

    def __call__(self, labels: ColumnLike) -> np.ndarray:
        labels = np.asarray(labels)
        if self.classes is None or len(self.names) != len(self.classes) or labels.dtype.kind not in "iub":
            return labels
        return self.names[np.searchsorted(self.classes, labels)]


def _final_step(model: Estimator, X: MatrixLike) -> tuple[Estimator, MatrixLike]:
    """The predictor at the end of a pipeline and X as that step sees it."""
    steps = getattr(model, "steps", None)
    if steps is None:
        return model, X
    return steps[-1][1], X if len(steps) == 1 else model[:-1].transform(X)


def _targets(
    values: np.ndarray, names: Sequence[str], name_of: Callable[..., Any], prefix: str = ""
) -> dict[str, np.ndarray]:
    if values.ndim == 1 and len(names) == 1:
        return {prefix + names[0]: name_of(values)}
    if values.ndim == 1:
        # Several text targets were learned as one label.
        values = np.array([str(label).split(AND) for label in name_of(values)])
    return {prefix + name: values[:, i] for i, name in enumerate(names)}


def _probabilities(predictor: Estimator, Z: MatrixLike, class_names: Sequence[str]) -> dict[str, np.ndarray]:
    if not hasattr(predictor, "predict_proba"):
        raise ValueError(
            "probabilities (--proba) are for classification, but this model predicts numbers, or gives none."
        )
    shares = predictor.predict_proba(Z)
    names = _Names(predictor, class_names)(predictor.classes_)
    return {f"proba_{name}": shares[:, i] for i, name in enumerate(names)}


def _deciding(
    predictor: Estimator,
    Z: MatrixLike,
    n_neighbors: int,
    target_names: Sequence[str],
    class_names: Sequence[str],
) -> dict[str, np.ndarray]:
    """The nearest training rows, or for prototype models the nearest prototypes."""
    if hasattr(predictor, "kneighbors"):
        distances, rows = predictor.kneighbors(Z, n_neighbors=min(n_neighbors, predictor.n_samples_fit_))
        targets, word = _reference_targets(predictor), "neighbor"
    elif hasattr(predictor, "prototype_labels_"):
        squared = predictor.distance_.to_prototypes(Z)
        rows = np.argsort(squared, axis=1, kind="stable")[:, :n_neighbors]
        distances = np.sqrt(np.take_along_axis(squared, rows, axis=1))
        targets, word = predictor.prototype_labels_, "prototype"
    else:
        raise ValueError("this model does not decide by neighbours; do not ask for them (--neighbors).")
    names = ("label",) if targets.ndim == 1 else target_names
    columns: dict[str, np.ndarray] = {}
    for i in range(rows.shape[1]):
        which = f"{word}{i + 1}_"
        columns[which + "row"] = rows[:, i] + 1
        columns |= _targets(targets[rows[:, i]], names, _Names(predictor, class_names), which)
        columns[which + "distance"] = distances[:, i]
    return columns


def _reference_targets(predictor: Estimator) -> np.ndarray:
    """Labels or target vectors of the training rows."""
    return predictor.targets_ if hasattr(predictor, "targets_") else predictor.labels_
