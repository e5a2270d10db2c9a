from __future__ import annotations

from dataclasses import replace

from nearkin.evaluation import RepeatRule, Standing
from nearkin.evaluation.repeating import repeat_while_open

ROW = Standing("learner", "done", could_win=True, p_value=0.02, p_adjusted=0.04)


def test_a_candidate_is_open_until_its_case_is_clear_or_hopeless():
    rule = RepeatRule(clear=0.001, hopeless=0.4)
    assert rule.is_open(ROW)  # significant already, but one may not stop at that
    assert not rule.is_open(replace(ROW, p_adjusted=0.0005))
    assert not rule.is_open(replace(ROW, p_value=0.5, p_adjusted=1.0))
    assert not rule.is_open(replace(ROW, could_win=False))
    assert not rule.is_open(replace(ROW, reference=True))
    assert not rule.is_open(replace(ROW, status="incomplete"))
    assert not rule.is_open(replace(ROW, p_value=None, p_adjusted=None))


def course(p_values, rule, first_repeats=1, time_for=99):
    """Which labels were repeated when, with adjusted p values by label and number of repeats done."""
    ran = []

    def standings():
        done = first_repeats + len(ran)
        return [
            replace(ROW, label=label, p_value=p[done], p_adjusted=p[done]) for label, p in p_values.items()
        ]

    def run(repeat, labels):
        ran.append((repeat, labels))
        return len(ran) < time_for

    repeat_while_open(standings, run, rule, first_repeats)
    return ran


def test_repeats_end_where_the_answer_is_clear_or_cannot_come():
    p_values = {
        "slow": dict.fromkeys(range(1, 6), 0.03),
        "clear": {1: 0.02, 2: 0.0001, 3: 0.0001},
        "hopeless": {1: 0.2, 2: 0.9, 3: 0.01},
    }
    rule = RepeatRule(most=5, looks=(1, 2))
    everyone = ["clear", "hopeless", "slow"]
    assert course(p_values, rule) == [(1, everyone), (2, ["slow"]), (3, ["slow"]), (4, ["slow"])]
    del p_values["slow"]
    assert course(p_values, rule) == [(1, ["clear", "hopeless"])]


def test_nobody_looks_between_the_looks():
    p_values = {"learner": {1: 0.03, 2: 0.0001, 3: 0.0001, 4: 0.03}}
    assert [repeat for repeat, _ in course(p_values, RepeatRule(most=5, looks=(1, 4)))] == [1, 2, 3, 4]


def test_time_and_the_number_of_repeats_are_limits():
    p_values = {"learner": dict.fromkeys(range(1, 20), 0.03)}
    assert len(course(p_values, RepeatRule(most=10))) == 9
    assert len(course(p_values, RepeatRule(most=10), first_repeats=3)) == 7
    assert len(course(p_values, RepeatRule(most=10), time_for=2)) == 2
    assert course(p_values, RepeatRule(most=1)) == []
