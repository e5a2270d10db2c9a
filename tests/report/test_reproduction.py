"""The page of a repeated experiment, from plain data, in a real browser where there is one."""

import pytest

from nearkin.report.plots import bars_figure, box_figure, curves_figure, map_figure, published_figure
from nearkin.report.reproduction import write_reproduction

METHODS = ("1NN", "LMDL")
COMMAND = "nearkin reproduce tiny2020 --quick --seed 0"


def cell(method, ours, published=None):
    return {"method": method, "ours": ours, "published": published}


LINE = {"name": "LMDL", "x": [3, 5], "y": [0.4, 0.3], "best": 1}


def _figure(kind, panel):
    drawing = {"kind": kind, "text": "ours.", "panels": [{"title": f"panel of {kind}", **panel}]}
    return {"title": f"Figure of {kind}", "published": "something <i>else</i>.", "drawing": drawing}


@pytest.fixture(scope="module")
def found():
    rows = [
        {"dataset": "Iris", "cells": [cell("1NN", 4.1, 4.2), cell("LMDL", 3.3, 3.12)]},
        {"dataset": "Seeds <b>", "cells": [cell("1NN", 6.0), cell("LMDL", None, 8.44)]},
    ]
    ranks = {"kind": "ranks", "ranks": {"1NN": 1.8, "LMDL": 1.2}, "critical_difference": 0.5}
    boxes = {"kind": "boxes", "boxes": {"1NN": [1.3, float("inf"), 1.0], "LMDL": [1.0, 1.0, 1.2]}}
    return {
        "paper": "tiny2020",
        "citation": "Nobody, Nothing",
        "headline": "1 of 1 claims hold; 1 of 2 data sets took part.",
        "command": COMMAND,
        "quick": True,
        "seed": 0,
        "protocol": "three-fold",
        "date": "2020-02-29",
        "seconds": 75.0,
        "work_seconds": 130.0,
        "versions": {"nearkin": "1.0"},
        "claims": [{"here": {"answer": "yes"}}],
        "used": [{"name": "iris"}, {"name": "iris"}],
        "absent": [{"name": "seeds"}],
        "tables": [{"rows": rows, "methods": METHODS, "metric": "error", "decimals": 2}],
        "statistics": [
            {"title": "Friedman", "drawing": {**ranks, "highlight": "LMDL"}},
            {"title": "Robustness", "drawing": {**boxes, "labels": ["a", "b", "c"], "axis": "b_m"}},
            {"title": "Wilcoxon", "drawing": {}},
        ],
        "figures": [
            _figure("bars", {"bars": {"1NN": (4.0, 1.0), "LMDL": (3.0, 0.5)}, "axis": "error"}),
            _figure("curves", {"x_title": "k", "y_title": "error", "lines": [LINE]}),
            _figure("maps", {"x": [0.0, 1.0, 2.0], "y": [1.0, 0.0, 1.0], "labels": ["a", "b", "a"]}),
        ],
    }


@pytest.fixture(scope="module")
def tables():
    def table(title, *rows):
        return {"title": title, "note": "A note", "columns": ["data set", *METHODS], "rows": rows}

    return {
        "claims": [table("Claims", ("LMDL is better", "yes 1/1", "yes 16/16"))],
        "results": [table("Table 2", ("Iris", "4.10 / 4.20 (−0.10)", "3.30 / 3.12 (+0.18)"))],
        "agreement": [],
        "statistics": [table(name, ("x", "1", "2")) for name in ("Friedman", "Robustness", "Wilcoxon")],
        "datasets": [table("Absent data sets", ("Seeds", "not at hand", "https://www.openml.org/d/1499"))],
    }


@pytest.fixture(scope="module")
def page(tmp_path_factory, found, tables):
    path = tmp_path_factory.mktemp("report") / "page.html"
    return write_reproduction(path, found, tables, notices=["Fewer rows."])


def test_page_tells_everything(page):
    text = page.read_text("utf-8")
    for told in ("tiny2020 (quick)", "yes 16/16", "openml.org/d/1499", "Fewer rows.", COMMAND):
        assert told in text
    assert "Seeds <b>" not in text
    assert text.count('class="plot"') == 6
    for kind in ("bars", "curves", "maps"):
        assert f"Figure of {kind}" in text
        assert f"panel of {kind}" in text
    assert "<i>else" not in text


def test_a_set_in_two_forms_counts_once(page):
    assert "<dt>Data sets</dt><dd>1 of 2</dd>" in page.read_text("utf-8")


def test_boxes_that_are_a_figure_of_the_paper_are_drawn_once(found, tables, tmp_path):
    drawing = found["statistics"][1]["drawing"]
    figure = _figure("boxes", {name: drawing[name] for name in ("boxes", "labels", "axis")})
    page = write_reproduction(tmp_path / "page.html", {**found, "figures": [figure]}, tables)
    text = page.read_text("utf-8")
    assert "In the paper: something" in text
    # The table of results, the ranks and this figure.
    assert text.count('class="plot"') == 3


def test_numbers_that_are_missing_are_not_drawn(found):
    figure = published_figure(found["tables"][0]["rows"], METHODS, "error")
    drawn = {trace.name: list(trace.x) for trace in figure.data if trace.mode == "markers"}
    assert drawn == {
        "1NN": [4.1, 6.0],
        "1NN, published": [4.2],
        "LMDL": [3.3],
        "LMDL, published": [3.12, 8.44],
    }


def test_boxes_have_the_smallest_median_first_and_skip_infinity(found):
    drawing = found["statistics"][1]["drawing"]
    figure = box_figure(drawing["boxes"], drawing["labels"], drawing["axis"])
    assert [trace.name for trace in figure.data] == ["LMDL", "1NN"]
    assert list(figure.data[1].text) == ["a", "c"]


def test_figures_of_the_paper_show_what_they_are_given(found):
    bars, curves, maps = (figure["drawing"]["panels"][0] for figure in found["figures"])
    bar = bars_figure(bars["bars"], bars["axis"]).data[0]
    assert (list(bar.x), list(bar.y), list(bar.error_x.array)) == ([4.0, 3.0], ["1NN", "LMDL"], [1.0, 0.5])
    line, ring = curves_figure(curves).data
    assert (list(line.y), list(ring.x), list(ring.y)) == ([0.4, 0.3], [5], [0.3])
    assert {trace.name: list(trace.x) for trace in map_figure(maps).data} == {"a": [0.0, 2.0], "b": [1.0]}


def test_draws_without_errors(browser, page):
    browser.problems.clear()
    browser.resize(1280, 900)
    browser.open(page, "document.documentElement.dataset.drawn")
    assert browser.problems == []
    assert browser.evaluate("document.querySelectorAll('figure.plot svg.main-svg').length") >= 6
