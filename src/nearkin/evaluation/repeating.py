"""More repeats for candidates that may yet be shown to beat the baseline, until the answer is clear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nearkin.evaluation.results import DONE, Standing


@dataclass(frozen=True)
class RepeatRule:
    """Who gets more repeats after the first pass, and when to stop.

    Repeats average out how the folds happened to fall, but not which rows happened to be collected, so the
    corrected t test gains from about ten of them and little from more. Stopping as soon as p falls below 5 %
    would be wrong too often. A candidate therefore stops early only if p is below `clear`, which happens so
    rarely by chance that the final test keeps its level of 5 % (the Haybittle-Peto rule), or if it can no
    longer be shown to win. The first pass decides which candidates could win; the number of repeats depends
    on the time left, not on scores.

    Parameters
    ----------
    most : int
        Repeats in all, the first pass included.
    looks : tuple of int
        Numbers of repeats after which the standings are examined.
    clear : float
        An adjusted p below this at a look settles that the candidate beats the baseline.
    hopeless : float
        An unadjusted p above this at a look ends a candidate's repeats.

    References
    ----------
    R. Peto et al. (1976). Design and analysis of randomized clinical trials requiring prolonged observation
    of each patient. British Journal of Cancer 34.
    """

    most: int = 10
    looks: tuple[int, ...] = (1, 2, 5)
    clear: float = 0.001
    hopeless: float = 0.4

    def is_open(self, row: Standing) -> bool:
        """Whether more repeats could still change the verdict on a candidate."""
        if row.baseline or row.reference or row.status != DONE or not row.could_win:
            return False
        if row.p_value is None or row.p_adjusted is None:
            return False
        return row.p_adjusted >= self.clear and row.p_value <= self.hopeless


def repeat_while_open(
    standings: Callable[[], Sequence[Standing]],
    run: Callable[[int, list[str]], bool],
    rule: RepeatRule,
    first_repeats: int = 1,
) -> None:
    """Run repeat after repeat of the candidates that are still open.

    Parameters
    ----------
    standings : callable
        The standings with all that has been run so far.
    run : callable
        Takes the number of a repeat (from 0) and the labels that take part beside the baseline; runs it, and
        returns whether there is time for another one.
    rule : RepeatRule
    first_repeats : int
        Repeats that every candidate has had.
    """
    taking_part: set[str] | None = None
    for repeat in range(first_repeats, rule.most):
        if taking_part is None or repeat in rule.looks:
            still_open = {row.label for row in standings() if rule.is_open(row)}
            taking_part = still_open if taking_part is None else taking_part & still_open
        if not taking_part or not run(repeat, sorted(taking_part)):
            return
