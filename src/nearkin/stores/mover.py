"""The reference side of a fitted model: what is applied to stored vectors, and nothing else."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from nearkin._types import Estimator
from nearkin.distances import EmbeddedDistance
from nearkin.distances.embeddings import AffineEmbedding
from nearkin.distances.folding import METRICS, Folding
from nearkin.evaluation.fingerprints import array_digest, digest
from nearkin.numerics.given_rows import checked_rows
from nearkin.persistence import load, save
from nearkin.stores.base import StoreError


class Mover:
    """Moves stored vectors by a fitted model whose queries stay as they are.

    Parameters
    ----------
    model : estimator
        A fitted `MoveLabeled`, a `KNNClassifier` of it, or a pipeline that ends in one and whose other
        steps do nothing.
    metric : {"l2", "ip", "cosine"}, default="l2"
        What the index ranks by. Vectors for "ip" have one value more and are searched with (q, 1), those for
        "cosine" two and (q, 1, 0): see `distances.Folding`.
    radius : float, optional
        The length that all vectors get, required for "cosine": one number for all vectors that are stored
        together, including those added later. `files.radius_of` finds it for a file.

    Raises
    ------
    StoreError
        An unknown metric, or "cosine" without a radius. Also if queries would have to change too, because of
        a scaler before the learner or a learner that embeds both sides: raw queries would then silently be
        searched for among vectors of another space.

    Notes
    -----
    Rows are moved in float64 and rounded to float32, so that results do not depend on the size of blocks.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin import MoveLabeled
    >>> X, y = load_iris(return_X_y=True)
    >>> mover = Mover(MoveLabeled(alpha=1.0).fit(X, y))
    >>> mover.width, mover(X[:2]).dtype
    (4, dtype('float32'))
    """

    def __init__(self, model: Estimator, metric: str = "l2", radius: float | None = None) -> None:
        if metric not in METRICS:
            raise StoreError(f"metric={metric!r}: expected one of {', '.join(METRICS)}.")
        if (radius is not None) != (metric == "cosine"):
            raise StoreError("the metric 'cosine', and no other, needs a radius.")
        self.metric, self.radius = metric, radius
        self.learner = _learner_of(model)
        distance = self.learner.distance_
        if not isinstance(distance, EmbeddedDistance) or not _leaves_alone(distance.queries):
            raise StoreError(
                f"{type(self.learner).__name__} changes queries too, so raw queries would find nothing "
                "useful among the vectors it stores; use MoveLabeled without a kernel, which moves stored "
                "vectors only."
            )
        self._folding = Folding(distance, metric, 0.0 if radius is None else radius**2)
        self.width = int(self.learner.n_features_in_)
        self.name = type(self.learner).__name__
        described = _described(distance.references)
        self.fingerprint = digest(described if metric == "l2" else [described, metric, radius])

    def __call__(self, X: np.ndarray) -> np.ndarray:
        rows = checked_rows(X, self.width, what="rows")
        return np.asarray(self._folding.embed_references(rows.astype(np.float64)), dtype=np.float32)

    def to_bytes(self) -> bytes:
        """A model file of the learner, without the rows it was fitted on."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "move.nearkin")
            save(self.learner, path)
            return path.read_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Mover:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "move.nearkin")
            path.write_bytes(data)
            return cls(load(path))


def _learner_of(model) -> Any:
    steps = getattr(model, "steps", [("model", model)])
    busy = [name for name, step in steps[:-1] if step not in (None, "passthrough")]
    if busy:
        raise StoreError(
            f"the model changes rows before its learner sees them (step {busy[0]!r}), so raw queries would "
            "find nothing useful among the vectors it stores; fit it on the vectors as they are (nearkin fit "
            "--scale none)."
        )
    last = steps[-1][1]
    learner = getattr(last, "learner_", last)
    if not hasattr(learner, "distance_"):
        raise StoreError(
            f"{type(last).__name__} is not fitted or learns no move; give a fitted MoveLabeled or a "
            "KNNClassifier of it."
        )
    return learner


def _leaves_alone(embedding) -> bool:
    return isinstance(embedding, AffineEmbedding) and all(
        part is None for part in (embedding.matrix, embedding.origin, embedding.shift)
    )


def _described(value):
    """A JSON-ready description of an embedding by the contents of its arrays."""
    if isinstance(value, np.ndarray) or sparse.issparse(value):
        return array_digest(value)
    if dataclasses.is_dataclass(value):
        parts = {part.name: _described(getattr(value, part.name)) for part in dataclasses.fields(value)}
        return {type(value).__name__: parts}
    return repr(value)
