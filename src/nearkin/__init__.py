"""nearkin: nearest-neighbour prediction made good by learning the distance."""

from nearkin.learners.closed_form import RCA, MoveLabeled, MoveQuery
from nearkin.learners.constraint import DMLMTP
from nearkin.learners.gradient import LMCA, LMNN, MEGM, NCA, MetricLearner, MoLMNN
from nearkin.learners.prototype import LMDL, LPD, KernelLMDL
from nearkin.persistence import load, save
from nearkin.predictors import KNNClassifier, KNNRegressor

__version__ = "0.1.0.dev0"

__all__ = [
    "DMLMTP",
    "LMCA",
    "LMDL",
    "LMNN",
    "LPD",
    "MEGM",
    "NCA",
    "RCA",
    "KNNClassifier",
    "KNNRegressor",
    "KernelLMDL",
    "MetricLearner",
    "MoLMNN",
    "MoveLabeled",
    "MoveQuery",
    "load",
    "save",
]
