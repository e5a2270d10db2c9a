"""The page in a real browser: it draws, answers the mouse, complains of nothing and fetches nothing."""

import pytest

from nearkin.report.html import write_report

DRAWN = "document.documentElement.dataset.drawn"
PANEL = "document.querySelector('[data-role=embedding] .canvas')"


@pytest.fixture(scope="module")
def page(tmp_path_factory, comparison, views, circumstances):
    return write_report(tmp_path_factory.mktemp("report") / "report.html", comparison, views, circumstances)


@pytest.fixture
def opened(browser, page):
    browser.resize(1280, 900)
    browser.prefer("light")
    browser.problems.clear()
    browser.requests.clear()
    browser.open(page, DRAWN)
    return browser


def place_of_a_held_out_point(browser, view):
    """Where on the screen the first panel shows its first held-out point."""
    panel = view.panels[0]
    return browser.evaluate(
        f"""(() => {{
            const panel = {PANEL};
            panel.scrollIntoView({{block: "center", behavior: "instant"}});
            const box = panel.querySelector("svg.main-svg").getBoundingClientRect();
            const {{px, py}} = panel.drawing.frame;
            return [box.x + px({panel.x[0]}), box.y + py({panel.y[0]})];
        }})()"""
    )


def test_loads_without_errors_and_without_the_network(opened):
    assert opened.problems == []
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []


def test_every_plot_is_drawn(opened):
    n_figures = opened.evaluate("document.querySelectorAll('figure.plot').length")
    drawn = opened.evaluate(
        "[...document.querySelectorAll('figure.plot .canvas')].filter((c) => c.querySelector('svg.main-svg')"
        ".getBoundingClientRect().height > 100).length"
    )
    assert n_figures >= 9
    assert drawn == n_figures
    # Points, bars and cells are really there, not only axes.
    assert opened.evaluate(f"{PANEL}.querySelectorAll('.point').length") > 50
    canvases = "[...document.querySelectorAll('figure.plot .canvas')]"
    empty = f"{canvases}.filter((c) => !c.querySelector('.point')).length"
    assert opened.evaluate(empty) == 0


def test_no_box_is_empty(opened, views):
    # A telling point is chosen before the reader points at one.
    listed = opened.evaluate("document.querySelectorAll('[data-role=neighbours] li').length")
    assert listed == sum(len(panel.neighbours[0]) for panel in views.embedding.panels)


def test_pointing_at_a_point_shows_its_neighbours(opened, views):
    view = views.embedding
    opened.move_mouse(*place_of_a_held_out_point(opened, view))
    opened.wait_for(f"{PANEL}.querySelector('.tip').textContent.includes('row {view.rows[0]} ')")
    assert not opened.evaluate(f"{PANEL}.querySelector('.tip').hidden")
    hint = "document.querySelector('[data-role=neighbours] .hint').textContent"
    opened.wait_for(f"{hint}.startsWith('Row {view.rows[0]},')")
    # A line in every panel to each neighbour.
    lines = opened.evaluate(
        "[...document.querySelectorAll('[data-role=embedding] g.lines')]"
        ".map((g) => g.querySelectorAll('path').length)"
    )
    assert lines == [len(panel.neighbours[0]) for panel in view.panels]
    assert opened.problems == []


def test_a_legend_entry_brings_its_points_out(opened):
    dimmed = opened.evaluate(
        f"""(() => {{
            const panel = {PANEL}, entry = panel.querySelector(".entry[data-group]");
            entry.dispatchEvent(new Event("pointerenter"));
            return [...panel.querySelectorAll("g[data-group]")].filter((g) => g.style.opacity)
                .map((g) => g.dataset.group).includes(entry.dataset.group);
        }})()"""
    )
    assert dimmed is False
    assert opened.evaluate(f"{PANEL}.querySelectorAll('g[style]').length") > 0


def test_button_and_system_setting_switch_the_theme(opened):
    ink = "getComputedStyle(document.body).color"
    label = "getComputedStyle(document.querySelector('.canvas .ytick')).fill"
    light = opened.evaluate(f"[{ink}, {label}]")
    opened.prefer("dark")
    opened.wait_for("document.documentElement.dataset.theme === 'dark'")
    opened.wait_for(f"{label} !== {light[1]!r}")
    assert opened.evaluate(ink) != light[0]
    opened.evaluate("document.getElementById('theme').click()")
    opened.wait_for(f"{label} === {light[1]!r}")
    assert opened.evaluate(ink) == light[0]


def test_a_narrow_screen_keeps_the_verdict(opened):
    opened.resize(360, 800)
    verdicts = "[...document.querySelectorAll('.leaderboard tr:not(.unfinished) .verdict')]"
    edge = "document.querySelector('.leaderboard').parentElement.getBoundingClientRect().right"
    opened.wait_for(f"Math.max(...{verdicts}.map((v) => v.getBoundingClientRect().right)) <= {edge}")
    assert (
        opened.evaluate("getComputedStyle(document.querySelector('.leaderboard .extra')).display") == "none"
    )


@pytest.mark.slow
def test_with_plotly_inside_it_draws(browser, tmp_path, comparison, views, circumstances):
    page = write_report(tmp_path / "report.html", comparison, views, circumstances, embed_plotly=True)
    browser.resize(1280, 900)
    browser.problems.clear()
    browser.requests.clear()
    browser.open(page, DRAWN)
    assert browser.problems == []
    assert [url for url in browser.requests if not url.startswith(("file:", "data:"))] == []
    assert browser.evaluate(f"{PANEL}.querySelectorAll('.scatterlayer .point').length") > 50
    # The lines to the neighbours of a telling point are two traces, with three entries per neighbour.
    lengths = browser.evaluate(f"{PANEL}.data.slice(-2).reduce((sum, trace) => sum + trace.x.length, 0)")
    assert lengths == 3 * len(views.embedding.panels[0].neighbours[0])


@pytest.mark.parametrize("width", [360, 768])
def test_nothing_sticks_out_of_a_narrow_window(opened, width):
    opened.resize(width, 800)
    # The plots follow the window one after the other.
    opened.wait_for(f"document.documentElement.scrollWidth <= {width}")
    assert opened.evaluate("document.querySelectorAll('.canvas .main-svg').length") > 0


def test_text_of_the_data_is_never_markup(opened):
    assert opened.evaluate("document.querySelector('h1').textContent") == "wine & <cheese>"
    assert opened.evaluate("document.querySelector('.unfinished th').textContent") == "<Slow & co>"
