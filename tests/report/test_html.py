import re

import plotly.graph_objects as go
import pytest

from nearkin.evaluation import METRICS, Comparison, Standing
from nearkin.report.circumstances import Circumstances
from nearkin.report.html import key_figures, render_page, render_report
from nearkin.report.sections import Plot, Section, Table, build_sections
from nearkin.report.views import EmbeddingView, PanelView, Views


def without_plotly(page: str) -> str:
    """The page without the library that is most of its bytes."""
    return re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)


def test_page_has_every_section_and_loads_plotly_once(comparison, views, circumstances):
    page = render_report(comparison, views, circumstances)
    for key in ("leaderboard", "embedding", "hubness", "time", "confusion", "local", "settings"):
        assert f'<section id="{key}"' in page
    assert page.count("* plotly.js v") == 1
    assert not re.search(r"""(src|href)=["'](https?:)?//""", without_plotly(page))


def test_sections_without_data_are_left_out(comparison):
    keys = [section.key for section in build_sections(comparison, Views(), Circumstances())]
    assert keys == ["leaderboard", "hubness", "time", "settings"]


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
