import re
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from nearkin.evaluation import METRICS, Comparison, Standing
from nearkin.report.circumstances import Circumstances
from nearkin.report.html import key_figures, render_page, render_report
from nearkin.report.sections import Plot, Section, Table, build_sections
from nearkin.report.views import ConfusionView, CostView, EmbeddingView, MissView, PanelView, Views


def without_plotly(page: str) -> str:
    """The page without the library that is most of its bytes."""
    return re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)


def test_page_has_every_section_and_is_small(comparison, views, circumstances):
    page = render_report(comparison, views, circumstances)
    for key in ("leaderboard", "embedding", "hubness", "costs", "confusion", "local", "settings"):
        assert f'<section id="{key}"' in page
    assert page.count("beside another class</th>") == len(views.hubness)
    assert "plotly.js v" not in page
    assert len(page) < 1_000_000
    assert not re.search(r"""(src|href)=["'](https?:)?//""", without_plotly(page))


def test_plotly_is_put_in_once_where_asked_for(comparison, views):
    page = render_report(comparison, views, embed_plotly=True)
    assert page.count("* plotly.js v") == 1
    assert "const Figures" not in page


def test_many_classes_are_told_by_the_pairs_confused_most(comparison):
    names = [f"class {i}" for i in range(40)]
    before, after = 5 * np.eye(40, dtype=int), 5 * np.eye(40, dtype=int)
    before[3, 7], before[8, 9], after[8, 9] = 4, 2, 1
    confusion = [
        ConfusionView("Euclid", names, before.tolist()),
        ConfusionView("LMNN", names, after.tolist()),
    ]
    sections = build_sections(comparison, Views(confusion=confusion), Circumstances())
    (table,) = next(section for section in sections if section.key == "confusion").contents
    assert table.columns == ["true class", "taken for", "Euclid", "LMNN"]
    assert table.rows == [["class 3", "class 7", "4", "0"], ["class 8", "class 9", "2", "1"]]


def test_costs_are_told_per_learner(comparison):
    costs = {"LMNN": CostView(predict=0.034, size=48_200)}
    sections = build_sections(comparison, Views(costs=costs), Circumstances())
    *_, table = next(section for section in sections if section.key == "costs").contents
    assert ["LMNN", "200 ms", "34 ms", "48 kB"] in table.rows
    assert ["RCA", "1 ms", "–", "–"] in table.rows


def test_regression_has_residuals_and_the_neighbours_that_decided():
    misses = {"price": [MissView(3, 10.0, 2.0, [5, 6], [1.0, 3.0])]}
    views = Views(regression={"price": {"true": [10.0, 1.0], "predicted": [2.0, 1.5]}}, misses=misses)
    euclid = Standing("Euclid", "done", baseline=True, mean=0.5, fit_seconds=0.1)
    comparison = Comparison("d", METRICS["aRRMSE"], "Euclid", (euclid,), {}, 0)
    sections = build_sections(comparison, views, Circumstances())
    *figures, table = next(section for section in sections if section.key == "regression").contents
    np.testing.assert_allclose(figures[1].figure.data[1].y, [8.0, -0.5])
    assert table.rows == [["3", "10", "2", "5: 1 · 6: 3"]]


def test_sections_without_data_are_left_out(comparison):
    keys = [section.key for section in build_sections(comparison, Views(), Circumstances())]
    assert keys == ["leaderboard", "hubness", "costs", "settings"]


def test_leaderboard_marks_winner_reference_and_failure(comparison):
    page = without_plotly(render_report(comparison))
    assert re.search(r'<tr class="learner winner">\s*<th scope="row">LMNN', page)
    assert "not neighbours" in page
    assert "10 of 10 folds failed (timeout)" in page
    assert ">0.004<" in page  # p as such
    assert ">0.012<" in page  # and adjusted
    assert "n_neighbors=7" in page


def test_the_test_that_was_used_is_named(comparison):
    from dataclasses import replace

    assert "is a corrected paired t test on" in render_report(comparison)
    five_by_two = replace(comparison, protocol={"protocol": "FiveByTwo"})
    page = render_report(five_by_two)
    assert "is a 5 x 2 cv paired F test on" in page
    assert "t test" not in without_plotly(page)
    assert "&lt;Slow &amp; co&gt;" in page


def test_the_leaderboard_has_chances_and_repeats(comparison):
    rows = [
        replace(
            comparison.row("LMNN"), n_repeats=10, chance_better=0.97, chance_equivalent=0.03, chance_worse=0.0
        )
    ]
    rows += [row for row in comparison.rows if row.label != "LMNN"]
    page = render_report(replace(comparison, rows=tuple(rows)))
    assert "97/3/0 %" in page
    assert '<span class="tag">×10</span>' in page


def test_script_data_cannot_close_its_element(comparison):
    hostile = "</script><script>alert(1)</script>"
    view = EmbeddingView(
        rows=[0, 1],
        labels=[hostile, "b"],
        is_query=[True, False],
        queries=[0],
        panels=[PanelView(hostile, [0.0, 1.0], [0.0, 1.0], [[1]], [[0.5]], [hostile])],
    )
    page = without_plotly(render_report(comparison, Views(embedding=view)))
    assert "alert(1)</script>" not in page


def test_key_figures_compare_winner_and_euclid(comparison):
    tiles = {tile["label"]: tile["value"] for tile in key_figures(comparison)}
    assert tiles == {
        "Best: LMNN": "98.5 %",
        "Euclid": "95.0 %",
        "Hub skewness": "0.9 → 0.5",
        "Time to fit": "200 ms",
    }


def test_nothing_finished_still_makes_a_page():
    rows = (Standing("Euclid", "failed", baseline=True, note="out of memory"),)
    page = render_report(Comparison("data", METRICS["aRRMSE"], "Euclid", rows, {}, 0))
    assert "out of memory" in page


def test_a_page_grows_by_sections():
    section = Section(
        "extra", "Extra", "Why.", [Plot(go.Figure(), "A plot"), Table(["a"], [["<1>"]]), Table(["b"], [])]
    )
    page = without_plotly(render_page([section], title="T"))
    assert "<td>&lt;1&gt;</td>" in page
    assert "none" in page


@pytest.mark.parametrize("kind", ["light", "dark"])
def test_theme_variables_reach_the_figures(comparison, kind):
    page = render_report(comparison)
    assert '"var(--ink)"' in page
    assert "#1d2733" not in re.sub(r"<style>.*?</style>", "", without_plotly(page), flags=re.DOTALL)


def test_numbers_of_the_headline_stay_with_their_signs():
    assert "97\u00a0% better" in render_page([], title="data", headline="RCA (97 % better)")
