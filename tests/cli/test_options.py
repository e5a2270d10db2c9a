import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.cli.errors import CommandError
from nearkin.cli.options import output_path, parse_count, parse_duration, parse_settings, parse_value
from nearkin.evaluation.rows import plain
from nearkin.learners import find_learner


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2m", 120),
        ("90s", 90),
        ("1h30m", 5400),
        ("45", 45),
        (" 1.5 min ", 90),
        ("1h 5s", 3605),
        ("none", None),
    ],
)
def test_durations(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "2 fortnights", "-3s", "0", "5m later", "m"])
def test_nonsense_durations(text):
    with pytest.raises(CommandError, match="duration"):
        parse_duration(text)


@given(st.integers(0, 99), st.integers(0, 59), st.integers(1, 59))
def test_durations_add_up(hours, minutes, seconds):
    assert parse_duration(f"{hours}h{minutes}m{seconds}s") == 3600 * hours + 60 * minutes + seconds


def test_neighbours_are_a_number_or_tuned():
    assert parse_count("--neighbors", "tuned", "tuned") == "tuned"
    assert parse_count("--neighbors", "7", "tuned") == 7
    for text in ("0", "-1", "few", "2.5"):
        with pytest.raises(CommandError, match="--neighbors"):
            parse_count("--neighbors", text, "tuned")


def test_values_are_literals_or_words():
    assert parse_value("[1, 2]") == [1, 2]
    assert parse_value("True") is True
    assert parse_value("rbf") == "rbf"
    assert parse_value("__import__('os')") == "__import__('os')"


def test_settings_know_the_learner():
    assert parse_settings(["n_targets=4", "alpha=0.5"], find_learner("MoveLabeled")) == {
        "n_targets": 4,
        "alpha": 0.5,
    }
    with pytest.raises(CommandError, match="Did you mean 'n_targets'"):
        parse_settings(["n_target=4"], find_learner("MoveLabeled"))
    with pytest.raises(CommandError, match="key=value"):
        parse_settings(["n_targets"], find_learner("MoveLabeled"))


def test_plain_values_have_no_nan():
    import numpy as np

    data = {"a": np.float32("nan"), 2: np.arange(2), "c": (np.bool_(True), float("inf"), object)}
    assert plain(data) == {"a": None, "2": [0, 1], "c": [True, None, str(object)]}


def test_the_task_and_its_reason_are_announced(tmp_path, capsys):
    from nearkin.cli.options import read_data

    path = tmp_path / "prices.csv"
    path.write_text("a,price\n" + "".join(f"{i % 7},{100 + 3 * (i // 2)}\n" for i in range(80)))
    assert read_data(str(path), ["price"], None, None).task == "regression"
    told = " ".join(capsys.readouterr().err.split())
    assert "task: regression, as target 'price' holds 40 different whole numbers" in told
    assert "--task classification overrides" in told
    assert read_data(str(path), ["price"], "classification", None).task == "classification"
    assert "task: classification, as asked for" in capsys.readouterr().err


def test_a_trial_leaves_nothing(tmp_path):
    output_path(str(tmp_path / "new"))
    (tmp_path / "old").write_text("kept")
    output_path(str(tmp_path / "old"))
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_text() == "kept"


def test_a_link_to_a_file_that_is_yet_to_be_written_stays(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "model")
    output_path(str(link))
    assert link.is_symlink()
    assert not (tmp_path / "model").exists()
    link.unlink()
    link.symlink_to(tmp_path / "missing" / "model")
    with pytest.raises(CommandError, match="missing does not exist"):
        output_path(str(link))
