"""Candidates as the papers build them: a preparation, then neighbours under a learned distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from nearkin.evaluation import Candidate
from nearkin.predictors import KNNClassifier

NEIGHBOURS = "model__n_neighbors"
#: What learners do by default beyond the published methods, and the values that turn it off.
ADDED = {"euclid_share": 0.0, "refresh_targets": 0}


def neighbours(
    label: str,
    prepare: Sequence[BaseEstimator],
    learner: BaseEstimator | None = None,
    *,
    n_neighbors: int | Sequence[int] = 1,
    grid: Mapping[str, Sequence] | None = None,
) -> Candidate:
    """k nearest neighbours under a learner's distance, or Euclid's.

    Parameters
    ----------
    prepare : sequence of transformers
        Fitted on training rows only, in this order.
    n_neighbors : int or sequence of int
        Fixed, or to be chosen inside the training part.
    grid : mapping, optional
        Settings of the learner to choose among.
    """
    counts = [n_neighbors] if isinstance(n_neighbors, int) else list(n_neighbors)
    tuned = not isinstance(n_neighbors, int)
    settings = {f"model__learner__{name}": list(offered) for name, offered in (grid or {}).items()}
    if tuned:
        settings[NEIGHBOURS] = counts
    return Candidate(
        label,
        _pipeline(prepare, KNNClassifier(as_published(learner), n_neighbors=counts[0])),
        settings,
        predict_time=(NEIGHBOURS,) if tuned else (),
    )


def classifier(
    label: str, prepare: Sequence[BaseEstimator], model: BaseEstimator, grid: Mapping[str, Sequence] | None
) -> Candidate:
    """A learner that classifies by itself."""
    settings = {f"model__{name}": list(offered) for name, offered in (grid or {}).items()}
    return Candidate(label, _pipeline(prepare, as_published(model)), settings)


def as_published(learner: BaseEstimator | None) -> BaseEstimator | None:
    """The learner without what nearkin adds by default: no Euclid in its distance, targets chosen once.

    Settings that differ from the defaults are meant, and stay.

    >>> from nearkin import LMNN
    >>> as_published(LMNN(n_targets=1))
    LMNN(euclid_share=0.0, n_targets=1, refresh_targets=0)
    """
    if learner is None:
        return None
    added = {name: off for name, off in ADDED.items() if learner.get_params(deep=False).get(name) == "auto"}
    return learner.set_params(**added)


def encoding_first(candidate: Candidate, encoder: BaseEstimator | None) -> Candidate:
    """The candidate after the encoder of a table, which is then fitted on training rows only."""
    if encoder is None:
        return candidate
    return replace(candidate, estimator=Pipeline([("table", encoder), *candidate.estimator.steps]))


def _pipeline(prepare: Sequence[BaseEstimator], model: BaseEstimator) -> Pipeline:
    steps = [(f"prepare{number}", step) for number, step in enumerate(prepare, 1)]
    return Pipeline([*steps, ("model", model)])
