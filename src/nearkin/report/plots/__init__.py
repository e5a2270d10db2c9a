"""Figures from plain results; each function returns a plotly figure, for notebooks and for the page."""

from nearkin.report.plots.boxes import box_figure
from nearkin.report.plots.confusion import confusion_figure
from nearkin.report.plots.critical_difference import critical_difference_figure
from nearkin.report.plots.drawn import bars_figure, curves_figure, map_figure
from nearkin.report.plots.embedding import embedding_figure
from nearkin.report.plots.hubness import occurrence_figure, skewness_figure
from nearkin.report.plots.leaderboard import leaderboard_figure
from nearkin.report.plots.local import local_points_figure, local_shares_figure, local_weights_figure
from nearkin.report.plots.published import published_figure
from nearkin.report.plots.residuals import prediction_figure, residual_figure
from nearkin.report.plots.trade_off import time_figure

__all__ = [
    "bars_figure",
    "box_figure",
    "confusion_figure",
    "critical_difference_figure",
    "curves_figure",
    "embedding_figure",
    "leaderboard_figure",
    "local_points_figure",
    "local_shares_figure",
    "local_weights_figure",
    "map_figure",
    "occurrence_figure",
    "prediction_figure",
    "published_figure",
    "residual_figure",
    "skewness_figure",
    "time_figure",
]
