"""Metrics: numbers that judge a model, each with its direction, its formula and how it is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import accuracy_score

from nearkin.evaluation.regression_error import arrmse

if TYPE_CHECKING:
    from nearkin.evaluation.tasks import Record

CLASSIFICATION = "classification"
REGRESSION = "regression"
#: Methods of an estimator whose answers a metric may judge.
PREDICTIONS = "predict"
PROBABILITIES = "predict_proba"


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
        From true targets, the model's answers and the training targets to the number. A metric
        without one cannot rank models; it is only read off their records.
    needs : {"predict", "predict_proba"}
        The method of a model whose answers are judged.
    percent : bool
        Whether the number is a share, which people read in percent.
    decimals : int
        Digits shown after the point.
    read : callable
        From a record to the number; by default the record's score.

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
    percent: bool = False
    decimals: int = 3
    read: Callable[[Record], float | None] = attrgetter("score")

    def score(self, model, X, y_true, y_train) -> float:
        """The score of a fitted model on rows that it has not seen."""
        return self(y_true, getattr(model, self.needs)(X), y_train)

    def __call__(self, y_true, answers, y_train) -> float:
        assert self.compute is not None, f"{self.name} is not computed from predictions"
        return float(self.compute(y_true, answers, y_train))

    def better(self, score: float) -> float:
        """The score turned so that larger is better."""
        return score if self.greater_is_better else -score

    @property
    def factor(self) -> int:
        """From the number to how it is printed."""
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

    def gain_text(self, difference: float) -> str:
        """The size of a difference in a sentence.

        >>> ACCURACY.gain_text(0.05), ARRMSE.gain_text(-0.05)
        ('5.0 points of accuracy', '0.050 aRRMSE')
        """
        unit = "points of " if self.percent else ""
        return f"{abs(self.factor * difference):.{self.decimals}f} {unit}{self.name}"


def _accuracy(y_true, y_pred, y_train) -> float:
    return accuracy_score(y_true, y_pred)


def _arrmse(y_true, y_pred, y_train) -> float:
    return arrmse(y_true, y_pred, np.mean(y_train, axis=0))


ACCURACY = Metric("accuracy", greater_is_better=True, compute=_accuracy, percent=True, decimals=1)
ARRMSE = Metric("aRRMSE", greater_is_better=False, task=REGRESSION, compute=_arrmse)

#: Every metric that can rank models, by name; a new one is a line here.
METRICS = {metric.name: metric for metric in (ACCURACY, ARRMSE)}
