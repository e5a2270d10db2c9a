"""What estimators ask for when their rows come in blocks; `nearkin.rows_in_blocks` finds it by name."""

from __future__ import annotations

from nearkin.rows_in_blocks import in_blocks
from nearkin.scale.fit import fit_blocks
from nearkin.scale.moving import answers
from nearkin.scale.sample import fit_sample as fit_a_sample

__all__ = ["answers", "fit"]


def fit(learner, X, y, *, fit_sample: int | str | None = None, **given):
    """Fit a learner to rows in blocks, or to a sample of any rows.

    Parameters
    ----------
    learner : Learner
    X, y
        Rows, in blocks unless there is a sample to take, and their labels.
    fit_sample : int or "auto", optional
        Take so many of the rows, and fit the learner to these.
    **given
        What else the learner's `fit` was given; rows in blocks take nothing but labels.
    """
    unused = [name for name, value in given.items() if value is not None]
    if unused and in_blocks(X):
        raise TypeError(
            f"{type(learner).__name__} learns from rows in blocks by their labels only, without "
            f"{' and '.join(unused)}; give an array in memory, such as X[:]."
        )
    if fit_sample is not None:
        return fit_a_sample(learner, X, y, n_rows=fit_sample, **given)
    return fit_blocks(learner, X, y)
