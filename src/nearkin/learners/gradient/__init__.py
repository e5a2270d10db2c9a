"""Learners composed of a map, a loss and a solver."""

from nearkin.learners.gradient.lmnn import LMCA, LMNN
from nearkin.learners.gradient.megm import MEGM
from nearkin.learners.gradient.metric_learner import MetricLearner
from nearkin.learners.gradient.molmnn import MoLMNN
from nearkin.learners.gradient.nca import NCA

__all__ = ["LMCA", "LMNN", "MEGM", "NCA", "MetricLearner", "MoLMNN"]
