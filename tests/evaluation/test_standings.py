from __future__ import annotations

import json

import numpy as np
import pytest

from nearkin.evaluation import Record, choose_winner, summarise
from nearkin.evaluation.significance import corrected_paired_t, five_by_two_f, holm
from nearkin.report.leaderboard import leaderboard_text


def records(label, scores, metric="accuracy", status="done", **fields):
    found = []
    for fold, score in enumerate(scores):
        base = {
            "key": f"{label}{fold}",
            "dataset": "data",
            "label": label,
            "fold": f"0.{fold}",
            "seed": 0,
            "setting": {},
            "metric": metric,
            "n_train": 90,
            "n_test": 10,
            "fit_seconds": 1.0,
            "predict_seconds": 0.5,
        }
        found.append(Record(**{**base, "status": status, "score": score, **fields}))
    return found


EUCLID = [0.80, 0.82, 0.81, 0.79, 0.83, 0.80, 0.81, 0.82, 0.80, 0.81]


def shifted(shift, noise=0.002):
    return [score + shift + noise * (-1) ** fold for fold, score in enumerate(EUCLID)]


def test_verdicts_follow_the_adjusted_p_values():
    everything = records("Euclid", EUCLID)
    for label, shift in (("better", 0.05), ("same", 0.0005), ("poor", -0.05)):
        everything += records(label, shifted(shift))
    found = summarise(everything, "Euclid")
    assert [row.label for row in found.rows] == ["better", "same", "Euclid", "poor"]
    assert [row.verdict for row in found.rows] == ["beats", "no difference", "", "worse"]
    raw = [corrected_paired_t(shifted(shift), EUCLID, 1 / 9).p_value for shift in (0.05, 0.0005, -0.05)]
    assert [found.row(label).p_value for label in ("better", "same", "poor")] == pytest.approx(raw)
    # Those ahead of the baseline are one family, those behind another.
    adjusted = [found.row(label).p_adjusted for label in ("better", "same", "poor")]
    assert adjusted == pytest.approx([*holm(raw[:2]), raw[2]])
    assert found.could_win == ["better", "same"]
    assert found.row("better").difference == pytest.approx(0.05)
    assert found.winner == "better"
    assert found.beaten
    assert found.statement == (
        "better beats Euclid; better by 5.0 points of accuracy (100 % better, 0 % equivalent, 0 % worse)."
    )


def test_says_plainly_when_nothing_beats_the_baseline():
    noisy = [score + 0.03 * (-1) ** fold + 0.001 for fold, score in enumerate(EUCLID)]
    found = summarise(records("Euclid", EUCLID) + records("hopeful", noisy), "Euclid")
    assert not found.beaten
    assert found.winner == "hopeful"
    assert found.statement.startswith("Nothing beats Euclid: hopeful has the best mean, but")
    alone = summarise(records("Euclid", EUCLID) + records("poor", shifted(-0.1)), "Euclid")
    assert alone.statement == "Nothing beats Euclid."


def test_one_fold_is_no_answer():
    late = records("late", [0.9]) + records("late", [None] * 9, status="not run")
    found = summarise(records("Euclid", EUCLID) + late, "Euclid")
    assert found.statement == "No learner has folds enough for a test against Euclid."


def test_a_difference_too_small_to_matter_is_said_to_be_so():
    tiny = records("Euclid", EUCLID) + records("tiny", shifted(0.001, noise=0.0001))
    found = summarise(tiny, "Euclid")
    assert (found.row("tiny").verdict, found.row("tiny").practically_equivalent) == ("beats", True)
    assert found.statement == (
        "Nothing beats Euclid by enough to matter: tiny is better, tiny by 0.1 points of accuracy "
        "(0 % better, 100 % equivalent, 0 % worse), which is practically equivalent."
    )
    assert "yes, but practically equivalent" in leaderboard_text(found)
    found = summarise(tiny + records("large", shifted(0.05)), "Euclid")
    assert found.statement == (
        "large beats Euclid; large by 5.0 points of accuracy (100 % better, 0 % equivalent, 0 % worse). "
        "tiny is ahead too, but by so little that it is practically equivalent."
    )


def test_one_rule_decides_every_mention_of_the_winner():
    noisy = [score + 0.05 + 0.2 * (-1) ** fold for fold, score in enumerate(EUCLID)]
    everything = records("Euclid", EUCLID) + records("lucky", noisy) + records("sure", shifted(0.01))
    ahead = records("ahead", shifted(0.3)[:9]) + records("ahead", [None], status="not run")
    found = summarise(everything + ahead, "Euclid")
    assert found.winner == choose_winner(found.rows).standing.label == found.learned().label == "lucky"
    assert found.statement == (
        "sure, ahead beat Euclid; sure by 1.0 points of accuracy (50 % better, 50 % equivalent, 0 % worse). "
        "lucky has the best mean, but the difference could be chance "
        "(65 % better, 7 % equivalent, 28 % worse)."
    )
    poor = summarise(records("Euclid", EUCLID) + records("poor", shifted(-0.1)), "Euclid")
    assert found.reason == "best mean, though the difference could be chance"
    assert (poor.winner, poor.learned().label, poor.reason) == ("Euclid", "poor", "best mean")
    assert poor.learned(with_neighbours=True) is None
    assert summarise(records("Euclid", [None], status="crash"), "Euclid").winner is None


def test_a_tie_goes_to_the_baseline_then_to_the_faster():
    everything = records("slow", EUCLID, fit_seconds=9.0) + records("fast", EUCLID, fit_seconds=0.1)
    assert summarise(everything + records("Euclid", EUCLID, fit_seconds=5.0), "Euclid").winner == "Euclid"
    poor_baseline = records("Euclid", shifted(-0.1))
    assert summarise(everything + poor_baseline, "Euclid").winner == "fast"


def test_smaller_errors_are_better():
    errors = [1 - score for score in EUCLID]
    everything = records("Euclid", errors, metric="aRRMSE")
    everything += records(
        "better", [error - 0.05 - 0.001 * (i % 2) for i, error in enumerate(errors)], metric="aRRMSE"
    )
    found = summarise(everything, "Euclid")
    assert found.winner == "better"
    assert found.row("better").verdict == "beats"
    assert "by 0.051 aRRMSE" in found.statement or "by 0.050 aRRMSE" in found.statement
    assert found.row("better").wilcoxon_p == pytest.approx(2 / 2**10)


def test_reference_models_are_tested_but_never_win():
    found = summarise(records("Euclid", EUCLID) + records("SVM", shifted(0.1), reference=True), "Euclid")
    assert found.rows[0].label == "SVM"
    assert found.rows[0].verdict == "beats"
    assert found.winner == "Euclid"
    assert not found.beaten
    # Nor do they make the learners' tests any stricter.
    with_learner = records("Euclid", EUCLID) + records("learner", shifted(0.003))
    alone = summarise(with_learner, "Euclid").row("learner")
    beside = summarise(with_learner + records("SVM", shifted(0.1), reference=True), "Euclid").row("learner")
    assert alone.p_adjusted == beside.p_adjusted


def test_failed_and_unfinished_rows_say_what_happened():
    everything = records("Euclid", EUCLID)
    everything += records("broken", [None] * 10, status="error", error="Traceback\nValueError: no\n")
    everything += records("late", [None] * 10, status="not run")
    everything += records("partial", shifted(0.1)[:4]) + records("partial", [None] * 6, status="not run")
    everything += records("flaky", shifted(0.1)[:9]) + records(
        "flaky", [None], status="timeout", error="stopped"
    )
    found = summarise(everything, "Euclid")
    assert found.row("broken").status == "failed"
    assert found.row("broken").note == "10 of 10 folds failed (error: ValueError: no)"
    assert found.row("late").status == "not run (time budget)"
    assert found.row("partial").status == "incomplete"
    assert found.row("partial").note == "6 of 10 folds not run (time budget)"
    assert found.row("partial").n_folds == 4
    assert found.row("partial").difference == pytest.approx(0.1)
    assert "timeout" in found.row("flaky").note
    assert found.winner == "Euclid"  # the others are not complete
    assert found.statement.endswith("Not run within the time budget: late.")


def test_interval_allows_for_overlapping_training_rows():
    row = summarise(records("Euclid", EUCLID), "Euclid").row("Euclid")
    low, high = row.interval
    plain_half_width = 2.262 * np.std(EUCLID, ddof=1) / np.sqrt(10)
    assert (high - low) / 2 == pytest.approx(plain_half_width * np.sqrt(1 + 10 / 9), rel=1e-3)
    assert row.sd == pytest.approx(np.std(EUCLID, ddof=1))


def test_one_fold_is_shown_but_not_tested():
    found = summarise(records("Euclid", [0.8]) + records("other", [0.9]), "Euclid")
    assert found.row("other").difference == pytest.approx(0.1)
    assert found.row("other").p_value is None
    assert found.row("other").verdict == ""
    assert found.row("other").interval is None


def test_the_setting_with_the_best_validation_score_counts():
    everything = records("Euclid", EUCLID)
    for k, validation, score in ((1, 0.7, 0.99), (3, 0.9, 0.85)):
        everything += records("tuned", [score] * 10, setting={"k": k}, validation_score=validation)
    row = summarise(everything, "Euclid").row("tuned")
    assert row.mean == pytest.approx(0.85)
    assert row.setting == {"k": 3}
    assert row.n_planned == 10


def test_a_setting_that_was_dropped_early_cannot_be_chosen():
    everything = records("Euclid", EUCLID)
    everything += records("tuned", [0.99] * 2, setting={"k": 1}, validation_score=0.95)
    everything += records("tuned", [0.85] * 10, setting={"k": 3}, validation_score=0.9)
    assert summarise(everything, "Euclid").row("tuned").mean == pytest.approx(0.85)


def test_five_by_two_folds_get_their_own_test():
    protocol = {"protocol": "FiveByTwo", "n_repeats": 5, "test_share": 1 / 3}
    everything = records("Euclid", EUCLID, protocol=protocol) + records(
        "other", shifted(0.01), protocol=protocol
    )
    row = summarise(everything, "Euclid").row("other")
    assert row.p_value == pytest.approx(five_by_two_f(shifted(0.01), EUCLID).p_value)
    assert summarise(everything, "Euclid").test == "5 x 2 cv paired F test"
    assert summarise(records("Euclid", EUCLID), "Euclid").test == "corrected paired t test"
    unfinished = summarise(everything[:-1], "Euclid").row("other")
    assert unfinished.difference is not None
    assert unfinished.p_value is None  # the F test needs all ten


def test_most_frequent_choice_is_shown():
    everything = records("Euclid", EUCLID[:2], chosen={"k": 1}) + records(
        "Euclid", EUCLID[2:], chosen={"k": 5}
    )
    assert summarise(everything, "Euclid").row("Euclid").setting == {"k": 5}


def test_output_is_ready_for_json_and_pandas():
    found = summarise(records("Euclid", EUCLID) + records("better", shifted(0.1)), "Euclid")
    restored = json.loads(json.dumps(found.to_dict()))
    assert restored["statement"] == found.statement
    assert restored["rows"][0]["label"] == "better"
    assert list(found.to_frame().index) == ["better", "Euclid"]


def test_a_missing_baseline_is_named():
    with pytest.raises(ValueError, match="'Euclid' is not among"):
        summarise(records("other", EUCLID), "Euclid")
    with pytest.raises(ValueError, match="no records"):
        summarise([], "Euclid")
    failed = summarise(
        records("Euclid", [None], status="crash", error="died") + records("other", [0.9]), "Euclid"
    )
    assert "nothing can be compared" in failed.statement


def repeated(label, n_repeats, shift=0.02, noise=0.03):
    """Records of ten folds drawn so many times."""
    found = []
    for repeat in range(n_repeats):
        for record in records(label, shifted(shift, noise)):
            record.key, record.fold = f"{label}{repeat}.{record.fold}", f"{repeat}.{record.fold[2:]}"
            found.append(record)
    return found


def test_later_repeats_count_where_they_are_complete():
    everything = repeated("Euclid", 3, 0.0, 0.0) + repeated("often", 3) + repeated("once", 1)
    cut_short = repeated("cut", 2)
    cut_short[-1].status = "not run"
    found = summarise(everything + cut_short, "Euclid", first_repeats=1)
    assert [found.row(label).n_repeats for label in ("Euclid", "often", "once", "cut")] == [3, 3, 1, 1]
    assert {row.status for row in found.rows} == {"done"}
    assert found.row("often").p_value < found.row("once").p_value == found.row("cut").p_value
    # Asked for of everybody, they would be missing.
    asked = summarise(everything + cut_short, "Euclid")
    assert asked.row("cut").status == "incomplete"


def test_those_ahead_at_first_could_win_whatever_comes_later():
    turned = repeated("turned", 2)
    for record in turned[10:]:
        record.score -= 0.2
    found = summarise(
        repeated("Euclid", 2, 0.0) + turned + repeated("behind", 1, -0.02), "Euclid", first_repeats=1
    )
    assert found.could_win == ["turned"]
    assert found.row("turned").difference < 0
    assert found.row("turned").p_adjusted == found.row("turned").p_value  # alone in its family


def test_a_single_fold_is_no_test_and_costs_the_others_nothing():
    everything = records("Euclid", EUCLID) + records("better", shifted(0.05)) + records("begun", [0.9])
    found = summarise(everything, "Euclid")
    assert found.row("begun").could_win
    assert found.could_win == ["better"]
    assert found.row("better").p_adjusted == found.row("better").p_value


def test_tuned_folds_count_as_soon_as_they_are_complete():
    plain = records("learner", shifted(0.2))
    tuned = records("learner", shifted(0.1), tuned=True)
    row = summarise(records("Euclid", EUCLID) + plain + tuned, "Euclid").row("learner")
    assert row.tuned
    assert row.difference == pytest.approx(0.1)
    for record in tuned[3:]:
        record.status = "not run"
    row = summarise(records("Euclid", EUCLID) + plain + tuned, "Euclid").row("learner")
    assert not row.tuned
    assert (row.status, row.n_folds) == ("done", 10)
    assert row.difference == pytest.approx(0.2)


def test_the_model_to_use_is_chosen_by_rule_or_name():
    noisy = [score + 0.05 + 0.2 * (-1) ** fold for fold, score in enumerate(EUCLID)]
    sure = records("Euclid", EUCLID) + records("lucky", noisy) + records("sure", shifted(0.01))
    found = summarise(sure + records("late", [None] * 10, status="not run"), "Euclid")
    assert found.choose().standing.label == found.winner == "lucky"
    assert found.choose("significant").standing.label == "sure"
    assert found.choose("EUCLID").reason == "asked for by name"
    unsure = summarise(records("Euclid", EUCLID) + records("lucky", noisy), "Euclid").choose("significant")
    assert (unsure.standing.label, unsure.reason) == ("Euclid", "nothing is shown to beat it")
    with pytest.raises(ValueError, match="late has no result; choose best-mean, significant or one that fin"):
        found.choose("late")
    with pytest.raises(ValueError, match="no learner 'none'"):
        found.choose("none")
    with pytest.raises(ValueError, match="no learner finished"):
        summarise(records("Euclid", [None], status="crash"), "Euclid").choose()


def test_nothing_is_said_of_learners_that_did_not_run():
    late = records("late", [None] * 10, status="not run")
    alone = summarise(records("Euclid", EUCLID) + late, "Euclid").statement
    assert alone.startswith("Only Euclid has a result, so there is nothing to compare it with.")
    assert "Not run within the time budget: late." in alone


def test_two_of_many_folds_are_no_ground_for_a_verdict():
    quick = records("quick", shifted(0.05)[:2]) + records("quick", [None] * 8, status="not run")
    for number, record in enumerate(quick):
        record.fold, record.key = f"0.{number}", f"quick{number}"
    row = summarise(records("Euclid", EUCLID) + quick, "Euclid").row("quick")
    assert row.difference == pytest.approx(0.05)
    assert (row.p_value, row.verdict) == (None, "")
    # Where no more were asked for, they have to do.
    asked = summarise(records("Euclid", EUCLID[:2]) + records("quick", shifted(0.05)[:2]), "Euclid")
    assert asked.row("quick").p_value is not None
