"""What tunes a fit, beyond the parameters of the learners: thresholds with unit and origin."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class CoarsePolicy:
    """When first steps are taken on a sample of the rows, and how many.

    Measured: without, whole fits of MEGM take 1.2 to 2.2 times the CPU time on digits, MNIST (3,500 rows in
    50 and 164 dimensions) and a mixture of 3,000 rows; objectives end now higher, now lower.

    Attributes
    ----------
    smallest_sampled : int
        Rows below which there is little to save [by hand].
    rows_per_sample : int
        One row in so many is taken, ... [by hand]
    smallest_sample, largest_sample : int
        ... but no fewer rows than this, and no more [by hand].
    narrow : float
        Neighbours of a row below which lists of near pairs are short and all rows take over [measured on
        letter: 40 and 20 changed nothing].
    steps_per_look : int
        Steps after which the other sample judges, and the neighbourhoods are looked at [by hand].
    most_steps : int
        Steps on the sample: where kernels stay broad, all rows must have their say [by hand].
    """

    smallest_sampled: int = 1_000
    rows_per_sample: int = 4
    smallest_sample: int = 500
    largest_sample: int = 2_000
    narrow: float = 80.0
    steps_per_look: int = 4
    most_steps: int = 15


@dataclass(frozen=True)
class EarlyStoppingPolicy:
    """How the number of steps is judged by rows that were not seen.

    Attributes
    ----------
    auto_below : int
        Samples below which "auto" stops early: with more, there is less to gain and more to pay [by hand].
    smallest_half : int
        Rows below which a half judges by chance [by hand].
    rows_judged : int
        Small data is halved again and again until about this many rows have been judged, ... [by hand]
    most_halvings : int
        ... but not more often than this [by hand].
    patience : int
        Steps without a better value on the unseen rows before a half gives up [by hand].
    largest_blow_up : float
        How many times larger than from the common start coordinates may be from a half's own [by hand].
    """

    auto_below: int = 1_000
    smallest_half: int = 10
    rows_judged: int = 1_000
    most_halvings: int = 5
    patience: int = 10
    largest_blow_up: float = 1e3


@dataclass(frozen=True)
class FitPolicy:
    """What every gradient learner shares.

    Attributes
    ----------
    float32_from : int
        Samples from which on float64 data is optimised in float32: sums over so many pairs hide the
        difference, and products take half the time and memory [by hand].
    restart_noise : float
        Size of the random change that sets restarts apart, relative to the start's entries [by hand].
    most_corrections : int
        How often a solver may go on after remembered pairs misled it [by hand].
    coarse : CoarsePolicy
    early_stopping : EarlyStoppingPolicy
    """

    float32_from: int = 1_000
    restart_noise: float = 0.5
    most_corrections: int = 3
    coarse: CoarsePolicy = field(default_factory=CoarsePolicy)
    early_stopping: EarlyStoppingPolicy = field(default_factory=EarlyStoppingPolicy)
