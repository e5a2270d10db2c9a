"""Settings worth trying, kept few so that comparisons stay quick."""

from __future__ import annotations


def component_choices(n_samples: int, n_features: int) -> list[int | None]:
    """All dimensions and, where there are enough, a small share of them.

    >>> component_choices(1000, 64), component_choices(1000, 4)
    ([None, 16], [None, 2])
    """
    few = max(2, min(n_features // 4, 32, n_samples // 4))
    return [None, few] if few < n_features else [None]


def low_rank_choices(n_samples: int, n_features: int) -> list[int]:
    """A few true reductions of the number of dimensions, which a third of the rows still span.

    Folds inside folds train on about that many, and a start by PCA has no more directions than rows.

    >>> low_rank_choices(1000, 64), low_rank_choices(300, 5000)
    ([16, 32], [50, 100])
    """
    spanned = min(n_features, 2 * (n_samples // 3))
    return sorted({max(1, spanned // 4), max(1, spanned // 2)})
