"""Whether a difference is more than chance: tests for two methods, for many, and their adjustments."""

from nearkin.evaluation.significance.paired import (
    PairedTest,
    corrected_paired_t,
    five_by_two_f,
    wilcoxon_signed_rank,
)
from nearkin.evaluation.significance.posthoc import finner, finner_thresholds, holm, holm_thresholds
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
    "FriedmanTest",
    "PairedTest",
    "PostHocComparison",
    "compare_with_control",
    "corrected_paired_t",
    "critical_difference",
    "finner",
    "finner_thresholds",
    "five_by_two_f",
    "friedman",
    "holm",
    "holm_thresholds",
    "indistinct_groups",
    "rank_methods",
    "robustness_ratios",
    "wilcoxon_signed_rank",
]
