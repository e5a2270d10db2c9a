"""Hubs: references that turn up in far too many nearest-neighbour lists, and those that never do."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

# A reference counts as a hub this many standard deviations above the mean k-occurrence.
HUB_THRESHOLD_SD = 2.0
TOP_SHARE = 0.01


def k_occurrence(indices, n_references: int) -> np.ndarray:
    """How often each reference is among the k nearest of the queries: N_k of shape (n_references,).

    Parameters
    ----------
    indices : array of int, shape (n_queries, k)
        Row numbers of each query's nearest references.
    n_references : int
        Number of references searched, found or not.

    Examples
    --------
    >>> k_occurrence([[0, 2], [2, 1], [2, 0]], n_references=4)
    array([2, 1, 3, 0])
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


def _skewness(counts: np.ndarray) -> float:
    centred = counts - counts.mean()
    variance = float(np.mean(centred**2))
    if variance == 0.0:
        return 0.0
    return float(np.mean(centred**3) / variance**1.5)


def hubness_skewness(indices, n_references: int) -> float:
    """Skewness of the k-occurrence distribution: near 0 without hubs, large where hubs dominate.

    Population moments over all references, ``mean((N_k - mean N_k)**3) / var(N_k)**1.5`` [1]_.
    If every reference is found equally often the skewness is 0.0.

    Parameters
    ----------
    indices : array of int, shape (n_queries, k)
        Row numbers of each query's nearest references; k = 10 in the literature.
    n_references : int
        Number of references searched, found or not.

    References
    ----------
    .. [1] Y. Shigeto, M. Shimbo, Y. Matsumoto, "A fast and easy regression technique for k-NN
       classification without using negative pairs", PAKDD 2017.

    Examples
    --------
    >>> hubness_skewness([[0], [0], [0], [1]], n_references=4)
    0.816...
    >>> hubness_skewness([[0], [1]], n_references=2)
    0.0
    """
    return _skewness(k_occurrence(indices, n_references).astype(float))


@dataclass(frozen=True)
class HubnessReport:
    """What a set of nearest-neighbour lists says about its references.

    Attributes
    ----------
    n_queries, n_references, k : int
        Size of the neighbour lists.
    skewness : float
        Skewness of N_k, see `hubness_skewness`.
    occurrence : ndarray of shape (n_references,)
        N_k of every reference.
    hubs : ndarray of int
        Rows with N_k of at least the mean plus two standard deviations, most frequent first.
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
    occurrence = k_occurrence(indices, n_references)
    threshold = occurrence.mean() + HUB_THRESHOLD_SD * occurrence.std()
    by_frequency = np.argsort(-occurrence, kind="stable")
    is_hub = (occurrence[by_frequency] >= threshold) & (occurrence[by_frequency] > occurrence.mean())
    n_top = max(1, round(TOP_SHARE * n_references))
    bad_occurrence, bad_share = _disagreement(indices, n_references, query_labels, reference_labels)
    return HubnessReport(
        n_queries=indices.shape[0],
        n_references=int(n_references),
        k=indices.shape[1],
        skewness=_skewness(occurrence.astype(float)),
        occurrence=occurrence,
        hubs=by_frequency[is_hub],
        anti_hubs=np.flatnonzero(occurrence == 0),
        top_share=float(occurrence[by_frequency[:n_top]].sum() / max(indices.size, 1)),
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
