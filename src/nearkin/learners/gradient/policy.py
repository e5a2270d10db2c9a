"""Thresholds of gradient fits that are not parameters of the learners, with unit and origin.

In brackets: CPU times of whole fits with another value, relative to those with this one, the smallest and the
largest. For `CoarsePolicy` and `float32_from` these are fits of MEGM on digits, letter, MNIST and a mixture
(`benchmarks/tricks.py`). For the others they are fits on sets of 16 to 1,500 rows, followed by the points of
held-out 3-NN accuracy that the other value gains (`benchmarks/fit_policies.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class CoarsePolicy:
    """When first steps are taken on a sample of the rows [without: 1.23 to 1.99].

    Attributes
    ----------
    smallest_sampled : int
        Number of rows below which there is little to save.
    rows_per_sample, largest_sample : int
        One row in `rows_per_sample` is taken, but at most `largest_sample` rows [at least 500: 1.00 to 1.20].
    narrow : float
        Neighbours per row below which lists of near pairs are short, and all rows are used from then on
        [zero: 1.00 of the time, but 1.2 times the objective on 1,400 rows of segment].
    steps_per_look : int
        Steps between evaluations on the other sample and checks of the neighbourhoods [never: 0.20 to 1.40,
        with up to 15 times the objective].
    """

    smallest_sampled: int = 1_000
    rows_per_sample: int = 4
    largest_sample: int = 2_000
    narrow: float = 80.0
    steps_per_look: int = 4


@dataclass(frozen=True)
class EarlyStoppingPolicy:
    """How the number of steps is chosen on unseen rows (MEGM, NCMML and MoLMNN).

    Attributes
    ----------
    auto_below : int
        Number of samples below which "auto" stops early: with more there is less to gain, and halves are
        expensive [half: 0.83 to 4.77, 0.0 to +1.3; twice: 0.81 to 0.95, -0.1 to +0.1].
    smallest_half : int
        Rows that a half needs to do better than chance [half, on 16 rows: 6.1, -2.2; twice, on 30 rows: 0.09,
        +0.5].
    rows_judged : int
        Small data are halved repeatedly until about this many unseen rows have been evaluated [half: 0.53 to
        0.66, -0.5 to +0.6; twice: 1.20 to 2.46, -0.8 to +0.2] ...
    most_halvings : int
        ... but at most this often [half: 0.42 to 0.52, +0.1 to +0.6; twice: 1.21 to 2.00, +0.2].
    patience : int
        Steps without a better value on the unseen rows after which a half stops [half: 0.70 to 0.81, -0.6 to
        0.0; twice: 1.32 to 1.49, 0.0].
    largest_blow_up : float
        A half's own start is rejected if its coordinates are this many times larger than from the common
        start: a guard against features that are constant in one half [half and twice: no fit changes].
    """

    auto_below: int = 1_000
    smallest_half: int = 10
    rows_judged: int = 1_000
    most_halvings: int = 5
    patience: int = 10
    largest_blow_up: float = 1e3


@dataclass(frozen=True)
class RefreshPolicy:
    """How targets are chosen again under the distance learned so far (LMNN).

    Attributes
    ----------
    most : int
        How often, at most, "auto" chooses them again [once: 0.56 to 0.89, -1.3 to +1.1; twice as often: 1.20
        to 1.65, -1.3 to +0.7].
    never_from : int
        Number of samples from which "auto" never chooses them again, because fits of so many are expensive
        [three times on 5,000 rows of letter and MNIST and on 10,000 of letter: 2.1 to 2.9, -0.4 to +1.6].
    rough_tol : float
        Tolerance of a fit whose targets will be chosen again [half: 0.86 to 1.11, -1.3 to +0.4; twice: 0.87
        to 1.02, -0.8 to +0.2].
    """

    most: int = 3
    never_from: int = 5_000
    rough_tol: float = 1e-3


@dataclass(frozen=True)
class FitPolicy:
    """What every gradient learner shares.

    Attributes
    ----------
    float32_from : int
        Number of samples from which float64 data are optimised in float32: in sums over that many pairs the
        difference is negligible, and products take half the time and memory [never: 1.23 to 2.02].
    coarse : CoarsePolicy
    early_stopping : EarlyStoppingPolicy
    refresh : RefreshPolicy
    """

    float32_from: int = 1_000
    coarse: CoarsePolicy = field(default_factory=CoarsePolicy)
    early_stopping: EarlyStoppingPolicy = field(default_factory=EarlyStoppingPolicy)
    refresh: RefreshPolicy = field(default_factory=RefreshPolicy)
