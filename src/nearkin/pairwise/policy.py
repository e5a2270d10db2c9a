"""What tunes the engine room: its thresholds, each with its unit and the measurement behind it.

No field changes what is computed beyond the errors that README.md states: they decide how pairs are
found, how long a list is kept, and when blocks are faster. Origins in brackets are CPU times of whole fits
with the trick switched off, relative to those with it (`benchmarks/tricks.py`; tables in
docs/results/benchmarks.md), the least and the largest over its data sets. Tricks that saved less than a
tenth of a fit on every set were removed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ListPolicy:
    """How near pairs are searched, and how long and how far a list of them is kept.

    Attributes
    ----------
    block_bytes : int
        Bytes of one worker's block of full rows: bounds memory [half or twice: no difference].
    block_rows : (int, int)
        Fewest and most rows of such a block, whatever its bytes [products of 100,000 x 50 by 16 rows at a
        time: 1.27, by 64: 0.77; evaluations of 1,000 and 3,000 rows by at most 256 or 1,024: 1.00 to 1.01].
    tile_rows, tile_columns : int
        Shape of a tile that is searched as soon as it is made, while it is still in the cache: 1 MB in
        float32 [half or twice: no difference].
    rows_probed : int
        Rows by which the number of near pairs is estimated [twice: 0.93 to 1.14].
    variance_share : float
        Share of the variance held by the principal dimensions that are searched first [without them 0.97 to
        1.19; MNIST in 164 dimensions and the digits gain].
    dimension_share : float
        Share of all dimensions beyond which the principal ones are too many to be searched first [all of
        them: 1.10 for LMNN on a mixture].
    candidates_per_listed : float
        Pairs near in the principal dimensions, for each that a list may hold, beyond which all dimensions are
        searched instead [half as many: 0.93 to 1.04].
    evaluations_ahead : float
        Evaluations that a list should serve, if distances go on changing as they did [one instead of four:
        0.90 to 1.36; MEGM takes one].
    entered_share : float
        Of the pairs within the limits, the share that may have come in from the outer half of the margin
        before a new search [twice: 0.92 to 1.02; with 0.03 missing impostors ended LMNN on isolet after 16
        steps instead of 50].
    largest_margin : float
        Share of the limits beyond which no list reaches: it would be too long [zero, so that no list is kept:
        1.00 to 1.85].
    listed_per_near : float
        Pairs in a list for each one within the limits: a margin that would bring more is not taken
        [unbounded: 0.94 to 1.01, and 1.16 for NCA on the mixture from the identity].
    least_room : float
        Pairs that a list must be allowed to hold for each one within the limits: with less room there is no
        search for one with a margin, which would be in vain [always a search: 0.96 to 1.05].
    largest_listed_share : float
        Share of all pairs beyond which full blocks are faster than a list [half: 0.96 to 1.22].
    largest_listed : int
        Pairs beyond which a list takes too much memory: some 150 MB.
    """

    block_bytes: int = 12 * 2**20
    block_rows: tuple[int, int] = (32, 512)
    tile_rows: int = 256
    tile_columns: int = 1_024
    rows_probed: int = 60
    variance_share: float = 0.9
    dimension_share: float = 0.6
    candidates_per_listed: float = 2.0
    evaluations_ahead: float = 4.0
    entered_share: float = 0.005
    largest_margin: float = 0.15
    listed_per_near: float = 8.0
    least_room: float = 3.0
    largest_listed_share: float = 0.16
    largest_listed: int = 6_000_000

    def most_listed(self, n: int) -> int:
        """The longest list of pairs of n rows that is worth its making."""
        return int(min(self.largest_listed, self.largest_listed_share * n * n / 2))


@dataclass(frozen=True)
class SoftPolicy(ListPolicy):
    """When softly weighted neighbours are listed, and how many of them are left out.

    Attributes
    ----------
    neglected_share : float
        Share of a row's weights that may be left out, on average over the rows; also how far values may be
        off, relative to the larger of themselves and one [half: 0.98 to 1.65; MEGM takes
        2e-3, which changes its values on letter, MNIST and isolet by 1e-4 of themselves].
    certain_share : float
        The same in every row of an exact evaluation, were all rows just out of reach: precision, not speed.
    smallest_listed : int
        Rows below which every pair is weighed, and every value exact: to find near ones would cost as much.
    largest_listed_share : float
        As above [tiles take as long as a list of 9 % of all pairs of 10,000 x 50, 12 % of 3,000 x 50, 17 %
        of 5,000 x 200].
    largest_listed : int
        As above; more pairs are weighed without a list, which takes no longer [CPU seconds of an evaluation
        of 20,000 x 50 by a list and without: 0.44 and 0.45 with 4.3 million pairs, 1.31 and 1.01 with 14
        million].
    largest_found : int
        Near pairs beyond the longest list that are kept during an evaluation: 4 bytes each, 192 MB. Rows
        whose pairs are not kept are searched in full [0.69 and 1.40 CPU seconds where none is].
    smallest_tiled : int
        Rows from which all pairs are weighed in tiles that serve both sides, instead of in blocks of full
        rows [CPU time of an evaluation in 50 dimensions, blocks / tiles, for classes and for two real
        targets: 0.76 and 0.75 with 300 rows, 1.09 and 1.72 with 1,200, 1.18 and 2.2 with 2,000, 1.46 and 2.0
        with 20,000]. Their kernels take 2.5 seconds to compile on a new machine, which fits of fewer rows do
        not earn back.
    largest_exponent_error : float
        Error of an exponent at which float64 takes over from float32, 0.2 % of a weight: precision, not
        speed.
    """

    neglected_share: float = 1e-4
    certain_share: float = 1e-4
    smallest_listed: int = 500
    largest_listed_share: float = 0.12
    largest_listed: int = 4_000_000
    largest_found: int = 48_000_000
    smallest_tiled: int = 8_000
    largest_exponent_error: float = 2e-3

    def most_found(self, n: int) -> int:
        """The most pairs of n rows that are worth keeping during an evaluation."""
        return int(min(self.largest_found, self.largest_listed_share * n * n / 2))
