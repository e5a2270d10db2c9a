"""nearkin: nearest-neighbour prediction made good by learning the distance."""

from nearkin.learners.closed_form import RCA, MoveLabeled, MoveQuery
from nearkin.predictors import KNNClassifier, KNNRegressor

__version__ = "0.1.0.dev0"

__all__ = ["RCA", "KNNClassifier", "KNNRegressor", "MoveLabeled", "MoveQuery"]
