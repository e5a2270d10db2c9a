"""What estimators call if their rows come in blocks; `nearkin.rows_in_blocks` finds it by name."""

from __future__ import annotations

from nearkin.rows_in_blocks import in_blocks
from nearkin.scale.embedding_rows import answers
from nearkin.scale.large_margin import fit_in_memory
from nearkin.scale.sample import fit_sample as fit_a_sample
from nearkin.scale.ways import way_of

__all__ = ["answers", "fit"]


def fit(learner, X, y, *, fit_sample: int | str | None = None, **given):
    """Fit a learner to rows in blocks, to a sample of any rows, or with lists found by FAISS.

    Parameters
    ----------
    learner : Learner
    X, y
        Rows, in blocks unless a sample is taken, and their labels.
    fit_sample : int or "auto", optional
        Fit the learner to a sample of this many rows.
    **given
        Further arguments of the learner's `fit`; with rows in blocks there may be none.
    """
    unused = [name for name, value in given.items() if value is not None]
    if unused and fit_sample is None:
        raise TypeError(
            f"{type(learner).__name__} learns from rows in blocks by their labels only, without "
            f"{' and '.join(unused)}; give an array in memory, such as X[:], and search='exact'."
        )
    if fit_sample is not None:
        return fit_a_sample(learner, X, y, n_rows=fit_sample, **given)
    if not in_blocks(X):
        # Only LMNN and LMCA hand on rows in memory.
        return fit_in_memory(learner, X, y)
    return way_of(learner, X)(learner, X, y)
