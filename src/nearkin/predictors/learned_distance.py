"""From a fitted learner, or any scikit-learn transformer, to the distance it has learned."""

from __future__ import annotations

from sklearn.utils import get_tags

from nearkin._types import ColumnLike, Estimator, MatrixLike
from nearkin.distances import Distance, EmbeddedDistance
from nearkin.distances.embeddings import TransformerEmbedding

#: What a learner may be fitted from instead of y.
CONSTRAINTS = ("pairs", "triplets", "quadruplets", "chunklets")


def has_constraints(fit_params: dict) -> bool:
    """Whether there are constraints to learn from instead of y."""
    return any(
        name.rpartition("__")[2] in CONSTRAINTS and value is not None for name, value in fit_params.items()
    )


def fit_learner(learner: Estimator, X: MatrixLike, y: ColumnLike, fit_params: dict) -> Estimator:
    """Fit a learner from y, or from the constraints among `fit_params` if there are any.

    Constraints for a step of a pipeline are named ``step__pairs``, as in scikit-learn.
    """
    if has_constraints(fit_params):
        return learner.fit(X, **fit_params)
    return learner.fit(X, y, **fit_params)


def learned_distance(learner: Estimator) -> Distance:
    """The `distance_` of a fitted learner, or squared Euclid after a fitted transformer."""
    if hasattr(learner, "distance_"):
        return learner.distance_
    if hasattr(learner, "transform"):
        return EmbeddedDistance.symmetric(TransformerEmbedding(learner))
    raise TypeError(
        f"{type(learner).__name__} has neither a distance_ nor a transform, so it cannot be the learner; in "
        "a pipeline, put the steps before a learner without transform in front of the predictor."
    )


def takes_sparse(learner: Estimator) -> bool:
    """Whether a learner can be fitted on CSR rows."""
    if learner is None or isinstance(learner, type) or not hasattr(learner, "__sklearn_tags__"):
        return learner is None
    return get_tags(learner).input_tags.sparse
