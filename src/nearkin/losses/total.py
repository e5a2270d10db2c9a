"""Weighted sums of losses."""

from __future__ import annotations

from collections.abc import Sequence

from nearkin.losses.base import Loss


class TotalLoss(Loss):
    """sum of weight * loss.

    Parameters
    ----------
    parts : sequence of (float, Loss)

    Examples
    --------
    MEGM and NCA together, as the MEGM paper proposes:

    >>> import numpy as np
    >>> from nearkin.losses import MEGMLoss, NCALoss
    >>> loss, Z = TotalLoss([(1.0, MEGMLoss()), (0.5, NCALoss())]), np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> round(loss.value_and_grad(Z, loss.prepare(Z, np.array([0, 0, 1, 1])))[0], 6)
    0.0
    """

    def __init__(self, parts: Sequence[tuple[float, Loss]]):
        self.parts = parts

    @property
    def supervision(self) -> tuple[str, ...]:
        """What may stand in the place of y: whatever all parts take."""
        kinds = [getattr(loss, "supervision", ("labels",)) for _, loss in self.parts]
        return tuple(kind for kind in kinds[0] if all(kind in others for others in kinds))

    def prepare(self, X, y, *, start=None, sample_weight=None) -> list:
        return [loss.prepare(X, y, start=start, sample_weight=sample_weight) for _, loss in self.parts]

    @property
    def negligible(self) -> float:  # type: ignore[override]
        return sum(abs(weight) * loss.negligible for weight, loss in self.parts)

    def forget(self, state) -> bool:
        return any([loss.forget(part) for (_, loss), part in zip(self.parts, state)])

    def pairs_per_row(self, Z, state) -> float:
        return max(loss.pairs_per_row(Z, part) for (_, loss), part in zip(self.parts, state))

    def narrowed(self, state, rows) -> list:
        return [loss.narrowed(part, rows) for (_, loss), part in zip(self.parts, state)]

    def value_and_grad(self, Z, state):
        total, gradient = 0.0, 0.0
        for (weight, loss), part in zip(self.parts, state):
            value, dZ = loss.value_and_grad(Z, part)
            total += weight * value
            gradient = gradient + Z.dtype.type(weight) * dZ
        return total, gradient
