"""Tuning grids, kept small so that comparisons stay quick."""

from __future__ import annotations


def component_choices(n_samples: int, n_features: int) -> list[int | None]:
    """All dimensions and, if there are enough, a small share of them.

    >>> component_choices(1000, 64), component_choices(1000, 4)
    ([None, 16], [None, 2])
    """
    few = max(2, min(n_features // 4, 32, n_samples // 4))
    return [None, few] if few < n_features else [None]


def low_rank_choices(n_samples: int, n_features: int) -> list[int]:
    """A few reductions of the number of dimensions, small enough for nested folds.

    Folds inside folds train on a part of the rows only, and a start by PCA has no more directions than rows.

    >>> low_rank_choices(1000, 64), low_rank_choices(300, 5000)
    ([16, 32], [50, 100])
    """
    spanned = min(n_features, 2 * (n_samples // 3))
    return sorted({max(1, spanned // 4), max(1, spanned // 2)})
