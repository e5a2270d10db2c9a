"""Thresholds of the descent, with their units and where their values come from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DescentPolicy:
    """When a step is long enough, and when a descent is over.

    In brackets: CPU times of whole fits with another value, relative to those with this one, the smallest and
    the largest over the data sets of `benchmarks/tricks.py`. There are no approximate Wolfe conditions and no
    restarts along the gradient: without them fits took 0.88 to 1.05 of the time and ended no worse.

    Attributes
    ----------
    sufficient_decrease : float
        Share of the decrease promised by the slope that a step must achieve (Armijo's condition; c1 of
        Nocedal & Wright, who recommend this value).
    expansion : float
        Factor by which steps grow until a minimum is bracketed [4 instead: 0.90 to 1.12].
    negligible_fall : float
        A bracket is given up once the initial slope promises less than this share of the value [never: 0.98
        to 1.06, and 2.7 for NCA on the digits from the identity, which starts near its optimum].
    budget : int
        Most evaluations in one line search: as many as SciPy allows [25 instead: no difference].
    first_step : float
        Length of the first step, when the curvature is still unknown, as a share of the length of the
        parameters; at most one. The large-margin learners use 0.1 [without: 0.99 to 1.21; 0.1 for NCA and
        MEGM: 0.85 to 1.31].
    steps_to_settle : int
        Number of steps whose gains must all be below the tolerance: one or two may be chance [with one, NCA
        on the digits ends 1.75 times as high].
    gradient_share : float
        A gradient counts as zero if its largest entry is below this share of the tolerance: gradients have
        the scale of the data, so the share is small [with one, NCA on the digits ends 1.5 times as high].
    precision_limit : float
        If a line search fails after a step that gained less than this share of the value, the precision of
        the function is exhausted, which counts as convergence. This affects warnings, not speed.
    """

    sufficient_decrease: float = 1e-4
    expansion: float = 2.5
    negligible_fall: float = 1e-9
    budget: int = 20
    first_step: float = float("inf")
    steps_to_settle: int = 4
    gradient_share: float = 1e-3
    precision_limit: float = 1e-3
