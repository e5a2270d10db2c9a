"""Prediction from nearest neighbours: a learner, an index and a vote."""

from nearkin.predictors.classifier import KNNClassifier
from nearkin.predictors.prediction_table import prediction_table
from nearkin.predictors.regressor import KNNRegressor

__all__ = ["KNNClassifier", "KNNRegressor", "prediction_table"]
