"""What a fitted local learner looks at in each of its parts, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from nearkin.report.views import LocalView, LocalViews


def local_views(name: str, learner, X, labels: Sequence, feature_names: Sequence[str]) -> LocalViews | None:
    """Parts of a fitted learner with prototypes or regions; None for learners of one metric.

    Parameters
    ----------
    learner : fitted learner
    X : rows as the learner was fitted on
    labels : class name of each row
    """
    if hasattr(learner, "prototypes_") and hasattr(learner.distance_, "to_prototypes"):
        return _prototype_views(name, learner, X, labels, feature_names)
    if hasattr(learner, "regions_of"):
        return _region_views(name, learner, X, labels, feature_names)
    return None


def _prototype_views(name: str, learner, X, labels, feature_names) -> LocalViews:
    owner = learner.distance_.to_prototypes(np.asarray(X)).argmin(axis=1)
    number: Counter = Counter()
    parts = []
    for position, label in enumerate(learner.prototype_labels_):
        number[label] += 1
        parts.append(
            LocalView(
                name=f"{_name_of(label, learner, labels)} · {number[label]}",
                shares=_shares(labels, owner == position),
                weights=_weights(learner.metrics_[position], feature_names),
            )
        )
    return LocalViews(name, "prototype", parts)


def _region_views(name: str, learner, X, labels, feature_names) -> LocalViews:
    owner = np.asarray(learner.regions_of(np.asarray(X)))
    parts = [
        LocalView(
            name=f"region {region + 1}",
            shares=_shares(labels, owner == region),
            weights=_weights(components, feature_names),
        )
        for region, components in enumerate(learner.region_components_)
    ]
    return LocalViews(name, "region", parts)


def _name_of(label, learner, labels) -> str:
    names = sorted(set(map(str, labels)))
    position = int(np.searchsorted(learner.classes_, label))
    return names[position] if len(names) == len(learner.classes_) else str(label)


def _shares(labels: Sequence, mine: np.ndarray) -> dict[str, int]:
    counts = Counter(str(label) for label, here in zip(labels, mine) if here)
    return {label: counts.get(label, 0) for label in sorted(set(map(str, labels)))}


def _weights(metric: np.ndarray, feature_names: Sequence[str]) -> dict[str, float]:
    """How far one unit of each feature moves a point under the metric, the largest made 1."""
    metric = np.asarray(metric, dtype=float)
    lengths = np.abs(metric) if metric.ndim == 1 else np.linalg.norm(metric, axis=0)
    if len(lengths) != len(feature_names):
        return {}
    lengths = lengths / (lengths.max() or 1.0)
    return {feature: round(float(length), 4) for feature, length in zip(feature_names, lengths)}
