"""Results as a page: views, then plots, then HTML. Nothing here fits a model.

`write_report(path, comparison, views, circumstances)` makes the self-contained file; the `*_figure`
functions return single plots as plotly figures for notebooks. Needs the extra `nearkin[report]`.
"""

from __future__ import annotations

from nearkin import _discovery

_NAMES_IN = {
    "nearkin.report.circumstances": ("Circumstances",),
    "nearkin.report.held_out": ("confusion_of", "hubness_of", "report_results", "views_of_records"),
    "nearkin.report.html": ("render_page", "render_report", "write_report"),
    "nearkin.report.look": ("class_namer", "confusion_view", "embedding_view"),
    "nearkin.report.plots": (
        "box_figure",
        "confusion_figure",
        "critical_difference_figure",
        "embedding_figure",
        "leaderboard_figure",
        "local_points_figure",
        "local_shares_figure",
        "local_weights_figure",
        "occurrence_figure",
        "prediction_figure",
        "published_figure",
        "residual_figure",
        "skewness_figure",
        "time_figure",
    ),
    "nearkin.report.reproduction": ("write_reproduction",),
    "nearkin.report.sections": ("Plot", "Section", "Table", "build_sections"),
    "nearkin.report.views": ("Views",),
}
# Loaded on first use: printing a table needs no plotting.
__getattr__, __dir__ = _discovery.lazy_names(
    __name__, dict, homes={name: home for home, names in _NAMES_IN.items() for name in names}
)
