"""Small problems shared by the tests of the prototype learners."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from nearkin.learners.prototype import LMDL, LPD, KernelLMDL

LEARNERS = [LPD, LMDL, KernelLMDL]


@pytest.fixture(params=LEARNERS, ids=lambda learner: learner.__name__)
def learner(request):
    return request.param


@pytest.fixture(scope="session")
def blobs():
    """Three overlapping classes in four dimensions."""
    X, y = make_blobs(150, n_features=4, centers=3, cluster_std=3.0, random_state=3)
    return X, np.array(["a", "b", "c"])[y]
