"""The work behind `nearkin hubness`: neighbour lists of held-out rows."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import clone

from nearkin.cli.errors import CommandError
from nearkin.cli.viewing import class_namer, first_target
from nearkin.datasets import DataNotice
from nearkin.evaluation import Folds, StratifiedFolds
from nearkin.report.look import hubness_view
from nearkin.report.views import HubnessView


def measured(name: str, model, data, *, k: int, n_folds: int, seed: int) -> HubnessView:
    """Hubness of the rows of `data` under the model's distance, every row a query of its fold."""
    classification = data.task == "classification"
    folds = (StratifiedFolds if classification else Folds)(n_folds)
    neighbours = np.empty((data.n_samples, k), dtype=np.int64)
    for split in folds.splits(data.y, seed):
        if k > len(split.train):
            raise CommandError(
                f"--k {k} is more than the {len(split.train)} references of a fold; choose a smaller one."
            )
        fitted = clone(model).fit(data.take(split.train).X, data.y[split.train])
        with warnings.catch_warnings():
            # That a fold holds categories its training rows lack is of no interest here.
            warnings.simplefilter("ignore", DataNotice)
            queries = fitted[:-1].transform(data.take(split.test).X)
        _, indices = fitted.steps[-1][1].kneighbors(queries, n_neighbors=k)
        neighbours[split.test] = split.train[indices]
    return hubness_view(
        name,
        neighbours,
        np.arange(data.n_samples),
        first_target(data.y),
        name_of=class_namer(data.y, data.class_names),
        categorical=classification,
    )
