"""Metrics: numbers that judge a model, each with its direction, its formula and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import accuracy_score, f1_score, mean_absolute_error, r2_score, roc_auc_score
from sklearn.pipeline import Pipeline

from nearkin._types import ColumnLike, Estimator, MatrixLike
from nearkin.datasets.dataset import CLASSIFICATION, REGRESSION
from nearkin.evaluation.regression_error import arrmse
from nearkin.evaluation.retrieval import (
    Relevance,
    hit_rate_at_k,
    map_at_r,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
)

if TYPE_CHECKING:
    from nearkin.evaluation.results import Record

#: Differences up to a point are practically equivalent.
POINT = 0.01
#: Methods of an estimator whose answers a metric may judge.
PREDICTIONS = "predict"
PROBABILITIES = "predict_proba"
NEIGHBOURS = "kneighbors"
#: Places of the ranked lists that the mean reciprocal rank looks at.
MRR_LENGTH = 100


@dataclass(frozen=True)
class Metric:
    """A number that judges a model.

    Parameters
    ----------
    name : str
    greater_is_better : bool
    task : {"classification", "regression"}
        The kind of targets it is for.
    compute : callable, optional
        Computes the number from true targets, the model's answers and the training targets. A metric
        without it cannot rank models; it is only read off their records.
    needs : {"predict", "predict_proba", "kneighbors"}
        The method of a model whose answers are judged: predictions, probabilities of the classes in
        sorted order, or row numbers of the nearest training rows.
    n_neighbors : callable, optional
        How many neighbours to ask for, given the training targets or a `Relevance`; where neighbours are
        judged.
    percent : bool
        Whether the number is a share, which people read in percent.
    decimals : int
        Digits shown after the point.
    bounded : bool
        Whether a difference of a given size means the same on all data, so that 0.01 (a point) is
        negligible; for other metrics 1 % of the baseline's score is.
    read : callable
        Takes the number from a record; by default the record's score.

    Examples
    --------
    >>> ACCURACY.text(0.9713), ARRMSE.text(-0.0421, signed=True)
    ('97.1 %', '−0.042')
    """

    name: str
    greater_is_better: bool
    task: str = CLASSIFICATION
    compute: Callable[..., float] | None = None
    needs: str = PREDICTIONS
    n_neighbors: Callable[[np.ndarray | Relevance], int] | None = None
    percent: bool = False
    decimals: int = 3
    bounded: bool = True
    read: Callable[[Record], float | None] = attrgetter("score")

    def score(
        self,
        model: Estimator,
        X: MatrixLike,
        y_true: ColumnLike | Relevance,
        y_train: ColumnLike | None = None,
    ) -> float:
        """The score of a fitted model on rows that it has not seen.

        Scores of ranked lists also take a `Relevance` as `y_true`: which stored rows are relevant to which
        of these. The training targets are read off the model if they are not given.
        """
        if y_train is None:
            y_train = stored_targets(model)
        if self.needs == NEIGHBOURS:
            return self(y_true, self._neighbours(model, X, y_true, y_train), y_train)
        return self(y_true, getattr(model, self.needs)(X), y_train)

    def scorer(self, model: Estimator, X: MatrixLike, y: ColumnLike) -> float:
        """What scikit-learn takes as ``scoring=``: the score, negated if smaller is better."""
        return self.better(self.score(model, X, y))

    def judges(self, estimator: Estimator) -> bool:
        """Whether an estimator, fitted or not, has the answers that this metric needs."""
        return hasattr(last_step(estimator), self.needs)

    def _neighbours(self, model, X, y_true, y_train) -> np.ndarray:
        final, X = prepared(model, X)
        if not self.judges(model):
            raise ValueError(f"{type(final).__name__} decides without neighbours, so it has no {self.name}.")
        n_references = getattr(final, "n_samples_fit_", len(y_train))
        if n_references != len(y_train):
            raise ValueError(f"{type(final).__name__} keeps {n_references} of {len(y_train)} rows only.")
        assert self.n_neighbors is not None
        truth = y_true if isinstance(y_true, Relevance) else y_train
        k = min(self.n_neighbors(truth), n_references)
        return final.kneighbors(X, n_neighbors=k, return_distance=False)

    def __call__(self, y_true: ColumnLike | Relevance, answers: Any, y_train: ColumnLike) -> float:
        assert self.compute is not None, f"{self.name} is not computed from predictions"
        return float(self.compute(y_true, answers, y_train))

    def better(self, score: float) -> float:
        """The score, negated if smaller is better, so that larger is better for every metric."""
        return score if self.greater_is_better else -score

    def equivalence(self, baseline_scores: Sequence[float]) -> float:
        """Size of the differences from these scores that do not matter in practice.

        >>> ACCURACY.equivalence([0.8, 0.9])
        0.01
        """
        if self.bounded or not len(baseline_scores):
            return POINT
        return POINT * abs(float(np.mean(baseline_scores)))

    @property
    def factor(self) -> int:
        """What the number is multiplied by when it is printed."""
        return 100 if self.percent else 1

    def printed(self, record: Record) -> float | None:
        """The number of a record as tables print it: shares in percent."""
        value = self.read(record)
        return None if value is None else self.factor * value

    def text(self, value: float | None, *, signed: bool = False) -> str:
        """The value as people read it; a signed one is a difference."""
        if value is None or value != value:
            return "–"
        number = f"{self.factor * value:{'+' if signed else ''}.{self.decimals}f}".replace("-", "−")
        unit = (" points" if signed else " %") if self.percent else ""
        return number + unit

    def difference_text(self, difference: float) -> str:
        """The size of a difference in a sentence.

        >>> ACCURACY.difference_text(0.05), ARRMSE.difference_text(-0.05)
        ('5.0 points of accuracy', '0.050 aRRMSE')
        """
        unit = "points of " if self.percent else ""
        return f"{abs(self.factor * difference):.{self.decimals}f} {unit}{self.name}"


def last_step(model):
    """The part of a model that decides: the last step of a pipeline, or the model itself."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def stored_targets(model):
    """Labels or targets of the rows that a fitted model holds."""
    final = last_step(model)
    for name in ("labels_", "targets_"):
        if hasattr(final, name):
            return getattr(final, name)
    raise ValueError(f"{type(final).__name__} holds no labels of stored rows; give them as y_train.")


def prepared(model, X):
    """The last step of a fitted model, and the rows as it gets them."""
    for _, step in model.steps[:-1] if isinstance(model, Pipeline) else ():
        X = step.transform(X) if step not in (None, "passthrough") else X
    return last_step(model), X


def _by_answers(score: Callable[..., float], **how: Any) -> Callable[..., float]:
    """A score of scikit-learn's, which takes no training targets."""
    return lambda y_true, y_pred, y_train: score(y_true, y_pred, **how)


def _arrmse(y_true, y_pred, y_train) -> float:
    return arrmse(y_true, y_pred, np.mean(y_train, axis=0))


def _balanced_accuracy(y_true, y_pred, y_train) -> float:
    """Mean recall over the classes that these rows have."""
    right = np.asarray(y_true) == np.asarray(y_pred)
    return float(np.mean([right[y_true == label].mean() for label in np.unique(y_true)]))


def _log_loss(y_true, probabilities, y_train) -> float:
    """Mean negative logarithm of the probability given to the true class, at least 1e-15."""
    classes = np.unique(y_train)
    columns = np.searchsorted(classes, y_true)
    nearest = np.minimum(columns, len(classes) - 1)
    known = classes[nearest] == y_true
    given = np.where(known, probabilities[np.arange(len(y_true)), nearest], 0.0)
    return float(-np.mean(np.log(np.clip(given, 1e-15, 1.0))))


def _roc_auc(y_true, probabilities, y_train) -> float:
    """Area under the ROC curve of the second of two classes, or the mean of each class against the rest.

    Classes of which these rows hold none (or nothing else) have no curve and are left out.
    """
    classes = np.unique(y_train)
    chosen = [1] if len(classes) == 2 else range(len(classes))
    sides = [(y_true == classes[i], probabilities[:, i]) for i in chosen]
    areas = [roc_auc_score(side, score) for side, score in sides if side.any() and not side.all()]
    if not areas:
        raise ValueError("a fold holds rows of one class only, so it has no ROC curve; use fewer folds.")
    return float(np.mean(areas))


_macro_f1 = _by_answers(f1_score, average="macro", zero_division=0)

ACCURACY = Metric("accuracy", True, compute=_by_answers(accuracy_score), percent=True, decimals=1)
BALANCED_ACCURACY = replace(ACCURACY, name="balanced accuracy", compute=_balanced_accuracy)
MACRO_F1 = replace(ACCURACY, name="macro F1", compute=_macro_f1)
LOG_LOSS = Metric("log loss", greater_is_better=False, compute=_log_loss, needs=PROBABILITIES)
ROC_AUC = Metric("ROC AUC", greater_is_better=True, compute=_roc_auc, needs=PROBABILITIES)
ARRMSE = Metric("aRRMSE", greater_is_better=False, task=REGRESSION, compute=_arrmse)
R2 = Metric("R2", greater_is_better=True, task=REGRESSION, compute=_by_answers(r2_score))
MAE = Metric("MAE", False, task=REGRESSION, compute=_by_answers(mean_absolute_error), bounded=False)


def _ranked(name: str, score: Callable[..., float], n_neighbors: Callable[..., int]) -> Metric:
    """A score of ranked lists: rows of a query's own label are relevant, or those of a `Relevance`."""

    def compute(y_true, indices, y_train) -> float:
        given = isinstance(y_true, Relevance)
        return score(indices, y_true if given else Relevance.of_labels(y_true, y_train))

    return Metric(
        name,
        greater_is_better=True,
        compute=compute,
        needs=NEIGHBOURS,
        percent=True,
        decimals=1,
        n_neighbors=n_neighbors,
    )


def _most_relevant(truth) -> int:
    if isinstance(truth, Relevance):
        return max(int(truth.counts.max(initial=1)), 1)
    return int(np.unique(truth, return_counts=True)[1].max())


MRR = _ranked("MRR", mean_reciprocal_rank, lambda truth: MRR_LENGTH)
MAP_AT_R = _ranked("MAP@R", map_at_r, _most_relevant)
_AT_K = {
    "recall@": recall_at_k,
    "precision@": precision_at_k,
    "hit rate@": hit_rate_at_k,
    "nDCG@": ndcg_at_k,
}

#: Every metric that can rank models, by name; a new one is a line here. `metric_named` also knows those of
#: `_AT_K`, such as recall@5.
METRICS = {
    metric.name: metric
    for metric in (ACCURACY, BALANCED_ACCURACY, MACRO_F1, LOG_LOSS, ROC_AUC, MRR, MAP_AT_R, ARRMSE, R2, MAE)
}


def metric_named(name: str) -> Metric:
    """The metric of that name, whatever its case and hyphens.

    >>> metric_named("balanced-accuracy").name, metric_named("recall@5").name
    ('balanced accuracy', 'recall@5')
    """
    plain = _plain(name)
    for known, metric in METRICS.items():
        if plain == _plain(known):
            return metric
    for prefix, score in _AT_K.items():
        k = plain.removeprefix(_plain(prefix))
        if k != plain and k.isdecimal() and int(k) >= 1:
            return _at_k(prefix, score, int(k))
    known = ", ".join([*metric_names(CLASSIFICATION), *metric_names(REGRESSION)])
    raise ValueError(f"there is no metric {name!r}; known: {known}.")


@cache
def _at_k(prefix: str, score: Callable[..., float], k: int) -> Metric:
    return _ranked(f"{prefix}{k}", partial(score, k=k), lambda truth: k)


def metric_names(task: str) -> list[str]:
    """Names of the metrics for a task, as options take them.

    >>> metric_names("regression")
    ['arrmse', 'r2', 'mae']
    """
    names = [name for name, metric in METRICS.items() if metric.task == task]
    names += [f"{prefix}k" for prefix in _AT_K] if task == CLASSIFICATION else []
    return [name.lower().replace(" ", "-").replace("@k", "@K") for name in names]


def _plain(name: str) -> str:
    return "".join(sign for sign in name.lower() if sign not in " -_")
