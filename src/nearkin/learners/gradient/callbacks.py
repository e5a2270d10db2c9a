"""scikit-learn's fit callbacks (1.9 and later) for iterative learners; with earlier releases a no-op."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

try:
    if TYPE_CHECKING:
        # scikit-learn's decorator would hide the signature from type checkers.
        raise ImportError
    from sklearn.callback import CallbackSupportMixin, with_callbacks

    #: Frames between a decorated method and its caller.
    EXTRA_FRAMES = 1
except ImportError:  # scikit-learn before 1.9
    EXTRA_FRAMES = 0

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Placeholder for releases of scikit-learn without callbacks."""

    def with_callbacks(method: Method) -> Method:
        return method


class StepReporter:
    """Notifies the callbacks set on an estimator of the beginning, each step and the end of its fit.

    Parameters
    ----------
    estimator : CallbackSupportMixin
    max_steps : int or None
    X, y : what the estimator is fitted on
    fitted_attributes : callable theta -> dict
        Attributes of the estimator as if it were fitted at theta; computed only on request.
    """

    def __init__(self, estimator, max_steps: int | None, X, y, fitted_attributes: Callable):
        self.estimator = estimator
        self.fitted_attributes = fitted_attributes
        self.data = {"X": X, "y": y}
        self.context = None
        if getattr(estimator, "_skl_callbacks", None) or hasattr(estimator, "_parent_callback_ctx"):
            self.context = estimator._init_callback_context(max_subtasks=max_steps)
            self.context.call_on_fit_task_begin(estimator=estimator, **self.data)

    def step(self, theta) -> bool:
        """Report one step; True if a callback asks to stop."""
        if self.context is None:
            return False
        task = self.context.subcontext(task_name="step")
        task.call_on_fit_task_begin(estimator=self.estimator, **self.data)
        return bool(self._end(task, theta))

    def end(self, theta) -> None:
        if self.context is not None:
            self._end(self.context, theta)

    def _end(self, task, theta):
        return task.call_on_fit_task_end(
            estimator=self.estimator,
            reconstruction_attributes=lambda: self.fitted_attributes(theta),
            **self.data,
        )
