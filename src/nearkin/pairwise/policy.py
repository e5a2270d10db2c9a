"""What tunes the engine room: every threshold, with its unit and where its value comes from.

No field changes what is computed beyond the errors that README.md states: they decide how pairs are
found, how long a list is kept, and when blocks are faster. Origins in brackets: *measured* gives the CPU
time of whole fits without the trick, as a ratio to that with it (digits, 3,500 rows of MNIST in 50 or 164
principal dimensions, 5,000 rows of letter, 3,000 of a Gaussian mixture), or names the sets on which other
values were less exact; *by hand* says how the value was found. What half and twice of each value do to whole
fits is in docs/results/benchmarks.md. Ratios are of the better of two runs each on a busy machine:
differences below 0.1 mean nothing, those below 0.2 little.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SearchPolicy:
    """How blocks of inner products are cut and searched for near pairs.

    Attributes
    ----------
    block_bytes : int
        Bytes of one worker's block of full rows [by hand: a few times the cache of a core].
    tile_rows, tile_columns : int
        Shape of a tile that is searched as soon as it is made, while it is still in the cache: 1 MB in
        float32 [by hand].
    look_cost : float
        Multiply-adds that looking at one inner product is worth, to decide on threads [by hand].
    pair_cost : float
        Multiply-adds that visiting one listed pair is worth: one thread for up to 150,000 pairs [measured:
        a second one takes 0.16 ms to wake].
    unevenness : float
        How many times its share of the allowed pairs a stretch of rows may hold before the search gives
        up on all of them [measured: saves no time, but without it a search in vain takes twice the memory].
    fewest_dimensions : int
        Dimensions from which on principal ones are searched first [by hand; measured: without them LMNN on
        MNIST takes 1.21 in 164 dimensions, in 50 LMNN 0.94 and NCA 1.09].
    variance_share : float
        Share of the variance that the principal dimensions hold at first; halfway to one after each search
        that was misled [by hand].
    largest_kept_share : float
        Share of the dimensions beyond which all are searched at once [by hand].
    most_false_candidates : float
        Candidates per true pair (and one for every row) beyond which a search was misled [by hand].
    searches_per_basis : int
        Searches after which the principal dimensions are found anew [by hand].
    rows_probed : int
        Rows by which the number of near pairs is estimated [by hand].
    """

    block_bytes: int = 12 * 2**20
    tile_rows: int = 256
    tile_columns: int = 1_024
    look_cost: float = 30.0
    pair_cost: float = 400.0
    unevenness: float = 16.0
    fewest_dimensions: int = 32
    variance_share: float = 0.9
    largest_kept_share: float = 0.6
    most_false_candidates: float = 6.0
    searches_per_basis: int = 8
    rows_probed: int = 60


@dataclass(frozen=True)
class ListPolicy:
    """How long a list of near pairs is kept, and how far beyond the limits it reaches.

    Attributes
    ----------
    search : SearchPolicy
    evaluations_ahead : float
        Evaluations that a list should serve, if distances go on changing as they did [by hand; MEGM takes
        1].
    entered_share : float
        Of the pairs within the limits, the share that may have come in from the outer half of the margin
        before a new search [lowered from 0.03 when missing impostors had ended LMNN on isolet after 16 steps
        instead of 50; MEGM takes 0.01].
    smallest_change : float
        Least change per evaluation that is planned for, as a share of the limits [by hand].
    largest_margin : float
        Share of the limits beyond which no list reaches: it would be too long [by hand; measured: without,
        1.35 for LMNN and MNIST in 164 dimensions, 1.12 for NCA in 50; without any margin, so that no list is
        kept, 1.1 to 1.6 everywhere but on the mixture].
    largest_fall : float
        Factor by which the pairs within the limits may fall before a shorter list is made [by hand; measured:
        without, LMNN on MNIST takes 1.14 in 164 dimensions].
    oldest : int
        Evaluations after which a list is made anew whatever its pairs say, as a pair from far outside may
        pass the outer half unseen [by hand; measured: without, LMNN on MNIST takes 1.22 in 50 dimensions].
    """

    search: SearchPolicy = field(default_factory=SearchPolicy)
    evaluations_ahead: float = 4.0
    entered_share: float = 0.005
    smallest_change: float = 0.005
    largest_margin: float = 0.15
    largest_fall: float = 3.0
    oldest: int = 10


@dataclass(frozen=True)
class SoftPolicy:
    """When softly weighted neighbours are listed, and how many of them are left out.

    Attributes
    ----------
    lists : ListPolicy
    neglected_share : float
        Share of a row's weights that may be left out, on average over the rows; also how far values may be
        off, relative to the larger of themselves and one [by hand; MEGM takes 2e-3, measured on letter, MNIST
        and isolet to change its values by 1e-4 of themselves].
    certain_share : float
        The same in every row of an exact evaluation, were all rows just out of reach [by hand].
    steps_per_unit : int
        Bins per unit of the exponent in which the reach is measured [by hand].
    smallest_listed : int
        Rows below which every pair is weighed: finding the near ones costs as much [by hand].
    largest_listed_share : float
        Share of all pairs beyond which full blocks are faster than a list [by hand].
    largest_listed : int
        Pairs beyond which full blocks take less memory [by hand: 6 million pairs are some 150 MB].
    largest_streamed_share : float
        Near rows of a row, as a share of all, up to which longer lists are made for a few rows at a time and
        forgotten; beyond, full blocks are faster [measured on 40,000 x 50: 2.0 CPU seconds + 69 times the
        share, full blocks 8.7].
    mutual : float
        Listed pairs per neighbour within reach, between 1/2 (all mutual) and 1 [by hand; measured: without
        this look ahead NCA takes 13 on the mixture, MEGM 1.13 on MNIST in 164 dimensions].
    evaluations_per_reach : int
        Evaluations after which the reach is measured anew: neighbourhoods sharpen [by hand; measured: every
        time, NCA on MNIST takes 1.33, as values jump].
    largest_exponent_error : float
        Error of an exponent at which float64 takes over from float32 [by hand: 0.2 % of a weight].
    """

    lists: ListPolicy = field(default_factory=ListPolicy)
    neglected_share: float = 1e-4
    certain_share: float = 1e-4
    steps_per_unit: int = 4
    smallest_listed: int = 500
    largest_listed_share: float = 0.16
    largest_listed: int = 6_000_000
    largest_streamed_share: float = 0.08
    mutual: float = 0.7
    evaluations_per_reach: int = 10
    largest_exponent_error: float = 2e-3


@dataclass(frozen=True)
class HingePolicy:
    """When impostors are listed.

    Attributes
    ----------
    lists : ListPolicy
    largest_listed_share : float
        Share of all pairs beyond which full blocks are faster than a list [by hand].
    largest_listed_per_row : float
        Pairs per row beyond which full blocks take less memory [by hand].
    always_listed : int
        Pairs that may be listed however few the rows are [by hand].
    """

    lists: ListPolicy = field(default_factory=ListPolicy)
    largest_listed_share: float = 0.1
    largest_listed_per_row: float = 250.0
    always_listed: int = 1_000
