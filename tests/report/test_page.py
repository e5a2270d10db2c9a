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


def place_of_a_held_out_point(browser):
    return browser.evaluate(
        f"""(() => {{
            const panel = {PANEL};
            panel.scrollIntoView({{block: "center", behavior: "instant"}});
            const trace = panel._fullData.find((t) => t.mode === "markers" && t.marker.size === 9);
            const box = panel.getBoundingClientRect(), {{xaxis, yaxis}} = panel._fullLayout;
            const x = xaxis._offset + xaxis.d2p(trace.x[0]), y = yaxis._offset + yaxis.d2p(trace.y[0]);
            return [box.x + x, box.y + y];
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
    assert opened.evaluate(f"{PANEL}.querySelectorAll('.scatterlayer .point').length") > 50


def test_pointing_at_a_point_shows_its_neighbours(opened, views):
    panels = views.embedding.panels
    opened.move_mouse(*place_of_a_held_out_point(opened))
    opened.wait_for("document.querySelectorAll('[data-role=neighbours] li').length")
    listed = opened.evaluate("document.querySelectorAll('[data-role=neighbours] li').length")
    assert listed == sum(len(panel.neighbours[0]) for panel in panels)
    # A line in every panel, with three entries (from, to, gap) per neighbour.
    lengths = opened.evaluate(
        "[...document.querySelectorAll('[data-role=embedding] .canvas')]"
        ".map((c) => c.data.slice(-2).reduce((sum, trace) => sum + trace.x.length, 0))"
    )
    assert lengths == [3 * len(panel.neighbours[0]) for panel in panels]
    assert opened.evaluate(f"{PANEL}.querySelectorAll('.hoverlayer .hovertext').length") == 1
    assert opened.problems == []


def test_button_and_system_setting_switch_the_theme(opened):
    ink = "getComputedStyle(document.body).color"
    label = "getComputedStyle(document.querySelector('.canvas .ytick text')).fill"
    light = opened.evaluate(f"[{ink}, {label}]")
    opened.prefer("dark")
    opened.wait_for("document.documentElement.dataset.theme === 'dark'")
    opened.wait_for(f"{label} !== {light[1]!r}")
    assert opened.evaluate(ink) != light[0]
    opened.evaluate("document.getElementById('theme').click()")
    opened.wait_for(f"{label} === {light[1]!r}")
    assert opened.evaluate(ink) == light[0]


@pytest.mark.parametrize("width", [360, 768])
def test_nothing_sticks_out_of_a_narrow_window(opened, width):
    opened.resize(width, 800)
    # The plots follow the window one after the other.
    opened.wait_for(f"document.documentElement.scrollWidth <= {width}")
    assert opened.evaluate("document.querySelectorAll('.canvas .main-svg').length") > 0


def test_text_of_the_data_is_never_markup(opened):
    assert opened.evaluate("document.querySelector('h1').textContent") == "wine & <cheese>"
    assert opened.evaluate("document.querySelector('.unfinished th').textContent") == "<Slow & co>"
