"""The kernel of a move: named as for every other learner, or in ways of old that scikit-learn computes."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from nearkin.maps import KernelMap
from nearkin.numerics.mercer import NOT_MERCER, check_kernel

#: Frames between a warning here and the caller of `fit`.
_UP_TO_FIT = 5


def kernel_options(kernel: Any, kernel_params: dict[str, Any] | None, X) -> dict[str, Any]:
    """What `CentredKernel.fit` takes besides the rows.

    Parameters
    ----------
    kernel : None, str, callable or KernelMap
    kernel_params : dict or None
        Deprecated; with them, scikit-learn computes the kernel and has its own defaults.
    X : ndarray or CSR
        The training rows; a few of them tell whether a function takes rows or sets of rows.
    """
    if kernel is None:
        kernel = "linear"
    if kernel_params is not None:
        _deprecated(
            "kernel_params is deprecated; write kernel=KernelMap(kernel='rbf', gamma=0.1), as for every "
            "other learner."
        )
        if not isinstance(kernel, KernelMap):
            return {"name": kernel, "params": kernel_params, "by_sklearn": True}
    given = kernel if isinstance(kernel, KernelMap) else KernelMap(kernel=kernel)
    name = given.kernel
    if isinstance(name, str) and name in NOT_MERCER:
        _deprecated(f"kernel={name!r} is deprecated: it is not an inner product, and distances need one.")
        return {"name": name, "params": {}, "by_sklearn": True}
    if callable(name) and not _takes_sets_of_rows(name, X):
        _check_of_two_rows(name, X)
        _deprecated(
            "a kernel function of two single rows is deprecated; as for every other learner it should take "
            "arrays of m and of n rows and return the m x n kernel values."
        )
        return {"name": name, "params": {}, "by_sklearn": True}
    params = {"gamma": given.gamma, "degree": given.degree, "coef0": given.coef0}
    return {"name": check_kernel(name), "params": params}


def _takes_sets_of_rows(function, X) -> bool:
    """Whether a kernel function takes arrays of m and n rows, and not two rows.

    The numbers of rows tried are such that a function of two rows, as `np.dot`, cannot answer by accident.
    """
    some = np.arange(4 if X.shape[1] == 3 else 3) % X.shape[0]
    try:
        return np.shape(function(X[some[:2]], X[some])) == (2, len(some))
    except Exception:
        # Whatever a function of two rows makes of matrices.
        return False


def _check_of_two_rows(function, X) -> None:
    """Raise if a function gives no number for two rows either; its own errors are passed on."""
    if not isinstance(X, np.ndarray):
        return
    shape = np.shape(function(X[0], X[-1]))
    if shape != ():
        raise ValueError(
            "the kernel function must return the m x n kernel values of arrays of m and of n rows; for two "
            f"rows it returned an array of shape {shape}."
        )


def _deprecated(message: str) -> None:
    warnings.warn(message, FutureWarning, stacklevel=_UP_TO_FIT)
