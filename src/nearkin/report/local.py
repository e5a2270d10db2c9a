"""What a fitted local learner looks at in each of its parts, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from nearkin.report.look import Namer, unnamed
from nearkin.report.views import LocalView, LocalViews

#: Points drawn per part.
MAX_POINTS = 150


def local_views(
    label: str, learner, X, y, feature_names: Sequence[str], name_labels: Namer = unnamed
) -> LocalViews | None:
    """Parts of a fitted learner with prototypes or regions; None for learners of one metric.

    Parameters
    ----------
    label : str
        The candidate's label.
    learner : fitted learner
    X, y : rows as the learner was fitted on, and their labels
    feature_names : sequence of str
    name_labels : callable
        From an array of labels to the names that are shown.
    """
    X, y = np.asarray(X), np.asarray(y)
    if hasattr(learner, "prototypes_") and hasattr(learner.distance_, "to_prototypes"):
        owner = learner.distance_.to_prototypes(X).argmin(axis=1)
        names = _numbered([str(shown) for shown in name_labels(learner.prototype_labels_)])
        kind, metrics, project = "prototype", learner.metrics_, learner.project
    elif hasattr(learner, "projections_") and hasattr(learner, "region"):
        owner = learner.region(X)
        kind, metrics, project = "region", learner.projections_, learner.region_embedding
        names = [f"region {number + 1}" for number in range(len(metrics))]
    else:
        return None
    labels = np.unique(y)
    classes = dict(zip(map(str, name_labels(labels)), labels.tolist()))
    views = []
    for position, (part, metric) in enumerate(zip(names, metrics, strict=True)):
        mine = np.flatnonzero(owner == position)
        drawn = mine[:: max(1, -(-len(mine) // MAX_POINTS))]
        at = project(X[drawn], position, min(2, len(metric))) if len(drawn) else np.empty((0, 1))
        at = np.asarray(at, dtype=float)
        views.append(
            LocalView(
                name=part,
                shares={shown: int(np.sum(y[mine] == value)) for shown, value in classes.items()},
                weights=_weights(metric, feature_names),
                x=np.round(at[:, 0], 4).tolist(),
                y=np.round(at[:, 1], 4).tolist() if at.shape[1] > 1 else [0.0] * len(at),
                labels=[str(shown) for shown in name_labels(y[drawn])],
            )
        )
    return LocalViews(label, kind, views)


def _numbered(names: Sequence[str]) -> list[str]:
    """Names made different by counting those that are the same.

    >>> _numbered(["a", "a", "b"])
    ['a · 1', 'a · 2', 'b · 1']
    """
    seen: Counter = Counter()
    numbered = []
    for name in names:
        seen[name] += 1
        numbered.append(f"{name} · {seen[name]}")
    return numbered


def _weights(metric: np.ndarray, feature_names: Sequence[str]) -> dict[str, float]:
    """How far one unit of each feature moves a point under the metric, the largest made 1."""
    metric = np.asarray(metric, dtype=float)
    lengths = np.abs(metric) if metric.ndim == 1 else np.linalg.norm(metric, axis=0)
    if len(lengths) != len(feature_names):
        return {}
    lengths = lengths / (lengths.max() or 1.0)
    return {feature: round(float(length), 4) for feature, length in zip(feature_names, lengths)}
