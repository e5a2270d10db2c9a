"""Estimators that misbehave, made inside functions so that workers get them by value."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

LOG_VARIABLE = "NEARKIN_TEST_LOG"


def awkward_classifier(trouble: str):
    """A nearest-neighbour classifier that logs each fit and then gets into the trouble named."""

    def get_into(trouble):
        if trouble == "raise":
            raise RuntimeError("this estimator always fails")
        if trouble == "sleep":
            time.sleep(60)
        if trouble == "doze":
            time.sleep(0.01)
        if trouble == "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        if trouble == "print":
            os.write(1, b"printed by a fit\n" * 1000)
        if trouble == "eat":
            np.ones((2**32,))  # 32 GB

    class Awkward(KNeighborsClassifier):
        def __init__(self, trouble="none", n_neighbors=1):
            super().__init__(n_neighbors)
            self.trouble = trouble

        def fit(self, X, y):
            if os.environ.get(LOG_VARIABLE):
                with Path(os.environ[LOG_VARIABLE]).open("a") as log:
                    log.write(f"{os.getpid()}\n")
            get_into(self.trouble)
            return super().fit(X, y)

    return Awkward(trouble)
