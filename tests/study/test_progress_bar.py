"""Progress in words, its pace, and where it is shown."""

import io

import pytest

from nearkin.evaluation import Progress
from nearkin.report.words import STAGES
from nearkin.study.progress_bar import PAUSE, Paced, TerminalLine, progress_shown, progress_text


def state(done, total=10, remaining=None, stage="compare"):
    return Progress(stage, done, total, 1.0, remaining, "LMNN", "0.1", "done")


def test_a_line_is_written_over_and_ended():
    stream = io.StringIO()
    line = TerminalLine(stream)
    line(state(1, remaining=3.0))
    line(state(10))
    first, second = stream.getvalue().split("\r")[1:]
    assert first.startswith("comparing: 1 of 10 fits, about 3")
    assert second.startswith("comparing: 10 of 10 fits; last: LMNN")
    assert len(second.rstrip("\n")) >= len(first)
    assert second.endswith("\n")


def test_stages_are_called_as_on_the_command_line():
    assert progress_text(state(1, stage="scout")).startswith("first look: 1 of 10")
    assert {STAGES[stage] for stage in ("warm-up", "tune", "repeat")} == {"compiling", "tuning", "repeating"}


def test_pace():
    now, seen = [0.0], []
    paced = Paced(lambda shown: seen.append(shown.done), clock=lambda: now[0])
    for done, seconds in ((1, 0.0), (2, PAUSE / 2), (3, PAUSE), (10, PAUSE)):
        now[0] = seconds
        paced(state(done))
    assert seen == [1, 3, 10]


def test_shown_where_wanted():
    assert progress_shown(None) is None
    assert progress_shown(False) is None
    assert progress_shown("auto") is None  # tests do not run in a notebook
    assert progress_shown(print) is print
    assert isinstance(progress_shown(True), Paced)
    with pytest.raises(ValueError, match="'yes'"):
        progress_shown("yes")
