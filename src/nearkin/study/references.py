"""Reference models beside the learners, and which candidates a metric can judge."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nearkin._types import Estimator
from nearkin.datasets import Dataset
from nearkin.evaluation import Candidate, Metric
from nearkin.study.models import first_step, make_scaler

MAJORITY, MEAN = "Majority class", "Mean of the targets"
#: From this share of rows in one class on, accuracy misleads.
LOPSIDED = 0.75


def constant_candidate(task: str) -> Candidate:
    """One answer for all rows: the largest class (with the shares of all as probabilities), or the mean."""
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.pipeline import Pipeline

    label, model = (MAJORITY, DummyClassifier()) if task == "classification" else (MEAN, DummyRegressor())
    return Candidate(label, Pipeline([("model", model)]), reference=True)


def imbalance_notices(data: Dataset, metric: Metric) -> list[str]:
    """A notice if most rows are of one class, so that a high accuracy says little."""
    if data.task != "classification" or metric.name != "accuracy":
        return []
    counts = np.unique(data.y, return_counts=True)[1]
    largest = int(np.argmax(counts))
    share = counts[largest] / counts.sum()
    if share < LOPSIDED:
        return []
    name = data.class_names[largest]
    return [
        f"{100 * share:.1f} % of the rows are of class {name!r}, and always predicting it is as accurate; "
        "balanced-accuracy, macro-f1 or roc-auc as the metric say more."
    ]


def judged_candidates(candidates: Sequence[Candidate], metric: Metric) -> tuple[list[Candidate], list[str]]:
    """Candidates that have what the metric judges, and a notice about those left out."""
    kept = [candidate for candidate in candidates if metric.judges(candidate.estimator)]
    left_out = [candidate.label for candidate in candidates if candidate not in kept]
    if not left_out or left_out in ([MAJORITY], [MEAN]):
        return kept, []
    return kept, [f"{metric.name} needs {metric.needs}; left out, as they have none: {', '.join(left_out)}."]


def reference_candidates(
    task: str, sparse: bool, n_targets: int, encoder: Estimator | None = None, scale: str = "auto"
) -> list:
    """Models that do not use neighbours, to show what relying on neighbours costs or gains."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.multioutput import MultiOutputRegressor
    from sklearn.pipeline import Pipeline
    from sklearn.svm import SVC, SVR

    def each_target(model: Estimator) -> Estimator:
        return MultiOutputRegressor(model) if n_targets > 1 else model

    if task == "classification":
        found = {
            "Logistic regression": (LogisticRegression(max_iter=2000), {"model__C": [0.1, 1.0, 10.0]}),
            "RBF SVM": (SVC(), {"model__C": [1.0, 10.0]}),
            "Gradient boosting": (HistGradientBoostingClassifier(), {}),
        }
    else:
        found = {
            "Ridge regression": (RidgeCV(alphas=(0.01, 0.1, 1.0, 10.0, 100.0)), {}),
            "RBF SVM": (each_target(SVR(C=10.0)), {}),
            "Gradient boosting": (each_target(HistGradientBoostingRegressor()), {}),
        }
    if sparse:
        # Boosted trees would need the data dense.
        del found["Gradient boosting"]
    scaler = make_scaler(scale, sparse)
    return [
        Candidate(
            label,
            Pipeline([*first_step(encoder), ("scale", scaler), ("model", model)]),
            grid,
            reference=True,
        )
        for label, (model, grid) in found.items()
    ]
