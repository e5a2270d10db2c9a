"""Thresholds of searches beyond the parameters of the indexes, with unit and origin."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class IndexPolicy:
    """Which index "auto" takes, and how FAISS partitions.

    Attributes
    ----------
    tree_dimensions, tree_references : int
        "auto" takes a k-d tree for at most this many dimensions and at least this many references. There it
        was clearly faster than blocked products (2 to 6 times on 5,000 points in 2 to 4 dimensions); in 6
        dimensions it is faster only for many points, and how many depends on the data.
    points_per_list : int
        Smallest average number of references in an inverted list: FAISS's own rule.
    most_points_per_list : int
        References per list that the partition is learned from: the lists are as good as with FAISS's own
        256, in a quarter of the time (`benchmarks/scale.py`).
    """

    tree_dimensions: int = 4
    tree_references: int = 5_000
    points_per_list: int = 39
    most_points_per_list: int = 64
