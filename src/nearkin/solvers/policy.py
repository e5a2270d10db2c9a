"""What tunes the descent: every threshold, with its unit and where its value comes from."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class LineSearchPolicy:
    """When a step along a direction is long enough, and when none is worth looking for.

    Attributes
    ----------
    sufficient_decrease : float
        Share of the decrease that the slope promises which a step must bring (Armijo's condition;
        c1 of Nocedal & Wright, who recommend this value).
    value_precision : float
        Relative error of values, those of a function that leaves out what hardly matters: within it the
        approximate Wolfe conditions decide by slopes (epsilon of Hager & Zhang; five times what NCA
        leaves out). Not for speed: fits take as long without it.
    largest_uphill_slope : float
        How steep, compared with the start, it may go up at a point accepted by its slope (one less twice
        the delta of Hager & Zhang, who recommend a delta of 0.1).
    expansion : float
        Factor by which steps grow until a minimum is bracketed [by hand].
    largest_step : float
    negligible_fall : float
        Share of the value: a bracket in which the first slope leads down by less is given up [by hand].
    budget : int
        Evaluations in one search [by hand; SciPy's allows 20].
    """

    sufficient_decrease: float = 1e-4
    value_precision: float = 5e-4
    largest_uphill_slope: float = 0.8
    expansion: float = 2.5
    largest_step: float = 1e10
    negligible_fall: float = 1e-9
    budget: int = 25


@dataclass(frozen=True)
class DescentPolicy:
    """When a descent has come to its end.

    Attributes
    ----------
    line_search : LineSearchPolicy
    first_step : float
        Length of the first step, in which nothing is known of the curvature, as a share of that of the
        parameters; at most one. The large-margin learners take 0.1 [measured: LMNN passes an objective of 4.6
        on a mixture of 9,234 x 300 after 6 evaluations, after 15 with a step of one, after 8 with 0.03].
    steps_to_settle : int
        Steps that together must have gained less than the tolerance for each: one or two may be
        chance [measured on MNIST in 164 dimensions: with fewer, NCA stopped at .0128 instead of .0106].
    smallest_tol : float
        Relative changes below this are not told from rounding, whatever the tolerance asks.
    gradient_share : float
        A gradient vanishes where its largest entry is below the tolerance times this: it has the scale of
        the data, so a value well below the tolerance is asked for [by hand].
    precision_limit : float
        A line search that fails after steps that gained less than this share of the value has met the
        precision of the function, which counts as convergence [by hand].
    most_restarts : int
        How often to forget the directions where nothing lower is found although the last steps helped: the
        values of a function that remembers or estimates some of its parts do not quite fit together
        [by hand].
    """

    line_search: LineSearchPolicy = field(default_factory=LineSearchPolicy)
    first_step: float = float("inf")
    steps_to_settle: int = 4
    smallest_tol: float = 1e-8
    gradient_share: float = 1e-3
    precision_limit: float = 1e-3
    most_restarts: int = 5
