"""The tables of the results page, from pages made up for the purpose."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
import results_tables

PAGE = """# toy2020

**1 of 2 claims of the paper hold, 1 do not; 2 of 2 data sets took part.**

Full run of 2026-11-18, seed 0: 5 s of tuning. Commit 0123456789. python 3.11.

## Published numbers reached

A note.

| table | method | cells | at or better | within one sd | within our sd | worse | worse on |
| --- | --- | --- | --- | --- | --- | --- | --- |
| Table 2 | New* | 4 | 2 | 1 | 0 | 1 | Iris (+1.0: another form) |
| Table 2 | Old | 3 | 1 | 0 | 2 | 0 |  |

## Data sets
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "toy2020.md").write_text(PAGE)
    (tmp_path / "toy2020-quick.md").write_text(PAGE.replace("# toy2020", "# toy2020 (quick)"))
    (tmp_path / "older.md").write_text("# older\n\n**Nothing.**\n\nFull run of 2020-01-01.\n")
    monkeypatch.setattr(results_tables, "RESULTS", tmp_path)


def test_runs_are_listed_with_date_commit_and_headline(folder):
    table = results_tables.runs_table()
    assert "| [toy2020](toy2020.md) | 2026-11-18 | 0123456789 | 1 of 2 claims" in table
    assert "| [older](older.md) | 2020-01-01 | not recorded | Nothing. |" in table


def test_cells_are_summed_for_proposed_and_compared_methods(folder):
    table = results_tables.reached_table()
    assert "| toy2020 | New (proposed) | Table 2 | 4 | 2 | 1 | 0 | 1 | Iris (+1.0: another form) |" in table
    assert "propose: 3 of 4 cells (75 %)" in table
    assert "compare with: 1 of 3 cells (33 %)" in table
    assert "2 more (100 % with them; the goal is 85 %)" in table
    assert "quick" not in table


def test_reasons_found_after_a_run_come_from_the_declaration(tmp_path):
    page = tmp_path / "shigeto2017.md"
    worse = "News (−2.0); glass (−5.5: its own choice); sun (−1.0)"
    row = f"| Table 3 | Move-labeled* | 3 | 0 | 0 | 0 | 3 | {worse} |"
    header = " | ".join(results_tables.COLUMNS)
    page.write_text(
        f"# shigeto2017\n\n{results_tables.HEADING}\n\n| {header} |\n|{'---|' * 8}\n{row}\n", encoding="utf-8"
    )
    (line,) = results_tables.reached(page)
    assert line.worse.startswith("News (−2.0: the form of the documents")
    assert line.worse.endswith("glass (−5.5: its own choice); sun (−1.0)")


def test_pages_of_an_older_form_are_refused(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(f"# page\n\n{results_tables.HEADING}\n\n| table | method | reached |\n|---|---|---|\n")
    with pytest.raises(ValueError, match=r"page.md is of an older form"):
        results_tables.reached(path)
