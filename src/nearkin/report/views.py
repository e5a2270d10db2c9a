"""Views of the data under a distance, as plain values that a report can draw and a store can keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from nearkin.search.hubness import Hubness


@dataclass(frozen=True)
class PanelView:
    """The picture under one distance: positions of the points and the neighbours that each query finds there.

    `neighbours` and `distances` have one list per query; a neighbour is a position in `EmbeddingView.rows`.
    """

    label: str
    x: Sequence[float]
    y: Sequence[float]
    neighbours: Sequence[Sequence[int]]
    distances: Sequence[Sequence[float]]
    predicted: Sequence[Any]


@dataclass(frozen=True)
class EmbeddingView:
    """The same points under several distances.

    Attributes
    ----------
    rows : sequence of int
        Row number in the data of each point.
    labels : sequence
        Class name (or target value) of each point.
    is_query : sequence of bool
        Whether the point was held out; the others are references.
    queries : sequence of int
        Positions of the queries, in the order of the panels' `neighbours`.
    """

    rows: Sequence[int]
    labels: Sequence[Any]
    is_query: Sequence[bool]
    queries: Sequence[int]
    panels: Sequence[PanelView]
    categorical: bool = True
    label_name: str = "class"


@dataclass(frozen=True)
class ConfusionView:
    """Counts of true (rows) against predicted (columns) classes, for held-out points, of one candidate."""

    label: str
    classes: Sequence[str]
    counts: Sequence[Sequence[int]]


@dataclass(frozen=True)
class MissView:
    """A held-out row that was predicted badly, and the rows near it with their targets."""

    row: int
    true: float
    predicted: float
    neighbours: Sequence[int] = ()
    targets: Sequence[float] = ()


@dataclass(frozen=True)
class CostView:
    """What using a model costs: seconds of 1,000 predictions, and bytes of the model file."""

    predict: float | None = None
    size: int | None = None


@dataclass(frozen=True)
class LocalView:
    """One part of a local learner (a region or a prototype) and what its own metric looks at.

    `shares` counts the points of each class that belong to the part; `weights` says how strongly its metric
    weighs each feature, the largest being 1; `x`, `y` and `labels` are points of the part as its
    metric sees them.
    """

    name: str
    shares: dict[str, int] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    x: Sequence[float] = ()
    y: Sequence[float] = ()
    labels: Sequence[str] = ()


@dataclass(frozen=True)
class LocalViews:
    """All parts of one local learner; `kind` is "region" or "prototype"."""

    label: str
    kind: str
    parts: Sequence[LocalView]


@dataclass(frozen=True)
class Views:
    """The views that a report may show; each may be missing."""

    #: Under each distance, the baseline first.
    hubness: Mapping[str, Hubness] = field(default_factory=dict)
    embedding: EmbeddingView | None = None
    confusion: Sequence[ConfusionView] = ()
    local: Sequence[LocalViews] = ()
    #: Target and prediction of held-out rows, for regression: {target: {"true": [...], "predicted": [...]}}.
    regression: dict[str, dict[str, Sequence[float]]] = field(default_factory=dict)
    #: The largest misses of regression, worst first, by target; of the learner that `regression` shows.
    misses: Mapping[str, Sequence[MissView]] = field(default_factory=dict)
    costs: Mapping[str, CostView] = field(default_factory=dict)
    #: How the held-out points were chosen, in words.
    protocol: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Only dicts, lists, numbers and strings."""
        hubness = {name: found.to_dict() for name, found in self.hubness.items()}
        return {**asdict(replace(self, hubness={})), "hubness": hubness}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Views:
        """The inverse of `to_dict`.

        >>> Views.from_dict(Views(protocol="one split").to_dict()).protocol
        'one split'
        """
        embedding = data.get("embedding")
        if embedding is not None:
            panels = [_known(PanelView, panel) for panel in embedding["panels"]]
            embedding = EmbeddingView(**{**embedding, "panels": panels})
        local = [
            _known(LocalViews, {**views, "parts": [LocalView(**part) for part in views["parts"]]})
            for views in data.get("local", ())
        ]
        return cls(
            hubness={name: Hubness.from_dict(found) for name, found in data.get("hubness", {}).items()},
            embedding=embedding,
            confusion=[_known(ConfusionView, view) for view in data.get("confusion", ())],
            local=local,
            regression=data.get("regression", {}),
            misses={
                target: [MissView(**miss) for miss in found]
                for target, found in data.get("misses", {}).items()
            },
            costs={label: _known(CostView, cost) for label, cost in data.get("costs", {}).items()},
            protocol=data.get("protocol", ""),
        )


#: What the label of a candidate was called in results of the first release.
OLD_LABELS = {PanelView: "name", ConfusionView: "name", LocalViews: "learner"}


def _known(view: type, values: dict[str, Any]) -> Any:
    """A view from those values that it still has; earlier releases have written more, or other names."""
    names = {entry.name for entry in fields(view)}
    old = OLD_LABELS.get(view)
    values = {"label" if name == old else name: value for name, value in values.items()}
    return view(**{name: value for name, value in values.items() if name in names})
