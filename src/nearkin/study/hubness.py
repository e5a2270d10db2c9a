"""Hubness of held-out rows under a model's distance."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
from sklearn.base import clone

from nearkin._types import Estimator
from nearkin.datasets import DataNotice, Dataset
from nearkin.evaluation import Hubness
from nearkin.evaluation.protocols import folds_for
from nearkin.report.held_out import first_target
from nearkin.report.look import class_namer


def hubness_by_folds(
    model: Estimator, data: Dataset, *, k: int = 10, n_folds: int = 5, seed: int = 0
) -> Hubness:
    """Hubness of the rows of `data` under the model's distance, every row a query of its fold.

    Parameters
    ----------
    model : pipeline
        Unfitted, its last step a predictor with `kneighbors`, as `make_model` makes it.
    data : Dataset
    k : int
        Length of the neighbour lists.
    n_folds, seed : int
        Each row is a query once, among references that the model was fitted on without it.
    """
    classification = data.task == "classification"
    neighbours = np.empty((data.n_samples, k), dtype=np.int64)
    for split in folds_for(data.task, n_folds).splits(data.y, seed):
        references = data.take(split.train)
        fitted = clone(model).fit(references.X, references.y)
        with warnings.catch_warnings():
            # Categories that the training rows of a fold lack are of no interest here.
            warnings.simplefilter("ignore", DataNotice)
            queries = fitted[:-1].transform(data.take(split.test).X)
        _, indices = fitted.steps[-1][1].kneighbors(queries, n_neighbors=k)
        neighbours[split.test] = split.train[indices]
    labels, name = first_target(data.y), class_namer(data.y, data.class_names)
    both = (labels, labels) if classification else ()
    return replace(Hubness.of(neighbours, data.n_samples, *both), labels=np.asarray(name(labels)))
