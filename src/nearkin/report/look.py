"""From held-out predictions and fitted predictors to views; nothing is fitted here but the picture's map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nearkin._types import ColumnLike, MatrixLike
from nearkin.datasets.dataset import take_rows
from nearkin.evaluation.metrics import prepared
from nearkin.report.neighbour_map import neighbour_map
from nearkin.report.views import ConfusionView, EmbeddingView, PanelView

#: Points drawn per panel; beyond this the browser labours and the eye sees no more.
MAX_QUERIES = 250
MAX_POINTS = 800


#: From an array of labels to the names that are shown.
Namer = Callable[[Any], list]


def unnamed(labels) -> list:
    """The labels themselves, where they have no better names."""
    return np.asarray(labels).tolist()


def class_namer(y: ColumnLike, class_names: Sequence[str]) -> Namer:
    """The readable names of labels; targets of regression stay numbers."""
    if not class_names:
        return unnamed
    names = dict(zip(np.unique(y).tolist(), class_names))
    return lambda labels: [names.get(label, str(label)) for label in np.asarray(labels).tolist()]


def confusion_view(
    label: str, true: ColumnLike, predicted: ColumnLike, name_labels: Namer = unnamed
) -> ConfusionView:
    """Counts of true against predicted labels; classes in sorted order."""
    classes, codes = np.unique(np.concatenate([np.asarray(true), np.asarray(predicted)]), return_inverse=True)
    n_classes = len(classes)
    cells = codes[: len(true)] * n_classes + codes[len(true) :]
    counts = np.bincount(cells, minlength=n_classes**2).reshape(n_classes, n_classes)
    return ConfusionView(label, [str(shown) for shown in name_labels(classes)], counts.tolist())


def embedding_view(
    predictors: Mapping[str, object],
    X: MatrixLike,
    y: ColumnLike,
    train: np.ndarray,
    test: np.ndarray,
    *,
    seed: int = 0,
    name_labels: Namer = unnamed,
    categorical: bool = True,
    target_name: str = "class",
) -> EmbeddingView:
    """The held-out rows and the references around them, under every fitted predictor.

    Parameters
    ----------
    predictors : mapping of str to fitted predictor or pipeline
        Each fitted on the rows `train`; the last step has `kneighbors` and `distance_`.
    X, y : features and labels (or one regression target) of all rows
    train, test : int arrays
        Row numbers; neighbours are looked for among `train`, for queries of `test`.
    seed : int
        Decides which rows are drawn where there are too many.
    name_labels : callable
        From an array of labels to the names that are shown.
    categorical : bool
        Whether the labels are classes rather than numbers to predict.
    target_name : str
        What the labels are called.

    Notes
    -----
    At most 250 queries are drawn, with all their neighbours, and other references up to 800 points; fewer
    queries if their neighbours alone would exceed that. Every panel is a t-SNE of the same rows, and each
    starts from where the one before ended, so that what moves has moved because of the distance.
    """
    rng = np.random.default_rng(seed)
    train, test = np.asarray(train), np.asarray(test)
    queries = rng.choice(test, min(MAX_QUERIES, len(test)), replace=False)
    found = {label: _neighbours(model, take_rows(X, queries)) for label, model in predictors.items()}
    lists = np.hstack([train[indices] for _, indices, _ in found.values()])
    n_drawn = _affordable(lists, MAX_POINTS)
    queries, met = queries[:n_drawn], np.unique(lists[:n_drawn])
    found = {label: tuple(part[:n_drawn] for part in parts) for label, parts in found.items()}
    others = np.setdiff1d(train, met)
    room = max(0, MAX_POINTS - len(queries) - len(met))
    drawn = np.sort(np.concatenate([met, rng.choice(others, min(room, len(others)), replace=False)]))
    rows = np.concatenate([queries, drawn])
    position = np.full(max(train.max(), test.max()) + 1, -1)
    position[drawn] = np.arange(len(queries), len(rows))
    panels: list[PanelView] = []
    start = None
    for label, model in predictors.items():
        distances, indices, predicted = found[label]
        at = start = neighbour_map(*_placed(model, take_rows(X, queries), take_rows(X, drawn)), start=start)
        panels.append(
            PanelView(
                label=label,
                x=np.round(at[:, 0], 2).tolist(),
                y=np.round(at[:, 1], 2).tolist(),
                neighbours=position[train[indices]].tolist(),
                distances=np.round(distances, 5).tolist(),
                predicted=name_labels(predicted if predicted.ndim == 1 else predicted[:, 0]),
            )
        )
    return EmbeddingView(
        rows=rows.tolist(),
        labels=name_labels(np.asarray(y)[rows]),
        is_query=[True] * len(queries) + [False] * len(drawn),
        queries=list(range(len(queries))),
        panels=panels,
        categorical=categorical,
        label_name=target_name,
    )


def _affordable(lists: np.ndarray, room: int) -> int:
    """How many of the queries, from the first on, there is room for with all their neighbours."""
    met: set[int] = set()
    for position, neighbours in enumerate(lists.tolist()):
        met.update(neighbours)
        if position and position + 1 + len(met) > room:
            return position
    return len(lists)


def _neighbours(model, X) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    final, Z = prepared(model, X)
    distances, indices = final.kneighbors(Z)
    return distances, indices, np.asarray(model.predict(X))


def _placed(model, queries, references):
    """The distance of a model and the two kinds of rows as it sees them."""
    final, queries = prepared(model, queries)
    _, references = prepared(model, references)
    return getattr(final, "distance_", None), queries, references
