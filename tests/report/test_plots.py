import numpy as np
import plotly.graph_objects as go
import pytest

from nearkin.evaluation import METRICS, Comparison, Hubness, Standing
from nearkin.report import plots
from nearkin.report.plots.hubness import _edges
from nearkin.report.views import ConfusionView, LocalView, LocalViews


def errors_of(**rows):
    """A comparison of error and fitting time per label."""
    standings = [Standing(name, "done", mean=mean, fit_seconds=s) for name, (mean, s) in rows.items()]
    return Comparison("d", METRICS["aRRMSE"], standings[0].label, tuple(standings), {}, 0)


def test_leaderboard_has_a_dot_and_an_interval_per_finished_row(comparison):
    figure = plots.leaderboard_figure(comparison)
    dots = [trace for trace in figure.data if trace.error_x.array is not None]
    assert [trace.y[0] for trace in dots] == [row.label for row in reversed(comparison.finished)]
    best = next(trace for trace in dots if trace.y[0] == "RBF SVM")
    assert best.x[0] == pytest.approx(99)
    # The interval of 97 to 101 % ends at what is possible.
    assert best.error_x.array[0] == pytest.approx(1)
    assert best.error_x.arrayminus[0] == pytest.approx(2)


def test_time_axis_is_logarithmic_and_turns_with_the_score(comparison):
    figure = plots.time_figure(comparison)
    assert figure.layout.xaxis.type == "log"
    assert len(figure.data) == 5
    assert plots.time_figure(errors_of(a=(0.5, 1.0), b=(0.4, 2.0))).layout.yaxis.autorange == "reversed"


def test_names_in_the_time_plot_avoid_each_other():
    figure = plots.time_figure(errors_of(m0=(0.9, 0.1), m1=(0.9, 0.1), m2=(0.9, 0.1)))
    assert len({trace.textposition for trace in figure.data}) == 3


@pytest.mark.parametrize("largest", [0, 1, 13, 14, 69, 70, 5000])
def test_bins_of_the_histogram_hold_every_count_once(largest):
    edges = _edges(largest)
    assert edges[0] == 0
    assert edges[-1] > largest
    assert np.all(np.diff(edges) >= 1)
    assert len(edges) < 25


def test_occurrence_shares_sum_to_one_hundred():
    figure = plots.occurrence_figure({"Euclid": Hubness(10, 43, np.array([0, 0, 3, 40]))})
    assert sum(figure.data[0].y) == pytest.approx(100)


def test_skewness_leaves_out_models_without_neighbours(comparison):
    assert "RBF SVM" not in plots.skewness_figure(comparison).data[0].y


def test_confusion_shows_shares_of_the_true_class():
    view = ConfusionView("x", ["a", "b"], [[3, 1], [0, 0]])
    heat = plots.confusion_figure(view).data[0]
    np.testing.assert_allclose(heat.z, [[75, 25], [0, 0]])


def test_embedding_marks_wrong_predictions_and_votes(views):
    view = views.embedding
    figure = plots.embedding_figure(view, view.panels[0])
    labels = np.asarray(view.labels)
    wrong = sum(p != labels[q] for q, p in zip(view.queries, view.panels[0].predicted))
    crosses = next(trace for trace in figure.data if trace.name == "predicted wrongly")
    assert len(crosses.x) == wrong > 0
    texts = [text for trace in figure.data for text in (trace.text or ())]
    assert any("✗" in text for text in texts)
    assert sum("reference" in text for text in texts) == sum(not q for q in view.is_query)


def test_every_view_gives_a_figure(views):
    local = views.local[0]
    assert isinstance(plots.local_shares_figure(local), go.Figure)
    heat = plots.local_weights_figure(local).data[0]
    assert list(heat.x) == ["petal", "sepal"]


def test_critical_difference_orders_and_joins():
    figure = plots.critical_difference_figure({"b": 2.0, "a": 1.0, "c": 3.5}, 1.2, highlight="a")
    names = [trace.y[0] for trace in figure.data if trace.mode == "markers+text"]
    assert names == ["a", "b", "c"]
    bars = [trace for trace in figure.data if trace.mode == "lines"]
    assert [(bar.y[0], bar.y[1]) for bar in bars] == [("a", "b")]
    # A difference of exactly the critical one is significant.
    apart = plots.critical_difference_figure({"a": 1.0, "b": 2.0}, 1.0)
    assert not [trace for trace in apart.data if trace.mode == "lines"]


def test_of_very_many_parts_the_largest_are_drawn():
    parts = [LocalView(f"prototype {i}", {"a": i}, {"f": 1.0}) for i in range(60)]
    figure = plots.local_shares_figure(LocalViews("LPD", "prototype", parts))
    assert list(figure.data[0].y) == [f"prototype {i}" for i in range(36, 60)]
