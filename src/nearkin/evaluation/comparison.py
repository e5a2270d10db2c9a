"""The main question: which candidate is best on this data, and is it really better than the baseline?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from time import monotonic
from typing import Any, NamedTuple

from nearkin.evaluation.metrics import METRICS, Metric
from nearkin.evaluation.problems import CLASSIFICATION, Candidate, Problem
from nearkin.evaluation.progress import Progress
from nearkin.evaluation.protocols import Folds, Protocol, StratifiedFolds
from nearkin.evaluation.runner import n_jobs, run_name, run_tasks
from nearkin.evaluation.scouting import SCOUT_SHARE, promising_first, scout
from nearkin.evaluation.standings import BEATS, NOT_RUN_BUDGET, Standing, make_standings, paired_test
from nearkin.evaluation.store import ResultsStore
from nearkin.evaluation.tasks import DONE, FAILURES, Record, plan_tasks


@dataclass(frozen=True)
class Comparison:
    """Candidates compared on one problem, best first.

    Attributes
    ----------
    dataset : str
    metric : Metric
        What the candidates are ranked by.
    baseline : str
        Label of the candidate that the others are tested against.
    rows : tuple of Standing
        The leaderboard, best first; candidates that did not finish come last.
    protocol : dict
    seed : int
    run : str or None
        Name of the run in its results store.
    """

    dataset: str
    metric: Metric
    baseline: str
    rows: tuple[Standing, ...]
    protocol: dict
    seed: int
    run: str | None = None

    @property
    def winner(self) -> str | None:
        """Label of the winner, or None if nothing finished; `choose_winner` has the rule."""
        found = choose_winner(self.rows)
        return None if found is None else found.standing.label

    @property
    def reason(self) -> str:
        """Why the winner is the winner; empty if there is none."""
        found = choose_winner(self.rows)
        return "" if found is None else found.reason

    @property
    def beaten(self) -> bool:
        """Whether any neighbour model is significantly better than the baseline."""
        return any(row.verdict == BEATS and not row.reference for row in self.rows)

    @property
    def finished(self) -> list[Standing]:
        """Rows with a mean to show."""
        return [row for row in self.rows if row.mean is not None]

    @property
    def test(self) -> str:
        """Name of the paired test against the baseline."""
        return paired_test(self.protocol)

    def row(self, label: str) -> Standing:
        for row in self.rows:
            if row.label == label:
                return row
        raise KeyError(f"there is no row {label!r}; known: {', '.join(row.label for row in self.rows)}.")

    def learned(self, *, with_neighbours: bool = False) -> Standing | None:
        """The learned distance to show beside the baseline: the winner, or the best learner if that won.

        `with_neighbours` passes over models that decide by prototypes, for views of neighbours.
        """
        ranked = sorted(self.finished, key=lambda row: row.label != self.winner)
        learners = [row for row in ranked if row.kind == "learner"]
        return next((row for row in learners if row.hub_skewness is not None or not with_neighbours), None)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        baseline = self.row(self.baseline)
        if baseline.mean is None:
            reason = baseline.note or baseline.status
            return f"{self.baseline} has no result ({reason}), so nothing can be compared with it."
        untested = [row.label for row in self.rows if row.status == NOT_RUN_BUDGET]
        missing = f" Not run within the time budget: {', '.join(untested)}." if untested else ""
        return f"{self._verdict()}{missing}"

    def _verdict(self) -> str:
        better = [row for row in self.rows if row.verdict == BEATS and not row.reference]
        leads = self.winner not in (None, self.baseline)
        chance = f"{self.winner} has the best mean, but the difference could be chance"
        if not better:
            return f"Nothing beats {self.baseline}{f': {chance}' if leads else ''}."
        better.sort(key=lambda row: row.label != self.winner)
        names = ", ".join(row.label for row in better)
        verb = "beats" if len(better) == 1 else "beat"
        gain = self.metric.gain_text(better[0].difference or 0.0)
        unsure = f" {chance}." if leads and better[0].label != self.winner else ""
        return f"{names} {verb} {self.baseline}; {better[0].label} by {gain}.{unsure}"

    def to_dict(self) -> dict:
        """Everything in plain values, ready for JSON."""
        return {
            "dataset": self.dataset,
            "metric": self.metric.name,
            "greater_is_better": self.metric.greater_is_better,
            "baseline": self.baseline,
            "rows": [asdict(row) for row in self.rows],
            "winner": self.winner,
            "reason": self.reason,
            "test": self.test,
            "protocol": self.protocol,
            "seed": self.seed,
            "run": self.run,
            "beaten": self.beaten,
            "statement": self.statement,
        }

    def to_frame(self):
        """The leaderboard as a pandas DataFrame, a line per candidate with the fields of `Standing`."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows]).set_index("label")


class Winner(NamedTuple):
    """Who has won, and why, in words."""

    standing: Standing
    reason: str


def choose_winner(rows: Sequence[Standing]) -> Winner | None:
    """The one rule: the best mean among neighbour models with every fold done; None if there is none.

    A tie goes to the baseline, then to the faster fit, as `rows` are ordered. Headline, key figures,
    views before and after, and the saved model all ask here.
    """
    for row in rows:
        if row.status == DONE and not row.reference:
            sure = row.baseline or row.verdict == BEATS
            return Winner(row, "best mean" if sure else "best mean, though the difference could be chance")
    return None


def summarise(
    records: Sequence[Record], baseline: str, scouted: Sequence[Record] = (), run: str | None = None
) -> Comparison:
    """The comparison of one problem's candidates from the records of their tasks.

    Parameters
    ----------
    records : sequence of Record
        All tasks of one problem, protocol and seed, including failed ones and those not run.
    baseline : str
        Label that every other candidate is tested against.
    scouted : sequence of Record
        Records of a quick first look, shown beside the results.
    run : str, optional
        Name of the run in its results store.
    """
    records = list(records)
    if not records:
        raise ValueError("there are no records to summarise.")
    if baseline not in {record.learner for record in records}:
        raise ValueError(f"the baseline {baseline!r} is not among the candidates compared.")
    first, metric = records[0], METRICS[records[0].metric]
    rows = tuple(make_standings(records, baseline, metric, scouted))
    return Comparison(first.dataset, metric, baseline, rows, first.protocol, first.seed, run)


def default_protocol(task: str) -> Protocol:
    """10-fold cross-validation, stratified for labels."""
    return StratifiedFolds(10) if task == CLASSIFICATION else Folds(10)


def compare(
    X,
    y,
    candidates: Sequence[Candidate],
    protocol: Protocol | None = None,
    *,
    baseline: str = "Euclid",
    name: str = "data",
    task: str = "auto",
    store: ResultsStore | None = None,
    jobs: int = 1,
    time_budget: float | None = None,
    task_seconds: float | None = None,
    task_memory: int | None = None,
    isolate: bool = True,
    retry_failed: bool = False,
    seed: int = 0,
    description: Mapping | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Comparison:
    """Compare candidates on one data set, honestly: same folds, tuning inside the training rows only.

    Under a time budget every candidate is first tried once, untuned, on a small split. Then the
    baseline and the promising candidates are cross-validated, the cheap ones first, and the others
    while time is left. What is not finished in time is marked "not run (time budget)"; what is
    finished is kept in the store, and the same call continues from there.

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
        Accuracy or aRRMSE is the score.
    store : ResultsStore, optional
        Where results are kept; in memory by default.
    jobs : int
        Worker processes; 0 means one per core. Results do not depend on it.
    time_budget : float, optional
        Seconds for everything.
    task_seconds, task_memory, isolate, progress
        As in `run_tasks`.
    retry_failed : bool
        Try tasks recorded as failed in the store once more.
    seed : int
        Decides the folds and everything random; the same seed gives the same results.
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
    >>> X, y = load_iris(return_X_y=True)
    >>> candidates = [
    ...     Candidate("Euclid", KNeighborsClassifier(5)),
    ...     Candidate("Manhattan", KNeighborsClassifier(5, metric="manhattan")),
    ... ]
    >>> result = compare(X, y, candidates, StratifiedFolds(5), isolate=False)
    >>> result.winner
    'Euclid'
    >>> result.statement
    'Nothing beats Euclid.'
    """
    started = monotonic()
    jobs = n_jobs(jobs)
    candidates = list(candidates)
    if baseline not in [candidate.label for candidate in candidates]:
        labels = ", ".join(candidate.label for candidate in candidates)
        raise ValueError(f"the baseline {baseline!r} is not among the candidates: {labels}.")
    problem = Problem(name, X, y, task)
    protocol = default_protocol(problem.task) if protocol is None else protocol
    tasks = plan_tasks(problem, candidates, protocol, seed)
    store = ResultsStore.open() if store is None else store
    how: dict[str, Any] = {
        "store": store,
        "jobs": jobs,
        "isolate": isolate,
        "progress": progress,
        "arrays": False,
    }
    order, scouted, deadline = list(tasks), [], None
    if time_budget is not None:
        deadline = started + time_budget
        scouted = scout(problem, candidates, seed, started + SCOUT_SHARE * time_budget, how)
        order = promising_first(tasks, scouted, baseline, problem, (deadline - monotonic()) * jobs)
    records = run_tasks(
        tasks,
        order=order,
        deadline=deadline,
        task_seconds=task_seconds,
        task_memory=task_memory,
        retry=FAILURES if retry_failed else (),
        description={"kind": "compare", "baseline": baseline, "dataset": name, **(description or {})},
        **how,
    )
    # Records may be of an earlier run with fewer repeats.
    return replace(summarise(records, baseline, scouted, run=run_name(tasks)), protocol=protocol.describe())
