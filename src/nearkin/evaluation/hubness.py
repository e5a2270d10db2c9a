"""Hubness with labels: which hubs vote wrongly, and how much of the vote a few references hold."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from nearkin.search.hubness import Hubness, hubness_skewness, k_occurrence

__all__ = ["HubnessReport", "hubness_report", "hubness_skewness", "k_occurrence"]

TOP_SHARE = 0.01


@dataclass(frozen=True)
class HubnessReport:
    """What a set of nearest-neighbour lists says about its references.

    Attributes
    ----------
    n_queries, n_references, k : int
        Size of the neighbour lists.
    skewness : float
        Skewness of N_k; around 0 without hubs, large where hubs dominate.
    occurrence : ndarray of shape (n_references,)
        N_k of every reference.
    hubs : ndarray of int
        Rows with N_k more than two standard deviations above the mean, most frequent first.
    anti_hubs : ndarray of int
        Rows that no query has among its neighbours.
    top_share : float
        Share of all neighbour slots taken by the 1 % most frequent references.
    bad_occurrence : ndarray of shape (n_references,) or None
        How often each reference was the neighbour of a query with another label; None without labels.
    bad_share : float or None
        Share of all neighbour slots whose label disagrees with the query's.
    """

    n_queries: int
    n_references: int
    k: int
    skewness: float
    occurrence: np.ndarray
    hubs: np.ndarray
    anti_hubs: np.ndarray
    top_share: float
    bad_occurrence: np.ndarray | None = None
    bad_share: float | None = None

    @property
    def anti_hub_share(self) -> float:
        """Share of the references that no query ever finds."""
        return len(self.anti_hubs) / self.n_references

    def bad_hubs(self) -> np.ndarray:
        """Hubs that disagree with most of the queries they serve, worst (most wrong votes) first."""
        if self.bad_occurrence is None:
            raise ValueError(
                "bad hubs need labels: pass query_labels and reference_labels to hubness_report."
            )
        wrong = self.bad_occurrence[self.hubs]
        bad = self.hubs[2 * wrong > self.occurrence[self.hubs]]
        return bad[np.argsort(-self.bad_occurrence[bad], kind="stable")]

    def to_dict(self) -> dict:
        """The report in plain numbers and lists, ready for JSON."""
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in asdict(self).items()
        }


def hubness_report(indices, n_references: int, query_labels=None, reference_labels=None) -> HubnessReport:
    """Hubs, anti-hubs and wrongly voting hubs of nearest-neighbour lists.

    Parameters
    ----------
    indices : array of int, shape (n_queries, k)
        Row numbers of each query's nearest references.
    n_references : int
        Number of references searched.
    query_labels, reference_labels : array-like, optional
        Labels of the queries and of the references; both or neither.

    Examples
    --------
    >>> report = hubness_report([[0], [0], [0], [1]], 6, list("aabb"), list("abbbbb"))
    >>> report.hubs, report.anti_hubs, report.bad_share
    (array([0]), array([2, 3, 4, 5]), 0.25)
    """
    indices = np.asarray(indices)
    found = Hubness.of(indices, n_references)
    n_top = max(1, round(TOP_SHARE * n_references))
    top = np.sort(found.occurrences)[-n_top:].sum()
    bad_occurrence, bad_share = _disagreement(indices, n_references, query_labels, reference_labels)
    return HubnessReport(
        n_queries=indices.shape[0],
        n_references=int(n_references),
        k=indices.shape[1],
        skewness=found.skewness,
        occurrence=found.occurrences,
        hubs=found.hubs,
        anti_hubs=found.anti_hubs,
        top_share=float(top / max(indices.size, 1)),
        bad_occurrence=bad_occurrence,
        bad_share=bad_share,
    )


def _disagreement(indices, n_references, query_labels, reference_labels):
    if query_labels is None and reference_labels is None:
        return None, None
    if query_labels is None or reference_labels is None:
        raise ValueError("give both query_labels and reference_labels, or neither.")
    query_labels, reference_labels = np.asarray(query_labels), np.asarray(reference_labels)
    if len(query_labels) != indices.shape[0] or len(reference_labels) != n_references:
        raise ValueError(
            f"{len(query_labels)} query labels and {len(reference_labels)} reference labels do not fit "
            f"{indices.shape[0]} queries and {n_references} references."
        )
    wrong = reference_labels[indices] != query_labels[:, None]
    return np.bincount(indices[wrong], minlength=n_references), float(wrong.mean()) if wrong.size else 0.0
