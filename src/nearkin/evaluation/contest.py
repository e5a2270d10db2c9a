"""`compare_candidates`: the stages of a comparison on real data, one after the other."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from time import monotonic

from nearkin._types import ColumnLike, MatrixLike
from nearkin.evaluation.budget import Shares, in_order_of_worth, in_reach, places_in_line, seconds_to_tune
from nearkin.evaluation.candidate import Candidate
from nearkin.evaluation.comparison import Comparison, summarise
from nearkin.evaluation.fingerprints import describe
from nearkin.evaluation.metrics import Metric
from nearkin.evaluation.problems import Problem
from nearkin.evaluation.progress import Progress
from nearkin.evaluation.protocols import Protocol, folds_for
from nearkin.evaluation.repeating import RepeatRule, repeat_while_open
from nearkin.evaluation.results import FAILURES, NOT_RUN, Record, Standing
from nearkin.evaluation.runner import do_tasks, n_jobs, run_name
from nearkin.evaluation.scouting import look_at, scout, warm_up
from nearkin.evaluation.store import ResultsStore
from nearkin.evaluation.tasks import Task, plan_tasks
from nearkin.evaluation.workers import WorkerPool


def compare_candidates(
    X: MatrixLike,
    y: ColumnLike,
    candidates: Sequence[Candidate],
    protocol: Protocol | None = None,
    *,
    baseline: str = "Euclid",
    name: str = "data",
    task: str = "auto",
    metric: Metric | None = None,
    rope: float | None = None,
    more_repeats: RepeatRule | None = None,
    store: ResultsStore | None = None,
    jobs: int = 1,
    pool: WorkerPool | None = None,
    time_budget: float | None = None,
    task_seconds: float | None = None,
    task_memory: int | None = None,
    isolate: bool = True,
    retry_failed: bool = False,
    interruptible: bool = False,
    seed: int = 0,
    description: Mapping | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Compare candidates on one data set, honestly: same folds, tuning inside the training rows only.

    Under a time budget the work is ordered by what it is worth. Every candidate gets one fold untuned, the
    quick ones first; then the rest of their folds, the promising and cheap candidates first. Next, the
    baseline and those within reach of the best are tuned as far as time allows, and finally folds are drawn
    again for those that may yet be shown to win. A warm-up, and for many rows a look at some of them, tells
    which candidates are quick. The clock starts once code is loaded and compiled. What is not finished in
    time is marked "not run (time budget)"; what is finished is kept in the store, and the same call continues
    from there.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d)
    y : array of labels, or of one or several numeric targets
    candidates : sequence of Candidate
        One of them labelled as the baseline.
    protocol : Protocol, optional
        By default 10-fold cross-validation, stratified for labels.
    baseline : str
        Label of the candidate the others are tested against.
    name : str
        Name of the data, for the records.
    task : {"auto", "classification", "regression"}
    metric : Metric, optional
        What candidates are tuned for and ranked by; accuracy or aRRMSE by default.
    rope : float, optional
        Differences up to this size count as practically equivalent; the metric's own by default.
    more_repeats : RepeatRule, optional
        When to draw the folds again for candidates that may yet be shown to win.
    store : ResultsStore, optional
        Where results are kept; in memory by default.
    jobs : int
        Worker processes; 0 means one per core. Results do not depend on it.
    pool : WorkerPool or the like, optional
        Workers to use instead of processes of this machine, such as a ``nearkin.scale.cluster.ClusterPool``.
    time_budget : float, optional
        Seconds for everything.
    task_seconds, task_memory, isolate, progress
        As in `run_tasks`.
    retry_failed : bool
        Try tasks recorded as failed in the store once more.
    interruptible : bool
        Return what there is on Ctrl-C, marked as `interrupted`, instead of raising.
    seed : int
        Determines the folds and everything random; the same seed gives the same results.
    description : mapping, optional
        JSON-ready facts about the run, kept in the store.

    Returns
    -------
    Comparison
        Best candidate first; `statement` says in plain words whether anything beats the baseline.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from nearkin.evaluation import Candidate, StratifiedFolds
    >>> X, y = load_iris(return_X_y=True)
    >>> candidates = [
    ...     Candidate("Euclid", KNeighborsClassifier(5)),
    ...     Candidate("Manhattan", KNeighborsClassifier(5, metric="manhattan")),
    ... ]
    >>> result = compare_candidates(X, y, candidates, StratifiedFolds(5), isolate=False)
    >>> result.winner
    'Euclid'
    >>> result.statement
    'Nothing beats Euclid.'
    """
    candidates = list(candidates)
    if baseline not in [candidate.label for candidate in candidates]:
        labels = ", ".join(candidate.label for candidate in candidates)
        raise ValueError(f"the baseline {baseline!r} is not among the candidates: {labels}.")
    problem = Problem(name, X, y, task, metric)  # type: ignore[arg-type]
    protocol = folds_for(problem.task, 10) if protocol is None else protocol
    store = ResultsStore.open() if store is None else store
    jobs = n_jobs(jobs) if pool is None else len(pool.workers)
    with WorkerPool(jobs if isolate else 0, task_memory) if pool is None else nullcontext(pool) as pool:
        contest = _Contest(
            problem,
            candidates,
            protocol,
            baseline,
            seed,
            rope,
            more_repeats,
            time_budget,
            {"store": store, "pool": pool, "jobs": jobs, "progress": progress, "task_seconds": task_seconds},
            {"kind": "compare", "baseline": baseline, "dataset": name, **(description or {})},
        )
        try:
            contest.run(retry_failed)
            return contest.summary()
        except KeyboardInterrupt:
            if not interruptible:
                raise
            return replace(contest.summary(), interrupted=True)


@dataclass
class _Contest:
    """A comparison under way: its tasks, and the stages in which they are run."""

    problem: Problem
    candidates: list[Candidate]
    protocol: Protocol
    baseline: str
    seed: int
    rope: float | None
    rule: RepeatRule | None
    time_budget: float | None
    how: dict
    description: dict
    shares: Shares = field(default_factory=Shares)
    scouted: list[Record] = field(default_factory=list)
    looked_at: list[Record] = field(default_factory=list)
    deadline: float | None = None

    def __post_init__(self):
        self.first_repeats = getattr(self.protocol, "n_repeats", 1)
        planned = self.protocol
        if self.rule is not None and self.rule.most > self.first_repeats:
            planned = replace(self.protocol, n_repeats=self.rule.most)  # type: ignore[type-var]
        both_kinds = self.time_budget is not None
        plan = plan_tasks(self.problem, self.candidates, planned, self.seed, untuned_too=both_kinds)
        self.positions = {task.key: position for position, task in enumerate(plan)}
        self.first_pass = [task for task in plan if task.split.repeat < self.first_repeats]
        self.later = [task for task in plan if task.split.repeat >= self.first_repeats]
        self.name = run_name(self.first_pass)
        self.store: ResultsStore = self.how["store"]
        self.description.update(first_repeats=self.first_repeats, rope=self.rope)

    def run(self, retry_failed: bool) -> None:
        self._register(self.first_pass)
        if retry_failed:
            self.store.free_failed([task.key for task in self.first_pass], FAILURES)
        if self.time_budget is None:
            self._do(self.first_pass, "compare")
            self._repeat()
            return
        quick = warm_up(self._unfinished(), self.problem, self.seed, self.time_budget, self.how)
        self.started = monotonic()
        self.deadline = self.started + self.time_budget
        self._scout(quick)
        self._first_folds()
        self._untuned(self.shares.untuned)
        self._tuned(self.shares.tuned)
        # Repeats take the time that is left once every candidate that fits in has had its folds.
        self._untuned(self.shares.rest)
        self._repeat()
        self._untuned(1.0)

    def _scout(self, at_warm_up: Mapping[str, float]) -> None:
        """A look at every candidate on some of the rows, to know which to begin with."""
        # The quick ones are looked at first, so that a slow one costs no other its place in the table.
        self._line_up(at_warm_up)
        end, _ = self._seconds_until(self.shares.scout)
        self.scouted = scout(self.problem, self.candidates, self.seed, end, self.how)
        self._line_up(places_in_line(self.scouted, at_warm_up))

    def _line_up(self, places: Mapping[str, float]) -> None:
        self.candidates.sort(key=lambda c: (c.label != self.baseline, places.get(c.label, math.inf)))

    def _first_folds(self) -> None:
        """A first fold of every candidate, the quick ones first, before any gets the rest of its folds."""
        places = {candidate.label: place for place, candidate in enumerate(self.candidates)}
        firsts: dict[str, Task] = {}
        for task in self.first_pass:
            if not task.candidate.grid:
                firsts.setdefault(task.candidate.label, task)
        order = sorted(firsts.values(), key=lambda task: places[task.candidate.label])
        # Even on a busy machine, a few learners should end up beside the baseline.
        sure = self.shares.sure_of_a_fold
        end, _ = self._seconds_until(self.shares.untuned)
        self.looked_at = look_at(order[:sure], end, self.how)
        end, _ = self._seconds_until(self.shares.first_folds)
        if order[sure:]:
            self.looked_at += look_at(order[sure:], end, self.how)
        if not self.scouted:
            self.scouted = self.looked_at

    def summary(self) -> Comparison:
        found = summarise(
            self.records(), self.baseline, self.scouted, self.name, self.first_repeats, self.rope
        )
        # Records may be of an earlier run with fewer repeats.
        return replace(found, protocol=describe(self.protocol.describe()))

    def records(self) -> list[Record]:
        return self.store.results(self.name, arrays=False)

    def _register(self, tasks: Sequence[Task]) -> None:
        positions = [self.positions[task.key] for task in tasks]
        self.store.register(self.name, tasks, self.description, positions)

    def _do(self, tasks: Sequence[Task], stage: str, end: float | None = None) -> None:
        deadline = self.deadline
        if deadline is not None and end is not None and self.time_budget is not None:
            deadline = min(deadline, end + self.shares.grace * self.time_budget)
        do_tasks(tasks, stage=stage, deadline=deadline, last_start=end, **self.how)

    def _unfinished(self) -> list[Candidate]:
        """Candidates with folds of the first pass still to run; perhaps none in a resumed run."""
        waiting = {record.label for record in self.records() if record.status == NOT_RUN}
        return [candidate for candidate in self.candidates if candidate.label in waiting]

    def _seconds_until(self, share: float) -> tuple[float, float]:
        """When a stage ends, and the seconds of work that fit in until then."""
        assert self.time_budget is not None
        end = self.started + share * self.time_budget
        return end, max(0.0, end - monotonic()) * self.how["jobs"]

    def _untuned(self, share: float) -> None:
        """The folds of all candidates with their default settings."""
        end, seconds = self._seconds_until(share)
        waiting = {record.key for record in self.records() if record.status == NOT_RUN}
        tasks = [task for task in self.first_pass if not task.candidate.grid and task.key in waiting]
        fitting, others = in_order_of_worth(tasks, self.looked_at, self.baseline, self.problem, seconds)
        # What would not end in time waits until everything else is done.
        self._do(fitting if share < 1 else fitting + others, "compare", end)

    def _tuned(self, share: float) -> None:
        """Tuned folds of the baseline and of all that are expected to fit in, those within reach first."""
        end, seconds = self._seconds_until(share)
        by_label: dict[str, list[Task]] = defaultdict(list)
        for task in self.first_pass:
            if task.candidate.grid:
                by_label[task.candidate.label].append(task)
        costs = seconds_to_tune(by_label, self.records())
        near = in_reach(self.summary())
        order: list[Task] = []
        if costs.get(self.baseline, 0.0) > seconds:
            # Beside an untuned baseline, tuned learners would win by their tuning alone.
            return
        for label in sorted(
            costs, key=lambda label: (label != self.baseline, label not in near, costs[label])
        ):
            if costs[label] <= seconds:
                order += by_label[label]
                seconds -= costs[label]
        self._do(order, "tune", end)

    def _repeat(self) -> None:
        if self.rule is not None:
            repeat_while_open(lambda: self.summary().rows, self._run_repeat, self.rule, self.first_repeats)

    def _run_repeat(self, repeat: int, labels: list[str]) -> bool:
        """One more repeat of the baseline and these candidates as far as time allows; False if it is up."""
        rows = {row.label: row for row in self.summary().rows}
        labels = self._affordable([self.baseline, *labels], rows)
        if len(labels) < 2:
            return False
        tasks = [
            task
            for task in self.later
            if task.split.repeat == repeat
            and task.candidate.label in labels
            and (bool(task.candidate.grid) == rows[task.candidate.label].tuned)
        ]
        self._register(tasks)
        self._do(sorted(tasks, key=lambda task: labels.index(task.candidate.label)), "repeat")
        return self.deadline is None or monotonic() < self.deadline

    def _affordable(self, labels: list[str], rows: Mapping[str, Standing]) -> list[str]:
        """The labels, without the costliest ones if a repeat of all would not end in time."""
        if self.deadline is None:
            return labels
        left = max(0.0, self.deadline - monotonic()) * self.how["jobs"]
        n_folds = len({task.split.fold for task in self.first_pass})
        cheapest_first = sorted(labels[1:], key=lambda label: rows[label].seconds)
        found, spent = labels[:1], n_folds * rows[labels[0]].seconds
        for label in cheapest_first:
            spent += n_folds * rows[label].seconds
            if spent > left:
                break
            found.append(label)
        return found
