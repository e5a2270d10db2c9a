"""Claims that ranks, significance tests, robustness or chosen settings decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import stats

from nearkin.evaluation.significance import (
    compare_with_control,
    corrected_paired_t,
    five_by_two_f,
    friedman,
    robustness_ratios,
    wilcoxon_signed_rank,
)
from nearkin.experiments.claims import NO, NOT_TESTED, YES, Verdict, counted
from nearkin.experiments.values import Values

LEVEL = 0.05


def first_in_rank(metric: str, leaders: Sequence[str], methods: Sequence[str]):
    """The leaders have the smallest average ranks of all the methods (small numbers are good)."""

    def check(values: Values) -> Verdict:
        labels = values.complete(metric, methods)
        if not labels:
            return Verdict(NOT_TESTED, detail="no set with numbers of every method")
        ranks = friedman(values.table(metric, methods, labels), greater_is_better=False).average_ranks
        order = [methods[i] for i in np.argsort(ranks, kind="stable")]
        holds = set(order[: len(leaders)]) == set(leaders)
        told = ", ".join(f"{name} {ranks[methods.index(name)]:.2f}" for name in order)
        return Verdict(YES if holds else NO, detail=f"average ranks over {len(labels)} sets: {told}")

    return check


def some_differ(metric: str, methods: Sequence[str]):
    """Friedman's test finds a difference among the methods."""

    def check(values: Values) -> Verdict:
        labels = values.complete(metric, methods)
        if len(labels) < 2:
            return Verdict(NOT_TESTED, detail="needs at least two sets with numbers of every method")
        test = friedman(values.table(metric, methods, labels), greater_is_better=False)
        return Verdict(YES if test.p_value < LEVEL else NO, detail=f"p = {test.p_value:.2g}")

    return check


def beats_by_finner(metric: str, control: str, methods: Sequence[str], *, but: Sequence[str] = ()):
    """Finner's procedure tells the control from every other method, and the control ranks better.

    Methods named in `but` take part in ranks and adjustment; the claim says nothing of them.
    """

    def check(values: Values) -> Verdict:
        labels = values.complete(metric, methods)
        if len(labels) < 2:
            return Verdict(NOT_TESTED, detail="needs at least two sets with numbers of every method")
        test = friedman(values.table(metric, methods, labels), greater_is_better=False)
        found = [row for row in compare_with_control(test, methods, control) if row.method not in but]
        failing = [
            f"{row.method} (p = {row.finner_p:.2g})" for row in found if row.finner_p > LEVEL or row.z < 0
        ]
        return counted([row.method for row in found], failing)

    return check


def lower_by_wilcoxon(metric: str, method: str, than: str):
    """Wilcoxon's signed-rank test over the data sets finds the method's numbers lower."""

    def check(values: Values) -> Verdict:
        labels = values.complete(metric, [method, than])
        if len(labels) < 2:
            return Verdict(NOT_TESTED, detail="needs at least two sets")
        own, other = values.table(metric, [method, than], labels).T
        test = wilcoxon_signed_rank(own, other)
        holds = test.p_value < LEVEL and test.difference < 0
        return Verdict(YES if holds else NO, detail=f"p = {test.p_value:.2g} over {len(labels)} sets")

    return check


def higher_by_f_test(metric: str, method: str, than: Sequence[str], among: Sequence[str]):
    """The 5 x 2 cv F test finds the method's scores higher than each other's, set by set."""

    def check(values: Values) -> Verdict:
        cases, failing = [], []
        for label in among:
            folds = [values.scores.get((metric, label, name), ()) for name in (method, *than)]
            if any(len(scores) != 10 for scores in folds):
                continue
            cases.append(label)
            tests = [five_by_two_f(folds[0], other) for other in folds[1:]]
            if any(test.difference <= 0 or test.p_value >= LEVEL for test in tests):
                failing.append(f"{label} (p = {max(test.p_value for test in tests):.2g})")
        if not cases:
            return Verdict(NOT_TESTED, detail="needs the scores of all ten folds")
        absent = [label for label in among if label not in cases]
        return counted(cases, failing, remarks=[f"no numbers of {', '.join(absent)}"] if absent else [])

    return check


def not_significantly_higher(
    metric: str, method: str, than: Sequence[str], among: Sequence[str], test_to_train: float
):
    """A corrected paired t test over the folds finds the method's numbers above no other's, set by set.

    Others without scores on a set are left out there; `test_to_train` is as for `corrected_paired_t`.
    """

    def check(values: Values) -> Verdict:
        cases, failing = [], []
        for label in among:
            own = values.scores.get((metric, label, method), ())
            run = {name: values.scores.get((metric, label, name), ()) for name in than}
            tests = {
                name: corrected_paired_t(own, other, test_to_train)
                for name, other in run.items()
                if len(own) == len(other) > 1
            }
            if not tests:
                continue
            cases.append(label)
            better = [name for name, t in tests.items() if t.difference > 0 and t.p_value < LEVEL]
            failing += [f"{label}, {' and '.join(better)}"] if better else []
        return counted(cases, failing)

    return check


def most_robust(metric: str, leaders: Sequence[str], methods: Sequence[str]):
    """The leaders, in this order, have the smallest median robustness ratios b_m."""

    def check(values: Values) -> Verdict:
        labels = values.complete(metric, methods)
        if not labels:
            return Verdict(NOT_TESTED, detail="no set with numbers of every method")
        ratios = robustness_ratios(values.table(metric, methods, labels))
        typical = np.median(ratios, axis=0)
        order = [methods[i] for i in np.argsort(typical, kind="stable")]
        told = ", ".join(f"{name} {typical[methods.index(name)]:.2f}" for name in order)
        holds = order[: len(leaders)] == list(leaders)
        return Verdict(YES if holds else NO, detail=f"median b_m over {len(labels)} sets: {told}")

    return check


def grows_with_features(metric: str, method: str, than: str):
    """The method's lead grows with the number of features (Spearman's rank correlation above 0)."""

    def check(values: Values) -> Verdict:
        labels = [n for n in values.complete(metric, [method, than]) if n in values.n_features]
        if len(labels) < 4:
            return Verdict(NOT_TESTED, detail="needs at least four sets")
        own, other = values.table(metric, [method, than], labels).T
        test = stats.spearmanr([values.n_features[label] for label in labels], other - own)
        holds = test.statistic > 0 and test.pvalue < LEVEL
        detail = f"rank correlation {test.statistic:.2f}, p = {test.pvalue:.2g}"
        return Verdict(YES if holds else NO, detail=detail)

    return check


def chosen(method: str, setting: str, holds: Callable[[Any], bool]):
    """The setting chosen for the method satisfies a condition on most of the data sets."""

    def check(values: Values) -> Verdict:
        found = {
            label: values.choices[label, method][setting]
            for label in values.datasets
            if setting in values.choices.get((label, method), {})
        }
        failing = [f"{label} ({value})" for label, value in found.items() if not holds(value)]
        return counted(list(found), failing, "most")

    return check


def several_chosen(method: str, setting: str, values_of: int = 2):
    """At least so many values of a setting are chosen for the method somewhere, each on one set or more."""

    def check(values: Values) -> Verdict:
        found = Counter(
            values.choices[label, method][setting]
            for label in values.datasets
            if setting in values.choices.get((label, method), {})
        )
        if not found:
            return Verdict(NOT_TESTED, detail="no numbers for it")
        told = ", ".join(f"{value} on {count}" for value, count in found.most_common())
        return Verdict(YES if len(found) >= values_of else NO, detail=told)

    return check


def chosen_more(method: str, setting: str, than: Sequence[str]):
    """The mean over the data sets of the value chosen for a setting is larger than for every other method."""

    def check(values: Values) -> Verdict:
        names = (method, *than)
        labels = [
            label
            for label in values.datasets
            if all(setting in values.choices.get((label, name), {}) for name in names)
        ]
        if not labels:
            return Verdict(NOT_TESTED, detail="no numbers for it")
        means = {name: np.mean([values.choices[label, name][setting] for label in labels]) for name in names}
        holds = all(means[method] > means[name] for name in than)
        told = ", ".join(f"{name} {mean:.1f}" for name, mean in means.items())
        return Verdict(YES if holds else NO, detail=f"mean over {len(labels)} sets: {told}")

    return check
