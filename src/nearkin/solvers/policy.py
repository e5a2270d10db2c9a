"""What tunes the descent: every threshold, with its unit and where its value comes from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DescentPolicy:
    """When a step is long enough, and when a descent has come to its end.

    Origins in brackets are CPU times of whole fits with another value, relative to those with this one, the
    least and the largest over the data sets of `benchmarks/tricks.py`. Approximate Wolfe conditions and
    restarts along the gradient have gone: without them fits took 0.88 to 1.05 of the time and ended no worse.

    Attributes
    ----------
    sufficient_decrease : float
        Share of the decrease that the slope promises which a step must bring (Armijo's condition;
        c1 of Nocedal & Wright, who recommend this value).
    expansion : float
        Factor by which steps grow until a minimum is bracketed [4 instead: 0.90 to 1.12].
    negligible_fall : float
        Share of the value: a bracket in which the first slope leads down by less is given up [never: 0.98 to
        1.06, and 2.7 for NCA on the digits from the identity, which begins near its optimum].
    budget : int
        Evaluations in one search: as many as SciPy's allows [25 instead: no difference].
    first_step : float
        Length of the first step, in which nothing is known of the curvature, as a share of that of the
        parameters; at most one. The large-margin learners take 0.1 [without: 0.99 to 1.21; 0.1 for NCA and
        MEGM: 0.85 to 1.31].
    steps_to_settle : int
        Steps that together must have gained less than the tolerance for each: one or two may be
        chance [with one, NCA on the digits ends 1.75 times as high].
    gradient_share : float
        A gradient vanishes where its largest entry is below the tolerance times this: it has the scale of
        the data, so a value well below the tolerance is asked for [with one, NCA on the digits ends 1.5 times
        as high].
    precision_limit : float
        A line search that fails after steps that gained less than this share of the value has met the
        precision of the function, which counts as convergence: a matter of warnings, not of speed.
    """

    sufficient_decrease: float = 1e-4
    expansion: float = 2.5
    negligible_fall: float = 1e-9
    budget: int = 20
    first_step: float = float("inf")
    steps_to_settle: int = 4
    gradient_share: float = 1e-3
    precision_limit: float = 1e-3
