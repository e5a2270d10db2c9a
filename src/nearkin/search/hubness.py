"""Hubs: references that are neighbours of too many queries."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from nearkin._types import ColumnLike

#: Share of the references, the most frequent ones, that `Hubness.top_share` looks at.
TOP_SHARE = 0.01
#: Keys of `Hubness.largest` in the first release.
OLD_KEYS = {"count": "occurrences", "bad": "bad_occurrences"}


def k_occurrence(indices: np.ndarray, n_references: int) -> np.ndarray:
    """N_k: how often each reference is in the neighbour lists.

    >>> k_occurrence(np.array([[0, 1], [0, 2]]), 4)
    array([2, 1, 1, 0])
    """
    indices = np.asarray(indices)
    if indices.ndim != 2 or not np.issubdtype(indices.dtype, np.integer):
        raise ValueError(
            f"indices must be a 2-D array of row numbers (queries x neighbours), got shape {indices.shape} "
            f"of {indices.dtype}."
        )
    if n_references < 1:
        raise ValueError(f"n_references={n_references}: there must be at least one reference.")
    if indices.size and not (indices.min() >= 0 and indices.max() < n_references):
        raise ValueError(
            f"indices run from {indices.min()} to {indices.max()}, but n_references={n_references} allows "
            f"0 to {n_references - 1}."
        )
    return np.bincount(indices.ravel(), minlength=n_references)


def hubness_skewness(indices: np.ndarray, n_references: int) -> float:
    """Skewness of the N_k distribution, with population moments; 0 if every N_k is the same.

    Parameters
    ----------
    indices : ndarray of shape (n_queries, k)
        Neighbour lists: row numbers of references.
    n_references : int
        Number of references, including those in no list.

    References
    ----------
    Radovanovic, Nanopoulos, Ivanovic (2010). Hubs in space. JMLR 11.

    Examples
    --------
    >>> round(hubness_skewness(np.array([[0], [0], [0], [1]]), 3), 4)
    0.3818
    """
    return _skewness(k_occurrence(indices, n_references))


def _skewness(counts: np.ndarray) -> float:
    centred = counts - counts.mean()
    variance = np.mean(centred**2)
    return float(np.mean(centred**3) / variance**1.5) if variance > 0 else 0.0


class _Hub(dict[str, Any]):
    """A reference of `Hubness.largest`; the keys of the first release still answer, with a warning."""

    def __missing__(self, key: str) -> Any:
        new = OLD_KEYS.get(key, "")
        if new not in self:
            raise KeyError(key)
        warnings.warn(f"{key!r} of Hubness.largest is now {new!r}.", FutureWarning, stacklevel=2)
        return self[new]


@dataclass(frozen=True, eq=False)
class Hubness:
    """How often each reference is a neighbour of a query, and the summary statistics of that.

    Parameters
    ----------
    k : int
        Length of the neighbour lists.
    n_queries : int
    occurrences : ndarray of shape (n_references,)
        N_k: the number of lists that contain each reference.
    bad_occurrences : ndarray of shape (n_references,) or None
        The number of those whose query has another label; None if labels are unknown or real numbers.
    labels : ndarray of shape (n_references,) or None
        Labels of the references.

    Examples
    --------
    >>> found = Hubness.of([[0], [0], [0], [1]], 6, list("aabb"), list("abbbbb"))
    >>> found.hubs, found.anti_hubs, found.bad_share
    (array([0]), array([2, 3, 4, 5]), 0.25)
    """

    k: int
    n_queries: int
    occurrences: np.ndarray
    bad_occurrences: np.ndarray | None = None
    labels: np.ndarray | None = None

    @classmethod
    def of(
        cls,
        indices: np.ndarray,
        n_references: int,
        query_labels: ColumnLike | None = None,
        reference_labels: ColumnLike | None = None,
    ) -> Hubness:
        """From neighbour lists.

        Parameters
        ----------
        indices : array of int, shape (n_queries, k)
            Row numbers of each query's nearest references.
        n_references : int
            Number of references searched.
        query_labels, reference_labels : array-like, optional
            Labels of the queries and of the references; both or neither.
        """
        indices = np.asarray(indices)
        occurrences = k_occurrence(indices, n_references)
        bad = _bad_occurrences(indices, n_references, query_labels, reference_labels)
        labels = None if reference_labels is None else np.asarray(reference_labels)
        return cls(indices.shape[1], indices.shape[0], occurrences, bad, labels)

    @property
    def n_references(self) -> int:
        return len(self.occurrences)

    @property
    def skewness(self) -> float:
        """Skewness of N_k: around 0 there are no hubs, above 1 to 2 there are marked hubs."""
        return _skewness(self.occurrences)

    @property
    def hubs(self) -> np.ndarray:
        """References with N_k more than two standard deviations above the mean, most frequent first."""
        counts = self.occurrences
        by_count = np.argsort(-counts, kind="stable")
        return by_count[counts[by_count] > counts.mean() + 2 * counts.std()]

    @property
    def anti_hubs(self) -> np.ndarray:
        """References that are a neighbour of no query."""
        return np.flatnonzero(self.occurrences == 0)

    @property
    def anti_hub_share(self) -> float:
        """Share of the references that are a neighbour of no query."""
        return len(self.anti_hubs) / self.n_references

    @property
    def top_share(self) -> float:
        """Share of all neighbour slots taken by the 1 % most frequent references."""
        n_top = max(1, round(TOP_SHARE * self.n_references))
        return float(np.sort(self.occurrences)[-n_top:].sum() / max(self.k * self.n_queries, 1))

    @property
    def bad_share(self) -> float | None:
        """Share of all neighbour slots whose label disagrees with the query's; None without labels."""
        if self.bad_occurrences is None:
            return None
        return float(self.bad_occurrences.sum() / max(self.k * self.n_queries, 1))

    def bad_hubs(self) -> np.ndarray:
        """Hubs that disagree with most queries they are neighbours of; most wrong votes first."""
        if self.bad_occurrences is None:
            raise ValueError("bad hubs need labels: pass query_labels and reference_labels to Hubness.of.")
        hubs = self.hubs
        bad = hubs[2 * self.bad_occurrences[hubs] > self.occurrences[hubs]]
        return bad[np.argsort(-self.bad_occurrences[bad], kind="stable")]

    def largest(self, n: int) -> list[dict[str, Any]]:
        """The most frequent references, largest first.

        Each has its `row` and `occurrences`, and its `label` and `bad_occurrences` where they are known.
        """
        found: list[dict[str, Any]] = []
        for row in np.argsort(-self.occurrences, kind="stable")[:n].tolist():
            hub = _Hub(row=row, occurrences=int(self.occurrences[row]))
            if self.labels is not None:
                hub["label"] = np.asarray(self.labels)[row].tolist()
            if self.bad_occurrences is not None:
                hub["bad_occurrences"] = int(self.bad_occurrences[row])
            found.append(hub)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and lists, ready for JSON."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in values.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Hubness:
        """The inverse of `to_dict`."""
        values: dict[str, Any] = {
            name: np.asarray(v) if isinstance(v, list) else v for name, v in data.items()
        }
        return cls(**values)


def _bad_occurrences(
    indices: np.ndarray,
    n_references: int,
    query_labels: ColumnLike | None,
    reference_labels: ColumnLike | None,
) -> np.ndarray | None:
    if query_labels is None and reference_labels is None:
        return None
    if query_labels is None or reference_labels is None:
        raise ValueError("give both query_labels and reference_labels, or neither.")
    query_labels, reference_labels = np.asarray(query_labels), np.asarray(reference_labels)
    if len(query_labels) != indices.shape[0] or len(reference_labels) != n_references:
        raise ValueError(
            f"{len(query_labels)} query labels and {len(reference_labels)} reference labels do not fit "
            f"{indices.shape[0]} queries and {n_references} references."
        )
    wrong = reference_labels[indices] != query_labels[:, None]
    return np.bincount(indices[wrong], minlength=n_references)
