"""The work behind `nearkin predict`: one table of predictions and what decided them."""

from __future__ import annotations

import numpy as np

from nearkin.cli.errors import CommandError
from nearkin.cli.modelfile import LoadedModel


def prediction_table(loaded: LoadedModel, X, *, n_neighbors: int = 0, proba: bool = False):
    """A data frame with a row per row of X.

    Columns: `row`, the target name(s), `proba_<class>` if asked for, then for each neighbour
    `neighbor<i>_row`, `_label` (or `_<target>` for several targets) and `_distance`.
    """
    import pandas as pd

    predicted = np.asarray(loaded.pipeline.predict(X))
    columns: dict[str, np.ndarray] = {"row": np.arange(X.shape[0])}
    names = loaded.target_names
    if predicted.ndim == 1:
        columns[names[0]] = loaded.names(predicted)
    else:
        columns |= {name: predicted[:, i] for i, name in enumerate(names)}
    if proba:
        columns |= _probabilities(loaded, X)
    if n_neighbors:
        columns |= _deciding(loaded, X, n_neighbors)
    return pd.DataFrame(columns)


def _probabilities(loaded: LoadedModel, X) -> dict[str, np.ndarray]:
    if not hasattr(loaded.pipeline, "predict_proba"):
        raise CommandError("--proba is for classification, but this model predicts numbers.")
    shares = loaded.pipeline.predict_proba(X)
    return {f"proba_{name}": shares[:, i] for i, name in enumerate(loaded.names(loaded.predictor.classes_))}


def _reference_targets(predictor) -> np.ndarray:
    """Labels or target vectors of the training rows."""
    if hasattr(predictor, "targets_"):
        return predictor.targets_
    return predictor.labels_


def _deciding(loaded: LoadedModel, X, n_neighbors: int) -> dict[str, np.ndarray]:
    """The nearest training rows, or for prototype models the nearest prototypes."""
    predictor, Z = loaded.predictor, loaded.scaled(X)
    if hasattr(predictor, "kneighbors"):
        available = predictor.n_samples_fit_
        distances, rows = predictor.kneighbors(Z, n_neighbors=min(n_neighbors, available))
        targets, word = _reference_targets(predictor), "neighbor"
    elif hasattr(predictor, "prototype_labels_"):
        squared = predictor.distance_.to_prototypes(Z)
        rows = np.argsort(squared, axis=1, kind="stable")[:, :n_neighbors]
        distances = np.sqrt(np.take_along_axis(squared, rows, axis=1))
        targets, word = predictor.prototype_labels_, "prototype"
    else:
        raise CommandError("this model does not decide by neighbours; leave out --neighbors.")
    columns: dict[str, np.ndarray] = {}
    for i in range(rows.shape[1]):
        columns[f"{word}{i + 1}_row"] = rows[:, i]
        found = targets[rows[:, i]]
        if found.ndim == 1:
            columns[f"{word}{i + 1}_label"] = loaded.names(found)
        else:
            columns |= {f"{word}{i + 1}_{name}": found[:, j] for j, name in enumerate(loaded.target_names)}
        columns[f"{word}{i + 1}_distance"] = distances[:, i]
    return columns
