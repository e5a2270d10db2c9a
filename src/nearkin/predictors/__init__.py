"""Prediction from nearest neighbours: a learner, an index and a vote."""

from nearkin.predictors.classifier import KNNClassifier
from nearkin.predictors.faiss_handover import to_faiss
from nearkin.predictors.regressor import KNNRegressor

__all__ = ["KNNClassifier", "KNNRegressor", "to_faiss"]
