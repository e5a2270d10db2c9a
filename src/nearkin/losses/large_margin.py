"""The large-margin loss: targets pulled close, impostors pushed a margin beyond them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nearkin.losses.base import Loss, mean_weights
from nearkin.pairwise import Impostors, ListPolicy
from nearkin.pairwise.search import probed_distances
from nearkin.supervision.targets import target_neighbours


class LargeMarginLoss(Loss):
    """(1 - mu) * distances to targets + mu * hinges [1 + d(i, target) - d(i, impostor)]_+.

    Targets are the `n_targets` nearest rows of the same class in the input space, fixed by `prepare`;
    impostors are all rows of other classes, and every one that violates a margin counts. A row alone in
    its class has no target and no part in the loss; in a class of fewer than n_targets + 1 rows, each row
    has all the others as targets.

    Parameters
    ----------
    n_targets : int, default=3
    mu : float in [0, 1], default=0.5
        Weight of the push relative to the pull.
    policy : ListPolicy or None, default=None
        How impostors are found; None takes the defaults.

    Notes
    -----
    A value that need not be exact may miss a few impostors that have just come within the margin. For the
    cost see `pairwise.Impostors`.

    References
    ----------
    K. Weinberger, L. Saul (2009). Distance Metric Learning for Large Margin Nearest Neighbor
    Classification. JMLR 10.

    Examples
    --------
    >>> loss, Z = LargeMarginLoss(n_targets=1), np.array([[0.0], [2.0], [9.0], [9.5]])
    >>> state = loss.prepare(Z, np.array([0, 0, 1, 1]))
    >>> loss.value_and_grad(Z, state)[0]  # no impostors: half the mean distance to the targets
    1.0625
    """

    policy: ListPolicy | None = None

    def __init__(self, n_targets: int = 3, mu: float = 0.5, policy: ListPolicy | None = None) -> None:
        self.n_targets = n_targets
        self.mu = mu
        self.policy = policy

    def prepare(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        start: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
    ) -> Impostors:
        codes = np.asarray(y)
        if not np.issubdtype(codes.dtype, np.integer):
            raise ValueError("the large-margin loss needs classes, but y holds real targets.")
        targets = target_neighbours(X, codes, self.n_targets)
        return Impostors(codes, targets, mean_weights(len(codes), sample_weight), self.policy)

    def value_and_grad(self, Z: np.ndarray, state: Any, *, exact: bool = False) -> tuple[float, np.ndarray]:
        Z = state.sorted(Z)
        pull, push = (1 - self.mu) * state.weights, self.mu * state.weights
        distances = state.target_distances(Z)
        pulled = float(pull @ distances.sum(axis=1, dtype=np.float64))
        # One margin beyond each target; a negative reach excludes everything.
        reaches = np.where(state.targets >= 0, distances + 1, -1)
        pushed = state.hinges(Z, reaches, push, exact=exact)
        # Every violation pulls its target as hard as it pushes its impostor.
        pair_weights = pull[:, None] + push[:, None] * pushed.violations
        state.add_target_gradient(Z, pair_weights, pushed.dZ)
        return pulled + pushed.value, state.unsorted(pushed.dZ)

    def best_scale(self, Z: np.ndarray, state: Impostors) -> float:
        """The c that minimises the loss of c Z, estimated from a sample of the rows.

        The loss is convex in a = c^2: the pull grows in proportion to a, and each hinge is [1 - a gap]_+,
        the gap being how much farther the impostor is than the target. At the minimum the gaps of all
        active hinges add up to the pull.
        """
        Z = state.sorted(Z)
        rows, D = probed_distances(Z, state.policy.rows_probed)
        targets = state.target_distances(Z)[rows].mean(axis=1)
        return margin_scale(D, targets, state.codes[rows, None] != state.codes, self.mu)


def margin_scale(D: np.ndarray, targets: np.ndarray, others: np.ndarray, mu: float, load: float = 1) -> float:
    """The scale of `LargeMarginLoss.best_scale`.

    Parameters
    ----------
    D : ndarray of shape (p, m)
        Squared distances of some rows to others.
    targets : ndarray of shape (p,)
        Mean squared distance to the targets of each of these rows.
    others : bool array of shape (p, m)
        Which of them belong to another class.
    mu : float
    load : float
        Number of rows that each of the m represents.
    """
    gaps = np.sort((D - targets[:, None])[others])
    pull = (1 - mu) / mu * float(targets.sum(dtype=np.float64)) / load if mu > 0 else np.inf
    reached = np.count_nonzero(np.cumsum(gaps, dtype=np.float64) <= pull)
    widest = float(gaps[min(int(reached), len(gaps) - 1)]) if len(gaps) else 0.0
    return float(1 / np.sqrt(widest)) if widest > 0 else 1.0
