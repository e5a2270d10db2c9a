"""Gradient learners from labels or, if the loss accepts them, from pairs or triplets of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import validate_data

from nearkin.learners.gradient.base import GradientLearner
from nearkin.learners.weak_supervision import checked_constraints, only_supervision


@dataclass(frozen=True)
class _Constraints:
    """Constraints as the user gave them, not checked against the rows yet."""

    kind: str
    value: object
    similar: object
    weight: object


class ConstrainedGradientLearner(GradientLearner):
    """A gradient learner whose loss may accept constraints instead of y.

    A subclass names the kinds of constraint it accepts in the keyword arguments of its `fit`, so that
    scikit-learn's metadata routing knows them, and passes them all to `_fit_from`.
    """

    _frames_to_caller = 5

    def _fit_from(self, X, y, sample_weight, constraint_weight, **given):
        """Learn from y or from the kind of constraint that is given."""
        named = only_supervision(type(self).__name__, y, constraint_weight, given)
        for kind, value in named.items():
            self._check_loss_takes(kind)
            if sample_weight is not None:
                raise ValueError(f"sample_weight belongs to y; weigh {kind} by constraint_weight.")
            y = _Constraints(kind, value, given.get("similar"), constraint_weight)
        return super().fit(X, y, sample_weight)

    def _check_loss_takes(self, kind: str) -> None:
        loss = self._loss()
        if kind not in loss.supervision:
            raise ValueError(
                f"{type(loss).__name__} does not learn from {kind}; choose a loss that does, such as "
                f"{'PairLogisticLoss' if kind == 'pairs' else 'TripletHingeLoss'}."
            )

    def _checked(self, X, y, sample_weight):
        if not isinstance(y, _Constraints):
            return super()._checked(X, y, sample_weight)
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        self.__dict__.pop("classes_", None)
        return X, checked_constraints(y.kind, y.value, y.similar, y.weight, len(X)), None
