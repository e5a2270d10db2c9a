"""Prediction under a learned distance: votes of neighbours, classification of pairs, order of triplets."""

from nearkin.predictors.average_vote import AverageVote
from nearkin.predictors.classifier import KNNClassifier
from nearkin.predictors.faiss_handover import to_faiss
from nearkin.predictors.onnx_handover import to_onnx
from nearkin.predictors.pairs import PairClassifier
from nearkin.predictors.prediction_table import prediction_table
from nearkin.predictors.regressor import KNNRegressor
from nearkin.predictors.triplets import TripletScorer

__all__ = [
    "AverageVote",
    "KNNClassifier",
    "KNNRegressor",
    "PairClassifier",
    "TripletScorer",
    "prediction_table",
    "to_faiss",
    "to_onnx",
]
