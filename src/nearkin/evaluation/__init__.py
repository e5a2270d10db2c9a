"""Honest evaluation: protocols, a resumable runner, leaderboards, and tests of significance."""

import warnings
from typing import Any

from nearkin.evaluation.candidate import Candidate
from nearkin.evaluation.comparison import Comparison, choose_winner, summarise
from nearkin.evaluation.contest import compare_candidates
from nearkin.evaluation.measurement import fit_candidate
from nearkin.evaluation.metrics import METRICS, Metric, metric_named
from nearkin.evaluation.problems import Problem
from nearkin.evaluation.progress import Progress
from nearkin.evaluation.protocols import (
    FiveByTwo,
    Folds,
    GivenSplit,
    Protocol,
    RandomSplits,
    Split,
    StratifiedFolds,
)
from nearkin.evaluation.regression_error import arrmse, rrmse
from nearkin.evaluation.repeating import RepeatRule
from nearkin.evaluation.results import Record, Standing
from nearkin.evaluation.retrieval import (
    Relevance,
    hit_rate_at_k,
    map_at_r,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    retrieval_scores,
)
from nearkin.evaluation.runner import run_tasks
from nearkin.evaluation.store import ResultsStore
from nearkin.evaluation.tasks import plan_tasks
from nearkin.search.hubness import Hubness, hubness_skewness, k_occurrence

__all__ = [
    "METRICS",
    "Candidate",
    "Comparison",
    "FiveByTwo",
    "Folds",
    "GivenSplit",
    "Hubness",
    "Metric",
    "Problem",
    "Progress",
    "Protocol",
    "RandomSplits",
    "Record",
    "Relevance",
    "RepeatRule",
    "ResultsStore",
    "Split",
    "Standing",
    "StratifiedFolds",
    "arrmse",
    "choose_winner",
    "compare_candidates",
    "fit_candidate",
    "hit_rate_at_k",
    "hubness_skewness",
    "k_occurrence",
    "map_at_r",
    "mean_reciprocal_rank",
    "metric_named",
    "ndcg_at_k",
    "plan_tasks",
    "precision_at_k",
    "recall_at_k",
    "retrieval_scores",
    "rrmse",
    "run_tasks",
    "summarise",
]

_RENAMED: dict[str, Any] = {
    "ComparisonRow": Standing,
    "HubnessReport": Hubness,
    "compare": compare_candidates,
    "hubness_report": Hubness.of,
}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = _RENAMED[name].__qualname__
    warnings.warn(f"nearkin.evaluation.{name} is now {new}.", FutureWarning, stacklevel=2)
    return _RENAMED[name]
