"""Whether a difference is more than chance: tests for two methods, for many, and their adjustments."""

from nearkin.evaluation.significance.paired import (
    Chances,
    PairedTest,
    corrected_paired_t,
    correlated_t_chances,
    five_by_two_f,
    wilcoxon_signed_rank,
)
from nearkin.evaluation.significance.posthoc import finner, holm
from nearkin.evaluation.significance.ranks import (
    FriedmanTest,
    PostHocComparison,
    compare_with_control,
    critical_difference,
    friedman,
    indistinct_groups,
    rank_methods,
    robustness_ratios,
)

__all__ = [
    "Chances",
    "FriedmanTest",
    "PairedTest",
    "PostHocComparison",
    "compare_with_control",
    "corrected_paired_t",
    "correlated_t_chances",
    "critical_difference",
    "finner",
    "five_by_two_f",
    "friedman",
    "holm",
    "indistinct_groups",
    "rank_methods",
    "robustness_ratios",
    "wilcoxon_signed_rank",
]
