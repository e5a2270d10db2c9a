"""What a paper says about its results, as statements that can be checked on any table of numbers.

Each claim is a sentence and a check. The check reads `Values`, so the same claim is put to the
numbers measured here and to the numbers the paper printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nearkin.experiments.values import Values

YES, MOSTLY, NO, NOT_TESTED = "yes", "mostly", "no", "not tested"
# Differences below this are rounding errors.
_NOISE = 1e-9
# A number is better than another if the page shows it to be: it prints at most so many decimals.
_SHOWN = 2


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds: the answer, in how many of how many cases, and remarks."""

    answer: str
    count: int | None = None
    total: int | None = None
    detail: str = ""

    @property
    def text(self) -> str:
        """The answer in a few words.

        >>> Verdict("mostly", 8, 9, "not on Glass").text
        'mostly 8/9 (not on Glass)'
        """
        counted = f" {self.count}/{self.total}" if self.total else ""
        return f"{self.answer}{counted}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and how to check it.

    `in_quick` is False where a quick run leaves too little choice to decide it; `beyond` marks what the paper
    does not say itself, which is counted separately.
    """

    text: str
    check: Callable[[Values], Verdict]
    in_quick: bool = True
    beyond: bool = False


def counted(
    cases: Sequence[str], failing: Sequence[str], needs: str = "all", remarks: Sequence[str] = ()
) -> Verdict:
    """The verdict of a claim about many cases, some of which fail.

    `needs` is "all" or "most", as the paper says it. A claim about all that holds on more than half
    is answered with "mostly". Remarks say which cases could not be looked at in full.

    >>> counted(["a", "b", "c"], ["c"]).text, counted(["a", "b", "c"], ["c"], "most").answer
    ('mostly 2/3 (not on c)', 'yes')
    >>> counted(["a"], [], remarks=["no numbers of b"]).text
    'yes 1/1 (no numbers of b)'
    """
    if not cases:
        return Verdict(NOT_TESTED, detail="no numbers for it")
    count = len(cases) - len(failing)
    if not failing or (needs == "most" and 2 * count > len(cases)):
        answer = YES
    else:
        answer = MOSTLY if 2 * count > len(cases) else NO
    details = [f"not on {', '.join(failing)}"] if failing else []
    return Verdict(answer, count, len(cases), "; ".join([*details, *remarks]))


def lower(
    metric: str,
    method: str,
    than: Sequence[str] | str,
    *,
    among: Sequence[str] | None = None,
    needs: str = "all",
    slack: float = 0.0,
    factor: float = 1.0,
    strictly: bool = False,
) -> Callable[[Values], Verdict]:
    """The method's number is at or below those of the others, give or take `slack`.

    Sets named in `among` that lack a number are named in the verdict.

    Parameters
    ----------
    metric, method : str
    than : str or sequence of str
        The other methods.
    among : sequence of str, optional
        Labels of the data sets the claim is about; all of them by default.
    needs : {"all", "most"}
    slack : float
        How much above the others still counts.
    factor : float
        What the others' numbers are multiplied by first: 0.9 asks for a tenth less than them.
    strictly : bool
        Numbers that are equal to two decimals do not count.
    """
    others = [than] if isinstance(than, str) else list(than)

    def check(values: Values) -> Verdict:
        cases = values.complete(metric, [method, *others], among)
        failing = []
        for label in cases:
            best = factor * min(values.means[metric, label, name] for name in others)
            own = values.means[metric, label, method]
            if strictly:
                holds = round(own, _SHOWN) < round(best + slack, _SHOWN)
            else:
                holds = own <= best + slack + _NOISE
            if not holds:
                failing.append(label)
        absent = [label for label in among or () if label not in cases]
        remarks = [f"no numbers of {', '.join(absent)}"] if absent else []
        return counted(cases, failing, needs, remarks)

    return check


def higher(metric: str, method: str, than: Sequence[str] | str, **how) -> Callable[[Values], Verdict]:
    """The method's number is at or above those of the others; options as for `lower`."""

    def check(values: Values) -> Verdict:
        turned = Values(values.datasets, {key: -mean for key, mean in values.means.items()})
        return lower(metric, method, than, **how)(turned)

    return check


def close_where_not_first(
    metric: str, method: str, than: Sequence[str], *, slack: float, among: Sequence[str]
) -> Callable[[Values], Verdict]:
    """Wherever the method's number is not above those of all others, it is at most `slack` below the best."""

    def check(values: Values) -> Verdict:
        ahead = higher(metric, method, than, strictly=True)
        rest = [
            label
            for label in values.complete(metric, [method, *than], among)
            if ahead(Values((label,), values.means)).answer == NO
        ]
        if not rest:
            return Verdict(NOT_TESTED, detail="no set on which it is not ahead")
        return higher(metric, method, than, slack=slack, among=rest)(values)

    return check


def all_below(metric: str, method: str, among: Sequence[str], others: Sequence[str]):
    """The method's number on each of these sets is below its smallest number on the other sets."""

    def check(values: Values) -> Verdict:
        cases, rest = (values.complete(metric, [method], labels) for labels in (among, others))
        if not rest:
            return Verdict(NOT_TESTED, detail="no numbers of the other sets")
        least = min(values.means[metric, label, method] for label in rest)
        failing = [label for label in cases if values.means[metric, label, method] >= least]
        return counted(cases, failing, remarks=[f"at least {least:.2f} on {', '.join(rest)}"])

    return check


def alike(metric: str, methods: Sequence[str], within: float, among: Sequence[str]):
    """The numbers of the methods differ by at most `within` on each set."""

    def check(values: Values) -> Verdict:
        cases = values.complete(metric, methods, among)
        failing = [label for label in cases if np.ptp(values.table(metric, methods, [label])) > within]
        return counted(cases, failing)

    return check


def below(metric: str, methods: Sequence[str], limit: float, among: Sequence[str]):
    """Each of the methods stays at or below a limit."""

    def check(values: Values) -> Verdict:
        cases = values.complete(metric, methods, among)
        failing = [label for label in cases if max(values.means[metric, label, m] for m in methods) > limit]
        return counted(cases, failing)

    return check


def at_least(metric: str, method: str, limit: float, among: Sequence[str]):
    """The method reaches a limit on each set."""

    def check(values: Values) -> Verdict:
        cases = values.complete(metric, [method], among)
        return counted(cases, [label for label in cases if values.means[metric, label, method] < limit])

    return check
