"""The estimators: each learns a distance and leaves it as `distance_`."""

from nearkin.learners.base import EmbeddingLearner, Learner
from nearkin.learners.discovery import all_learners, find_learner

__all__ = ["EmbeddingLearner", "Learner", "all_learners", "find_learner"]
