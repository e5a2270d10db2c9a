import numpy as np
import pytest

from nearkin.learners.weak_supervision import PairLearner
from nearkin.numerics.pair_scatter import pair_scatter
from nearkin.supervision.label_pairs import nearest_pairs


class Whitener(PairLearner):
    """The simplest learner from pairs: whitens the differences of similar ones."""

    def __init__(self, ridge=1e-3):
        self.ridge = ridge

    def _check_settings(self, n_features):
        if self.ridge <= 0:
            raise ValueError("ridge")

    def _constraints_of_labels(self, X, codes):
        return nearest_pairs(X, codes, 3, 3)

    def _learn(self, X, constraints):
        similar, _ = constraints.split()
        S = pair_scatter(X, similar.left, similar.right, similar.weight) / max(len(similar), 1)
        values, vectors = np.linalg.eigh(S + self.ridge * np.trace(S) * np.eye(len(S)))
        self.objective_, self.n_iter_ = 0.0, 1
        return (vectors / np.sqrt(values)).T


@pytest.fixture
def whitener():
    """A class of learners from pairs that depends on nothing but the similar ones."""
    return Whitener
