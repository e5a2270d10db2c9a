"""Results as a page: views, then plots, then HTML. Nothing here fits a model.

`write_report(path, comparison, views, circumstances)` makes the self-contained file; the `*_figure`
functions give the single plots as plotly figures for notebooks. Needs the extra `nearkin[report]`.
"""

from __future__ import annotations

import importlib
import importlib.util

_HOMES = {
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
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str):
    # Loaded on first use: printing a table needs no plotting.
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def require_plotting() -> None:
    """Refuse early where a report could not be drawn."""
    missing = [name for name in ("plotly", "jinja2") if importlib.util.find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(f"a report needs {' and '.join(missing)}: pip install 'nearkin[report]'")
