"""From records to a leaderboard: means, intervals, and an honest answer to "did it beat the baseline?"."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np
from scipy import stats

from nearkin.evaluation.problems import ACCURACY, ARRMSE, Metric
from nearkin.evaluation.protocols import FiveByTwo
from nearkin.evaluation.significance.paired import corrected_paired_t, five_by_two_f, wilcoxon_signed_rank
from nearkin.evaluation.significance.posthoc import holm
from nearkin.evaluation.tasks import DONE, FAILURES, Record

SIGNIFICANCE_LEVEL = 0.05
BEATS = "beats"
NO_DIFFERENCE = "no difference"
WORSE = "worse"
FAILED = "failed"
NOT_RUN_BUDGET = "not run (time budget)"


@dataclass(frozen=True)
class ComparisonRow:
    """One candidate's line in a comparison.

    Attributes
    ----------
    status : str
        "done", "incomplete" (some folds failed or were not run), "failed" or "not run (time budget)".
    mean, sd, interval : float, float, (float, float) or None
        Of the fold scores; the 95 % interval allows for the overlap of training parts.
    fit_seconds, predict_seconds, tune_seconds, hub_skewness : float or None
        Means over the folds; the skewness is None for models without neighbours.
    difference : float or None
        Mean score minus the baseline's over the folds both have.
    p_value, p_adjusted : float or None
        Paired test against the baseline (corrected t test; Alpaydin's F test for the 5 x 2
        protocol), before and after Holm's adjustment for the number of candidates compared.
    wilcoxon_p : float or None
        Wilcoxon signed-rank test on the same folds.
    verdict : str
        "beats", "no difference" or "worse", from `p_adjusted` at the 5 % level; "" where untested.
    setting : dict
        Parameters chosen most often by tuning.
    scout_score : float or None
        Score in the quick first look, if there was one.
    note : str
        What went wrong, in a sentence, if anything.
    """

    label: str
    status: str
    reference: bool = False
    n_folds: int = 0
    n_planned: int = 0
    scores: tuple[float, ...] = ()
    mean: float | None = None
    sd: float | None = None
    interval: tuple[float, float] | None = None
    fit_seconds: float | None = None
    predict_seconds: float | None = None
    tune_seconds: float | None = None
    hub_skewness: float | None = None
    difference: float | None = None
    p_value: float | None = None
    p_adjusted: float | None = None
    wilcoxon_p: float | None = None
    verdict: str = ""
    setting: dict = field(default_factory=dict)
    scout_score: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Comparison:
    """Candidates compared on one problem, best first.

    `winner` is the label of the best mean score among neighbour models with every fold done; a tie
    goes to the baseline, then to the faster fit. `beaten` says whether any candidate is
    significantly better than the baseline.
    """

    dataset: str
    metric: str
    greater_is_better: bool
    baseline: str
    rows: tuple[ComparisonRow, ...]
    winner: str | None
    protocol: dict
    seed: int
    run: str | None = None

    @property
    def beaten(self) -> bool:
        return any(row.verdict == BEATS and not row.reference for row in self.rows)

    def row(self, label: str) -> ComparisonRow:
        for row in self.rows:
            if row.label == label:
                return row
        raise KeyError(f"there is no row {label!r}; known: {', '.join(row.label for row in self.rows)}.")

    @property
    def statement(self) -> str:
        """The result in plain words."""
        baseline = self.row(self.baseline)
        if baseline.mean is None:
            reason = baseline.note or baseline.status
            return f"{self.baseline} has no result ({reason}), so nothing can be compared with it."
        untested = [row.label for row in self.rows if row.status == NOT_RUN_BUDGET]
        missing = f" Not run within the time budget: {', '.join(untested)}." if untested else ""
        better = [row for row in self.rows if row.verdict == BEATS and not row.reference]
        if better:
            names = ", ".join(row.label for row in better)
            verb = "beats" if len(better) == 1 else "beat"
            return f"{names} {verb} {self.baseline}; {better[0].label} by {self._gain(better[0])}.{missing}"
        if self.winner not in (None, self.baseline):
            lead = f"{self.winner} has the best mean, but the difference could be chance"
            return f"Nothing beats {self.baseline}: {lead}.{missing}"
        return f"Nothing beats {self.baseline}.{missing}"

    def _gain(self, row: ComparisonRow) -> str:
        gain = abs(row.difference or 0.0)
        return (
            f"{100 * gain:.1f} points of accuracy" if self.greater_is_better else f"{gain:.3f} {self.metric}"
        )

    def to_dict(self) -> dict:
        """Everything in plain values, ready for JSON."""
        return {**asdict(self), "beaten": self.beaten, "statement": self.statement}

    def to_frame(self):
        """The rows as a pandas DataFrame, one line per candidate."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows])


def metric_named(name: str) -> Metric:
    return {ACCURACY.name: ACCURACY, ARRMSE.name: ARRMSE}[name]


def summarise(
    records: Sequence[Record], baseline: str, scout: Sequence[Record] = (), run: str | None = None
) -> Comparison:
    """The leaderboard of one problem from the records of its tasks.

    Parameters
    ----------
    records : sequence of Record
        All tasks of one problem, protocol and seed, including failed ones and those not run.
    baseline : str
        Label that every other candidate is tested against.
    scout : sequence of Record
        Records of a quick first look, shown beside the results.
    """
    records = list(records)
    if not records:
        raise ValueError("there are no records to summarise.")
    if baseline not in {record.learner for record in records}:
        raise ValueError(f"the baseline {baseline!r} is not among the candidates compared.")
    metric = metric_named(records[0].metric)
    by_label = choose_by_validation(records, metric)
    scout_scores = {record.learner: record.score for record in scout}
    rows = [_row(label, found, scout_scores.get(label)) for label, found in by_label.items()]
    rows = _tested(rows, by_label, baseline, metric)
    rows.sort(key=lambda row: _rank_key(row, baseline, metric))
    eligible = [row for row in rows if row.status == DONE and not row.reference]
    return Comparison(
        dataset=records[0].dataset,
        metric=metric.name,
        greater_is_better=metric.greater_is_better,
        baseline=baseline,
        rows=tuple(rows),
        winner=eligible[0].label if eligible else None,
        protocol=records[0].protocol,
        seed=records[0].seed,
        run=run,
    )


def score_table(records: Sequence[Record]) -> tuple[list[str], list[str], np.ndarray]:
    """Mean scores of every learner (column) on every data set (row), as `friedman` takes them.

    A learner without a complete set of folds on a data set leaves NaN there.

    Returns
    -------
    datasets, learners : list of str
    scores : ndarray of shape (n_datasets, n_learners)
    """
    by_dataset: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_dataset[record.dataset].append(record)
    learners = list(dict.fromkeys(record.learner for record in records))
    scores = np.full((len(by_dataset), len(learners)), np.nan)
    for row, own in enumerate(by_dataset.values()):
        for label, found in choose_by_validation(own, metric_named(own[0].metric)).items():
            if all(record.status == DONE for record in found):
                scores[row, learners.index(label)] = np.mean([record.score for record in found])
    return list(by_dataset), learners, scores


def choose_by_validation(records: Sequence[Record], metric: Metric) -> dict[str, list[Record]]:
    """Records of each learner; of several settings, those of the best mean validation score."""
    settings: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        settings[record.learner][json.dumps(record.setting, sort_keys=True)].append(record)

    def validation(found: list[Record]) -> float:
        scores = [record.validation_score for record in found if record.status == DONE]
        known = [metric.better(score) for score in scores if score is not None]
        return float(np.mean(known)) if len(known) == len(found) else -np.inf

    return {label: max(by_setting.values(), key=validation) for label, by_setting in settings.items()}


def _row(label: str, records: list[Record], scout_score: float | None) -> ComparisonRow:
    done = [record for record in records if record.status == DONE]
    failed = [record for record in records if record.status in FAILURES]
    row = ComparisonRow(
        label=label,
        status=_status(len(done), len(failed), len(records)),
        reference=records[0].reference,
        n_folds=len(done),
        n_planned=len(records),
        scout_score=scout_score,
        note=_note(done, failed, records),
    )
    if not done:
        return row
    scores = np.array([record.score for record in done])
    chosen = Counter(json.dumps({**record.setting, **record.chosen}, sort_keys=True) for record in done)
    return replace(
        row,
        scores=tuple(scores.tolist()),
        mean=float(scores.mean()),
        sd=float(scores.std(ddof=1)) if len(scores) > 1 else None,
        interval=_interval(scores, _test_to_train(done)),
        fit_seconds=_mean([record.fit_seconds for record in done]),
        predict_seconds=_mean([record.predict_seconds for record in done]),
        tune_seconds=_mean([record.tune_seconds for record in done]),
        hub_skewness=_mean([record.hub_skewness for record in done]),
        setting=json.loads(chosen.most_common(1)[0][0]),
    )


def _status(n_done: int, n_failed: int, n_planned: int) -> str:
    if n_done == n_planned:
        return DONE
    if n_done == 0:
        return FAILED if n_failed else NOT_RUN_BUDGET
    return "incomplete"


def _note(done, failed, records) -> str:
    parts = []
    if failed:
        first = failed[0]
        reason = (first.error or "").strip().splitlines()
        parts.append(
            f"{len(failed)} of {len(records)} folds failed ({first.status}: {reason[-1] if reason else '?'})"
        )
    missing = len(records) - len(done) - len(failed)
    if missing and (done or failed):
        parts.append(f"{missing} of {len(records)} folds not run (time budget)")
    return "; ".join(parts)


def _mean(values) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _test_to_train(records: Sequence[Record]) -> float:
    return float(np.mean([record.n_test / record.n_train for record in records]))


def _interval(scores: np.ndarray, test_to_train: float) -> tuple[float, float] | None:
    if len(scores) < 2:
        return None
    error = np.sqrt(scores.var(ddof=1) * (1 / len(scores) + test_to_train))
    half_width = float(error * stats.t.ppf(0.975, len(scores) - 1))
    return float(scores.mean()) - half_width, float(scores.mean()) + half_width


def _tested(rows, by_label, baseline: str, metric: Metric) -> list[ComparisonRow]:
    """Rows with their tests against the baseline, adjusted for how many there are."""
    reference_scores = {record.fold: record for record in by_label[baseline] if record.status == DONE}
    tested = {}
    for row in rows:
        common = [r for r in by_label[row.label] if r.status == DONE and r.fold in reference_scores]
        if row.label == baseline or not common:
            continue
        ours = [record.score for record in common]
        theirs = [reference_scores[record.fold].score for record in common]
        row = replace(row, difference=float(np.mean(np.subtract(ours, theirs))))
        if len(common) >= 2:
            p_value = _paired_p(ours, theirs, common)
            row = replace(row, p_value=p_value, wilcoxon_p=wilcoxon_signed_rank(ours, theirs).p_value)
        tested[row.label] = row
    # Reference models are a family of their own: showing them costs the learners nothing.
    for family in (False, True):
        compared = [row for row in tested.values() if row.p_value is not None and row.reference == family]
        for row, adjusted in zip(compared, holm([row.p_value for row in compared]), strict=True):
            verdict = NO_DIFFERENCE
            if adjusted < SIGNIFICANCE_LEVEL:
                verdict = BEATS if metric.better(row.difference) > 0 else WORSE
            tested[row.label] = replace(row, p_adjusted=float(adjusted), verdict=verdict)
    return [tested.get(row.label, row) for row in rows]


def _paired_p(ours: list, theirs: list, records: Sequence[Record]) -> float:
    """The test that belongs to the protocol: Alpaydin's F test for 5 x 2 folds, else the corrected t."""
    if records[0].protocol.get("protocol") == FiveByTwo.__name__ and len(ours) == 10:
        return five_by_two_f(ours, theirs).p_value
    return corrected_paired_t(ours, theirs, _test_to_train(records)).p_value


def _rank_key(row: ComparisonRow, baseline: str, metric: Metric) -> tuple:
    order = {DONE: 0, "incomplete": 1, NOT_RUN_BUDGET: 2, FAILED: 3}
    score = -round(metric.better(row.mean), 12) if row.mean is not None else 0.0
    return order[row.status], score, row.label != baseline, row.fit_seconds or 0.0
