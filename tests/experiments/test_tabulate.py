"""Tables of text."""

from nearkin.experiments.outcome import Cell
from nearkin.experiments.published import Number, PublishedTable
from nearkin.experiments.tabulate import cell_text, markdown, tables_by_part


def test_cells():
    beside = Cell("A", 4.25, 0.5, 10, published=4.0, published_sd=0.5, difference=0.25, in_sd=0.5)
    assert cell_text(beside, 2) == "4.25 / 4.00±0.5 (+0.5 sd)"
    assert cell_text(Cell("A", 4.25, published=4.5, difference=-0.25), 2) == "4.25 / 4.50 (−0.25)"
    assert cell_text(Cell("A", 4.25, 0.5, 10), 1) == "4.2 ± 0.5"
    assert cell_text(Cell("A", published=4.5), 1) == "– / 4.5"
    assert cell_text(Cell("A", 4.25, 0.5, published=90.0), 1) == "4.2 / 90.0"
    assert cell_text(Cell("A"), 1) == "–"
    assert cell_text(Cell("A", 4.25, note="2 of 3 folds"), 2) == "4.25†"


def test_every_part_is_there(tiny):
    parts = tables_by_part(tiny)
    assert {part: len(tables) for part, tables in parts.items()} == {
        "claims": 1,
        "results": 1,
        "agreement": 1,
        "statistics": 3,
        "datasets": 2,
    }
    assert all(len(row) == len(t.columns) for tables in parts.values() for t in tables for row in t.rows)


def test_markdown_has_date_versions_verdicts_and_absent_sets(tiny):
    page = markdown(tiny)
    assert tiny.date in page
    assert f"scikit-learn {tiny.versions['scikit-learn']}" in page
    assert "| NN is better than guessing | yes 2/2 |" in page
    assert "| Arabidopsis | arabidopsis | not at hand |" in page
    assert "- It is no real paper." in page
    assert "nearkin reproduce tiny --seed 0" in page


def test_tables_turn_rows_of_methods_into_rows_of_sets():
    table = PublishedTable.by_method("T", "error", "m | Iris | Wine \n A | 1±0.1 | 2 \n B | 3 | -")
    assert table.methods == ("A", "B")
    assert table.rows == {"Iris": (Number(1, 0.1), Number(3)), "Wine": (Number(2), None)}
    assert table.number("Wine", "B") is None
    assert table.number("Glass", "A") is None
