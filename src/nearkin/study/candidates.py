"""The candidates of a comparison: Euclid, learners, their average vote, and reference models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nearkin.datasets import Dataset
from nearkin.evaluation import Candidate, Metric
from nearkin.study.models import chosen_learners, first_step, learner_named, make_candidates, make_scaler
from nearkin.study.references import (
    constant_candidate,
    imbalance_notices,
    judged_candidates,
    reference_candidates,
)

AVERAGE = "Average vote"
#: Learners whose votes are averaged if none were named: each is the best on some of 25 open data sets, where
#: adding KernelLMDL, LFDA, LDML and SCML gained nothing beyond chance.
COMMITTEE = ("LMNN", "NCA", "MEGM", "LMDL", "KDA")


def candidates_of(
    data: Dataset,
    learners: Any,
    metric: Metric,
    reference_scale: str | None,
    average: bool,
    options: Mapping[str, Any],
) -> tuple[list[Candidate], list[str]]:
    """The candidates that the metric can judge, and what a user should know about the choice.

    Parameters
    ----------
    learners : as `compare` takes them
    reference_scale : str or None
        How reference models are scaled; None leaves them out.
    average : bool
        Whether the average vote takes part.
    options : mapping
        Keyword arguments of `make_candidates`.
    """
    lopsided = imbalance_notices(data, metric)
    chosen, notices = chosen_learners(learners, data.task, data.is_sparse)
    named = {} if learners is None else chosen
    candidates = make_candidates(data, chosen, corrected=named, **options)
    if average:
        candidates.append(average_candidate(data, named, options["scale"]))
    if reference_scale is not None:
        candidates += reference_candidates(
            data.task, data.is_sparse, data.n_targets, data.encoder, reference_scale
        )
    candidates.append(constant_candidate(data.task))
    candidates, unjudged = judged_candidates(candidates, metric)
    return candidates, [*notices, *unjudged, *lopsided]


def average_candidate(data: Dataset, named: Mapping[str, Any], scale: str) -> Candidate:
    """The mean vote of Euclid and the best of these learners, or of `COMMITTEE` if there are none."""
    from sklearn.pipeline import Pipeline

    from nearkin.predictors import AverageVote

    if data.task != "classification" or data.is_sparse:
        raise ValueError("the average vote is for classification of dense rows.")
    found = list(named.values()) or [learner_named(name) for name in COMMITTEE]
    model = AverageVote([None, *(each() if isinstance(each, type) else each for each in found)])
    scaler = make_scaler(scale, data.is_sparse)
    return Candidate(AVERAGE, Pipeline([*first_step(data.encoder), ("scale", scaler), ("model", model)]))
