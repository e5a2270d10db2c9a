"""Hinges of impostors against the reach of each row's targets, by a list of near pairs or by full blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from nearkin.pairwise.lists import PairMemory
from nearkin.pairwise.policy import ListPolicy
from nearkin.pairwise.row_blocks import row_block_gradient
from nearkin.pairwise.search import Found, centred, class_segments, distances_of, probed_distances, unsorted


@dataclass
class HingeMemory:
    """All that an `Impostors` remembers of earlier evaluations.

    Attributes
    ----------
    lists : PairMemory
    crowded : bool
        Whether the last evaluation had too many impostors for a list.
    inexact : bool
        Whether the last value came from a list older than itself.
    """

    lists: PairMemory = field(repr=False)
    crowded: bool = False
    inexact: bool = False

    def forget(self) -> None:
        """Be as if new."""
        self.lists.forget()
        self.crowded, self.inexact = False, False


class Hinges(NamedTuple):
    """The weighted sum of all hinges.

    Parameters
    ----------
    value : float
    violations : ndarray of shape (n, k)
        How many impostors come within each reach.
    dZ : ndarray of shape (n, e)
        Gradient with the reaches held still.
    """

    value: float
    violations: np.ndarray
    dZ: np.ndarray


class Impostors:
    """Rows of other classes that come too near to a row, and the targets that set how near that is.

    Parameters
    ----------
    codes : integer array of shape (n,)
    targets : integer array of shape (n, k)
        Rows that each row should stay close to; -1 for none.
    weights : ndarray of shape (n,)
        Weight of each row's part of the loss.
    policy : ListPolicy, optional

    Attributes
    ----------
    order : ndarray or None
        The order that sorts the rows by class; everything else is in this order.
    codes, targets, weights, segments
        What was given, sorted, and where each class starts.
    memory : HingeMemory
        The only part that depends on earlier calls.

    Notes
    -----
    Impostors are found by one search of n^2 e / 2 multiply-adds and kept as a list; where there are too
    many for a list (a start far too small), by full blocks of rows. README.md says how exact either is.

    Examples
    --------
    >>> near = Impostors(np.array([0, 0, 1]), np.array([[1], [0], [-1]]), np.ones(3))
    >>> Z = near.sorted(np.array([[0.0], [1.0], [2.0]]))
    >>> near.target_distances(Z).ravel()
    array([1., 1., 0.])
    >>> near.hinges(Z, np.array([[2.0], [2.0], [-1.0]]), np.ones(3)).value  # row 1 is too near to row 2
    1.0
    """

    def __init__(
        self,
        codes: np.ndarray,
        targets: np.ndarray,
        weights: np.ndarray,
        policy: ListPolicy | None = None,
    ) -> None:
        self.policy = policy or ListPolicy()
        self.order, self.segments = class_segments(codes)
        if self.order is not None:
            codes, weights, targets = codes[self.order], weights[self.order], targets[self.order]
            targets = np.where(targets >= 0, np.argsort(self.order)[targets], -1)
        self.codes, self.targets, self.weights = codes, targets.astype(np.int32), weights
        self.most_listed = self.policy.most_listed(len(codes))
        self.memory = HingeMemory(PairMemory(self.codes, self.policy))

    @property
    def inexact(self) -> bool:
        """Whether the last value may have missed a few impostors."""
        return self.memory.inexact

    #: A value of an old list lacks few hinges, and each of them is small, but nothing bounds their sum.
    tolerance = 0.0

    def sorted(self, Z: np.ndarray) -> np.ndarray:
        """Rows sorted by class and moved to their mean."""
        return centred(Z, self.order)

    def unsorted(self, dZ: np.ndarray) -> np.ndarray:
        """A gradient of sorted rows in the order of the caller."""
        return unsorted(dZ, self.order)

    def target_distances(self, Z: np.ndarray) -> np.ndarray:
        """Squared distance of each (sorted) row to each of its targets; zero for none."""
        return distances_of(Z, self.targets)

    def add_target_gradient(self, Z: np.ndarray, weights: np.ndarray, dZ: np.ndarray) -> None:
        """Add the gradient of the sum of weight times target distance to dZ."""
        from nearkin.pairwise.kernels import scatter_pairs

        n, k = self.targets.shape
        starts = np.arange(n + 1) * k
        scatter_pairs(Z, 0, starts, self.targets.ravel(), weights.astype(Z.dtype, copy=False).ravel(), dZ)

    def hinges(
        self, Z: np.ndarray, reaches: np.ndarray, weights: np.ndarray, *, exact: bool = False
    ) -> Hinges:
        """Sum over rows i, targets t and impostors l of ``weights[i] * [reaches[i, t] - D_il]_+``.

        Parameters
        ----------
        Z : ndarray of shape (n, e)
            Sorted, as `sorted` gives them.
        reaches : ndarray of shape (n, k)
            Squared distances; negative where there is no target.
        weights : ndarray of shape (n,)
        exact : bool, default=False
        """
        memory = self.memory
        if exact:
            memory.forget()
        reaches = reaches.astype(Z.dtype, copy=False)
        listed = self._listed(Z, reaches)
        memory.crowded = listed is None
        memory.inexact = listed is not None and memory.lists.age > 0
        if listed is None:
            return self._over_blocks(Z, reaches, weights)
        return self._over_list(Z, listed, reaches, weights)

    def _listed(self, Z, reaches) -> Found | None:
        """Pairs of different classes within reach; None if there are too many for a list.

        Once it is known to be crowded, a look at some rows comes before the next search.
        """
        limits = reaches.max(axis=1)
        if self.memory.crowded:
            rows, D = probed_distances(Z, self.policy.rows_probed)
            near = np.maximum(limits[rows, None], limits) >= D
            near &= self.codes[rows, None] != self.codes
            if np.count_nonzero(near) / len(rows) * len(Z) / 2 > self.most_listed:
                return None
        return self.memory.lists.within(Z, limits, self.most_listed)

    def _over_list(self, Z, listed: Found, reaches, weights) -> Hinges:
        from nearkin.pairwise.kernels import hinge_list

        pairs, distances = listed
        violations, pair_weights = np.zeros(reaches.shape), np.empty_like(distances)
        value = hinge_list(*pairs, distances, reaches, weights, violations, pair_weights)
        mirrored = self.memory.lists.mirrored()
        return Hinges(value, violations, mirrored.gradient(Z, mirrored.spread(pair_weights)))

    def _over_blocks(self, Z, reaches, weights) -> Hinges:
        from nearkin.pairwise.kernels_blocks import hinge_block

        block_weights = weights.astype(Z.dtype)
        violations = np.zeros(reaches.shape)

        def weigh(G, first, norms) -> float:
            return hinge_block(G, first, norms, self.segments, self.codes, reaches, block_weights, violations)

        value, dZ = row_block_gradient(Z, weigh, policy=self.policy)
        return Hinges(value, violations, dZ)
