"""Honest evaluation: protocols, a resumable runner, hubness, and tests of significance."""

from nearkin.evaluation.comparison import compare
from nearkin.evaluation.hubness import HubnessReport, hubness_report, hubness_skewness, k_occurrence
from nearkin.evaluation.measurement import fit_candidate
from nearkin.evaluation.problems import Candidate, Problem
from nearkin.evaluation.progress import Progress
from nearkin.evaluation.protocols import (
    PROTOCOLS,
    FiveByTwo,
    Folds,
    GivenSplit,
    Protocol,
    RandomSplits,
    Split,
    StratifiedFolds,
)
from nearkin.evaluation.regression_error import arrmse, rrmse
from nearkin.evaluation.runner import run_tasks
from nearkin.evaluation.store import ResultsStore
from nearkin.evaluation.summary import Comparison, ComparisonRow, score_table, summarise
from nearkin.evaluation.tasks import Record, plan_tasks

__all__ = [
    "PROTOCOLS",
    "Candidate",
    "Comparison",
    "ComparisonRow",
    "FiveByTwo",
    "Folds",
    "GivenSplit",
    "HubnessReport",
    "Problem",
    "Progress",
    "Protocol",
    "RandomSplits",
    "Record",
    "ResultsStore",
    "Split",
    "StratifiedFolds",
    "arrmse",
    "compare",
    "fit_candidate",
    "hubness_report",
    "hubness_skewness",
    "k_occurrence",
    "plan_tasks",
    "rrmse",
    "run_tasks",
    "score_table",
    "summarise",
]
