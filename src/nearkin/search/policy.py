"""What tunes a search, beyond the parameters of the indexes: thresholds with unit and origin."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class IndexPolicy:
    """Which index "auto" takes, and how FAISS partitions.

    Attributes
    ----------
    tree_dimensions, tree_references : int
        A k-d tree is taken up to so many dimensions and from so many references on. There it was clearly
        faster than blocked products (2 to 6 times on 5,000 points in 2 to 4 dimensions); in 6 it wins only
        on many points, which depends on the data too much to bet on.
    points_per_list : int
        References of an inverted list at the least, on average: FAISS's own rule.
    most_points_per_list : int
        References for each list that the partition is learned from: with so many the lists are placed as
        well as with FAISS's own 256, in a quarter of the time (`benchmarks/scale.py`).
    """

    tree_dimensions: int = 4
    tree_references: int = 5_000
    points_per_list: int = 39
    most_points_per_list: int = 64
