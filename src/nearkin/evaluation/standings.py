"""From records to standings: means, intervals, and whether each candidate beats the baseline."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy import special

from nearkin.evaluation.metrics import Metric
from nearkin.evaluation.protocols import FiveByTwo
from nearkin.evaluation.results import (
    BEATS,
    DONE,
    FAILED,
    FAILURES,
    INCOMPLETE,
    NO_DIFFERENCE,
    NOT_RUN,
    NOT_RUN_BUDGET,
    WORSE,
    Record,
    Standing,
)
from nearkin.evaluation.significance.paired import (
    corrected_paired_t,
    correlated_t_chances,
    five_by_two_f,
    overlap_factor,
    wilcoxon_signed_rank,
)
from nearkin.evaluation.significance.posthoc import holm

SIGNIFICANCE_LEVEL = 0.05
#: With fewer folds done than this, of more that were planned, there is no verdict: too few to know their sd.
FEWEST_FOLDS = 3
T_TEST = "corrected paired t test"
F_TEST = "5 x 2 cv paired F test"


def make_standings(
    records: Sequence[Record],
    baseline: str,
    metric: Metric,
    scouted: Sequence[Record] = (),
    first_repeats: int | None = None,
    rope: float | None = None,
) -> list[Standing]:
    """The standings of all candidates of one problem, best first.

    `first_repeats` is how many repeats every candidate gets before some get more; by default all records are
    of that first pass. `rope` is the region of practical equivalence, the metric's own by default.
    """
    first_repeats = 1 + max(record.repeat for record in records) if first_repeats is None else first_repeats
    by_label = choose_by_validation(shown_records(records, first_repeats), metric)
    scout_scores = {record.label: record.score for record in scouted}
    tunable = {record.label for record in records if record.tuned}
    rows = [
        replace(_standing(label, found, baseline, scout_scores.get(label)), tunable=label in tunable)
        for label, found in by_label.items()
    ]
    tested = _tested(rows, by_label, baseline, metric, first_repeats, rope)
    return sorted(tested, key=lambda row: _rank_key(row, metric))


def shown_records(records: Sequence[Record], first_repeats: float) -> list[Record]:
    """The records that count: one kind of a candidate's tuned and untuned folds, and only complete repeats.

    Of the two kinds the one with more folds of the first pass done counts, the tuned one on ties. Scores play
    no part in this.
    """
    kinds: dict[str, dict[bool, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        kinds[record.label][record.tuned].append(record)

    def n_done(found: list[Record]) -> int:
        return sum(record.status == DONE for record in found if record.repeat < first_repeats)

    found: list[Record] = []
    for by_kind in kinds.values():
        own = max(by_kind.items(), key=lambda item: (n_done(item[1]), item[0]))[1]
        open_repeats = {record.repeat for record in own if record.status == NOT_RUN}
        found += [r for r in own if r.repeat < first_repeats or r.repeat not in open_repeats]
    return found


def choose_by_validation(records: Sequence[Record], metric: Metric) -> dict[str, list[Record]]:
    """Records of each candidate; of several settings, those of the one with the best mean validation score.

    Settings that were dropped early, and so have fewer folds than others, cannot be chosen.
    """
    settings: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        settings[record.label][json.dumps(record.setting, sort_keys=True)].append(record)

    def worth(found: list[Record]) -> tuple[int, float]:
        scores = [record.validation_score for record in found if record.status == DONE]
        known = [metric.better(score) for score in scores if score is not None]
        return len(found), float(np.mean(known)) if len(known) == len(found) else -np.inf

    return {label: max(by_setting.values(), key=worth) for label, by_setting in settings.items()}


def _standing(label: str, records: list[Record], baseline: str, scout_score: float | None) -> Standing:
    done = [record for record in records if record.status == DONE]
    failed = [record for record in records if record.status in FAILURES]
    row = Standing(
        label=label,
        status=_status(len(done), len(failed), len(records)),
        baseline=label == baseline,
        reference=records[0].reference,
        n_folds=len(done),
        n_planned=len(records),
        n_repeats=len({record.repeat for record in done}),
        tuned=records[0].tuned,
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
    return INCOMPLETE


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
    error = np.sqrt(scores.var(ddof=1) * overlap_factor(len(scores), test_to_train))
    half_width = float(error * special.stdtrit(len(scores) - 1, 0.975))
    return float(scores.mean()) - half_width, float(scores.mean()) + half_width


def _tested(
    rows: Sequence[Standing],
    by_label: Mapping[str, list[Record]],
    baseline: str,
    metric: Metric,
    first_repeats: int,
    rope: float | None,
) -> list[Standing]:
    """The standings with their tests against the baseline, adjusted for multiple testing."""
    theirs = {record.fold: record for record in by_label[baseline] if record.status == DONE}
    if rope is None:
        rope = metric.equivalence([record.score for record in theirs.values()])
    tested = {}
    for row in rows:
        common = [r for r in by_label[row.label] if r.status == DONE and r.fold in theirs]
        if row.label != baseline and common:
            pairs = [(record, theirs[record.fold]) for record in common]
            tested[row.label] = _against(row, pairs, metric, first_repeats, rope)
    for family in _families(tested.values()):
        for row, adjusted in zip(family, holm(np.array([row.p_value for row in family])), strict=True):
            verdict = NO_DIFFERENCE
            if adjusted < SIGNIFICANCE_LEVEL:
                verdict = BEATS if metric.better(row.difference or 0.0) > 0 else WORSE
            tested[row.label] = replace(row, p_adjusted=float(adjusted), verdict=verdict)
    return [tested.get(row.label, row) for row in rows]


def _against(
    row: Standing, pairs: Sequence[tuple[Record, Record]], metric: Metric, first_repeats: int, rope: float
) -> Standing:
    """A standing with its difference from the baseline on the folds that both have, and the tests of it."""
    ours, theirs = ([record.score for record in side] for side in zip(*pairs))
    common = [record for record, _ in pairs]
    first = [record.repeat < first_repeats for record in common]
    gains = metric.better(1.0) * np.subtract(ours, theirs)
    ahead = bool(np.mean(gains[first]) > 0) if any(first) else False
    row = replace(row, difference=float(np.mean(np.subtract(ours, theirs))), could_win=ahead)
    if len(common) < max(2, min(FEWEST_FOLDS, row.n_planned)):
        return row
    chances = correlated_t_chances(gains, np.zeros(len(gains)), _test_to_train(common), rope)
    return replace(
        row,
        p_value=_paired_p(ours, theirs, common),
        wilcoxon_p=wilcoxon_signed_rank(ours, theirs).p_value,
        chance_better=chances.better,
        chance_equivalent=chances.equivalent,
        chance_worse=chances.worse,
    )


def _families(rows: Iterable[Standing]) -> list[list[Standing]]:
    """Standings whose p values are adjusted together.

    Learners ahead of the baseline after the first pass are one family, those behind another. On which side a
    learner without an effect falls says nothing about the size of its two-sided p value, so each family is
    adjusted for its own size only. Reference models do not count against the learners.
    """
    families: dict[str, list[Standing]] = defaultdict(list)
    for row in rows:
        if row.p_value is not None:
            families["reference" if row.reference else "ahead" if row.could_win else "behind"].append(row)
    return list(families.values())


def paired_test(protocol: Mapping) -> str:
    """The name of the test that belongs to a protocol."""
    return F_TEST if protocol.get("protocol") == FiveByTwo.__name__ else T_TEST


def _paired_p(ours: list, theirs: list, records: Sequence[Record]) -> float | None:
    if paired_test(records[0].protocol) == T_TEST:
        return corrected_paired_t(ours, theirs, _test_to_train(records)).p_value
    # All ten models are tested on the same rows: with fewer of them there is no test.
    return five_by_two_f(ours, theirs).p_value if len(ours) == 10 else None


def _rank_key(row: Standing, metric: Metric) -> tuple:
    order = {DONE: 0, INCOMPLETE: 1, NOT_RUN_BUDGET: 2, FAILED: 3}
    score = -round(metric.better(row.mean), 12) if row.mean is not None else 0.0
    return order[row.status], score, not row.baseline, row.fit_seconds or 0.0
