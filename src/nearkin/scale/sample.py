"""Learners that need their rows in memory, fitted on a sample of rows that are not."""

from __future__ import annotations

from functools import partial

import numpy as np

from nearkin.scale.fit import sample_quotas, source_of
from nearkin.scale.row_hash import hash_bounds
from nearkin.scale.source import Progress
from nearkin.scale.statistics import Candidates


def fit_sample(learner, rows, labels, *, n_rows: int = 20_000, progress: Progress | None = None):
    """Fit any learner on rows taken from all classes in proportion; then embed all rows by blocks.

    Parameters
    ----------
    learner : estimator
        Any with ``fit(X, y)``, predictors and pipelines too; fitted in place.
    rows, labels
        As for `fit_blocks`; labels of classes.
    n_rows : int, default=20000
        Rows of the sample, about: a class gives its share of them, and two rows at least. They are chosen by
        a hash of the row number: the same ones from any cut into blocks.
    progress : callable, optional
        As for `fit_blocks`.

    Returns
    -------
    learner

    Notes
    -----
    One pass over the rows; memory of a few blocks and the sample, and what the learner itself needs.

    Examples
    --------
    >>> import nearkin
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> lfda = fit_sample(nearkin.LFDA(n_components=5), X, y, n_rows=300)
    >>> nearkin.scale.transform_rows(lfda, X).shape
    (1797, 5)
    """
    if n_rows < 2:
        raise ValueError(f"n_rows={n_rows}: expected at least 2.")
    source = source_of(rows, labels, progress=progress)
    quotas = sample_quotas(source.sizes, n_rows)
    bounds = hash_bounds(source.sizes, quotas)
    sample = source.total(
        partial(Candidates.of, most=quotas, bounds=bounds), partial(Candidates.joined, most=quotas), "sample"
    )
    X = sample.rows
    if source.names is not None:
        import pandas as pd

        X = pd.DataFrame(X, columns=source.names)
    return learner.fit(X, np.asarray(source.classes)[sample.codes])
