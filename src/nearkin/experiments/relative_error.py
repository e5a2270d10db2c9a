"""aRRMSE over the targets that vary in the test rows."""

from __future__ import annotations

import numpy as np

from nearkin.evaluation.metrics import REGRESSION, Metric
from nearkin.evaluation.regression_error import arrmse


def _of_varying_targets(y_true, answers, y_train) -> float:
    y_true, answers, y_train = (
        np.asarray(values).reshape(len(values), -1) for values in (y_true, answers, y_train)
    )
    varying = np.ptp(y_true, axis=0) > 0
    return arrmse(y_true[:, varying], answers[:, varying], y_train[:, varying].mean(axis=0))


#: A target that happens to be constant in the test rows of a fold has hardly any spread around its training
#: mean, and an error of any size relative to it: here it is left out of that fold.
VARYING_ARRMSE = Metric(
    "aRRMSE of varying targets", greater_is_better=False, task=REGRESSION, compute=_of_varying_targets
)
