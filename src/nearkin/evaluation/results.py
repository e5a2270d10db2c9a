"""What a comparison leaves behind, as plain data: the record of a task and the standing of a candidate."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from nearkin.evaluation.tasks import Task

DONE = "done"
ERROR = "error"  # the estimator raised
CRASH = "crash"  # its process died
TIMEOUT = "timeout"  # it exceeded the time limit of a task
MEMORY = "memory"  # it exceeded the memory limit of a task
NOT_RUN = "not run"  # the time budget ended first
FAILURES = (ERROR, CRASH, TIMEOUT, MEMORY)

#: From this chance on a difference is called practically equivalent, whether significant or not.
SURELY_EQUIVALENT = 0.95
BEATS = "beats"
NO_DIFFERENCE = "no difference"
WORSE = "worse"
FAILED = "failed"
INCOMPLETE = "incomplete"
NOT_RUN_BUDGET = "not run (time budget)"
#: Kind of a row that is neither the baseline nor a reference.
LEARNER = "learner"


def renamed(old: str, new: str) -> Any:
    """A property that answers under the old name of an attribute, with a warning."""

    def get(self: Any) -> Any:
        warnings.warn(f"{type(self).__name__}.{old} is now {new}.", FutureWarning, stacklevel=2)
        return getattr(self, new)

    return property(get, doc=f"Deprecated: use `{new}`.")


@dataclass
class Record:
    """A task and its outcome, as measured and as stored; `score` is None unless `status` is "done".

    Attributes
    ----------
    dataset, label, fold : str
        Which problem, candidate and split (as ``repeat.fold``).
    setting, chosen : dict
        Parameters fixed for the candidate, and those tuning chose.
    tuned : bool
        Whether there was a grid to choose from; the same candidate may have records of both kinds.
    figures : dict
        What else is known of the fitted model: `sparsity`, the share of features it ignores; and for
        a candidate that scores every setting its `grid`, and `scores` and `sparsity` of each setting in
        the order of `ParameterGrid`, None where it failed.
    test_rows, predictions, neighbours : ndarray or None
        Row numbers in the data, what was predicted for them, and (test rows x 10) row numbers of
        their nearest training rows.
    """

    key: str
    dataset: str
    label: str
    fold: str
    seed: int
    setting: dict
    status: str = NOT_RUN
    error: str | None = None
    metric: str = ""
    score: float | None = None
    validation_score: float | None = None
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    tune_seconds: float | None = None
    hub_skewness: float | None = None
    n_iter: int | None = None
    objective: float | None = None
    n_train: int = 0
    n_test: int = 0
    reference: bool = False
    tuned: bool = False
    chosen: dict = field(default_factory=dict)
    figures: dict = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    protocol: dict = field(default_factory=dict)
    versions: dict = field(default_factory=dict)
    finished_at: str | None = None
    test_rows: np.ndarray | None = None
    predictions: np.ndarray | None = None
    neighbours: np.ndarray | None = None

    learner = renamed("learner", "label")

    @property
    def repeat(self) -> int:
        """Which repeat of the folds this one belongs to."""
        return int(self.fold.partition(".")[0])

    @property
    def seconds(self) -> float:
        """Time that it took, tuning included."""
        return sum(part or 0.0 for part in (self.fit_seconds, self.predict_seconds, self.tune_seconds))

    @classmethod
    def of_task(cls, task: Task, **outcome: Any) -> Record:
        """The record of a task, with its outcome if there is one yet."""
        return cls(
            key=task.key,
            dataset=task.problem.name,
            label=task.candidate.label,
            fold=f"{task.split.repeat}.{task.split.fold}",
            seed=task.seed,
            setting=task.setting,
            metric=task.problem.metric.name,
            n_train=len(task.split.train),
            n_test=len(task.split.test),
            reference=task.candidate.reference,
            tuned=bool(task.candidate.grid),
            protocol=task.protocol,
            **outcome,
        )


@dataclass(frozen=True)
class Standing:
    """One candidate's line in a leaderboard.

    Attributes
    ----------
    baseline, reference : bool
        Whether all others are tested against it, and whether it is a non-neighbour model shown for
        orientation only.
    status : str
        "done", "incomplete" (some folds failed or were not run), "failed" or "not run (time budget)".
    mean, sd, interval : float, float, (float, float) or None
        Of the fold scores; the 95 % interval allows for the overlap of training parts.
    fit_seconds, predict_seconds, tune_seconds, hub_skewness : float or None
        Means over the folds; the skewness is None for models without neighbours.
    difference : float or None
        Mean score minus the baseline's over the folds both have.
    could_win : bool
        Whether it was ahead of the baseline after the first pass through all folds.
    p_value, p_adjusted : float or None
        Two-sided paired test against the baseline (`paired_test` says which), before and after Holm's
        adjustment. Candidates that could win are adjusted for their number, and so are those that could
        not; reference models are a family of their own.
    chance_better, chance_equivalent, chance_worse : float or None
        Probabilities of the Bayesian correlated t test that it is better or worse than the baseline
        by more than the region of practical equivalence, or within it.
    wilcoxon_p : float or None
        Wilcoxon signed-rank test on the same folds.
    verdict : str
        "beats", "no difference" or "worse", from `p_adjusted` at the 5 % level; "" where untested.
    tuned, tunable : bool
        Whether settings were tuned inside the training folds, and whether there are any to tune; if time
        ran out, the scores are those of the default settings.
    n_repeats : int
        How often the folds were drawn for it.
    setting : dict
        Parameters fixed for the candidate, and of those that were tuned the values chosen most often.
    scout_score : float or None
        Score in the first look at some of the rows, if there was one.
    note : str
        What went wrong, in a sentence, if anything.
    """

    label: str
    status: str
    baseline: bool = False
    reference: bool = False
    mean: float | None = None
    sd: float | None = None
    interval: tuple[float, float] | None = None
    difference: float | None = None
    could_win: bool = False
    p_value: float | None = None
    p_adjusted: float | None = None
    wilcoxon_p: float | None = None
    chance_better: float | None = None
    chance_equivalent: float | None = None
    chance_worse: float | None = None
    verdict: str = ""
    hub_skewness: float | None = None
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    tune_seconds: float | None = None
    n_folds: int = 0
    n_planned: int = 0
    n_repeats: int = 0
    tuned: bool = False
    tunable: bool = False
    scores: tuple[float, ...] = ()
    setting: dict = field(default_factory=dict)
    scout_score: float | None = None
    note: str = ""

    @property
    def kind(self) -> str:
        """ "baseline", "reference" or "learner"."""
        return "baseline" if self.baseline else "reference" if self.reference else LEARNER

    @property
    def seconds(self) -> float:
        """Mean time of one of its folds, tuning included."""
        return sum(part or 0.0 for part in (self.fit_seconds, self.predict_seconds, self.tune_seconds))

    @property
    def finished(self) -> bool:
        """Whether there is a mean to show, even if only of some folds."""
        return self.mean is not None

    practically_same = renamed("practically_same", "practically_equivalent")

    @property
    def practically_equivalent(self) -> bool:
        """Whether its difference from the baseline is almost certainly too small to matter."""
        return (self.chance_equivalent or 0.0) >= SURELY_EQUIVALENT

    @property
    def partial(self) -> bool:
        """Whether only some of the folds have a score, so that the mean is not quite comparable."""
        return 0 < self.n_folds < self.n_planned

    @property
    def chances(self) -> tuple[int, ...]:
        """Better, equivalent and worse in whole percents that add up to 100; empty where untested."""
        shares = (self.chance_better, self.chance_equivalent, self.chance_worse)
        known = [share for share in shares if share is not None]
        return tuple(whole_percents(known)) if known else ()


def whole_percents(shares: Sequence[float]) -> list[int]:
    """Shares as whole percents that add up to 100, the largest remainders rounded up.

    >>> whole_percents([0.985, 0.0149, 0.0001])
    [99, 1, 0]
    """
    exact = [100 * share for share in shares]
    found = [int(value) for value in exact]
    by_rest = sorted(range(len(exact)), key=lambda i: found[i] - exact[i])
    for i in by_rest[: round(sum(exact)) - sum(found)]:
        found[i] += 1
    return found
