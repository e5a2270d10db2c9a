"""Collections that stand for rows without holding them, told apart before anybody computes them."""

from __future__ import annotations


def is_lazy(X) -> bool:
    """Whether X is a Dask collection; Dask is not imported to find out.

    >>> is_lazy([[1.0]])
    False
    """
    return hasattr(X, "__dask_graph__") and type(X).__module__.partition(".")[0].startswith("dask")


def refuse_lazy(X, who: str) -> None:
    """Raise where X is lazy: NumPy would compute it whole, in this process, without a word."""
    if is_lazy(X):
        raise TypeError(
            f"{who} was given a Dask collection, which would be computed whole in this process. Closed-form "
            "learners fit it by nearkin.scale.fit_blocks(learner, X, y). For others fit a sample, "
            "nearkin.scale.fit_sample(learner, X, y, n_rows=20_000), and embed all rows by "
            "nearkin.scale.transform_rows or move_rows. If it is small, call X.compute() yourself."
        )
