"""Adadelta: per-parameter steps from running means of squared gradients and squared steps."""

from __future__ import annotations

import numpy as np


class Adadelta:
    """Step sizes that need no learning rate, for noisy gradients.

    Parameters
    ----------
    shape : int or tuple
        Shape of the parameters.
    dtype : dtype
    decay : float
        How much of the running means a step keeps.
    epsilon : float
        Added under both roots; its root is the size of the first steps.
    rate : float
        Factor on every step.

    References
    ----------
    Zeiler, M. D. (2012). ADADELTA: an adaptive learning rate method. arXiv:1212.5701.

    Examples
    --------
    >>> theta = np.array([4.0])
    >>> solver = Adadelta(theta.shape, epsilon=1e-3)
    >>> for _ in range(500):
    ...     solver.step(theta, 2 * theta)
    >>> bool(abs(theta[0]) < 0.1)
    True
    """

    def __init__(self, shape, dtype=np.float64, *, decay=0.95, epsilon=1e-6, rate=1.0):
        self.decay = decay
        self.epsilon = epsilon
        self.rate = rate
        self._squared_gradients = np.zeros(shape, dtype)
        self._squared_steps = np.zeros(shape, dtype)
        self._step = np.zeros(shape, dtype)
        self._scratch = np.zeros(shape, dtype)

    def step(self, theta: np.ndarray, gradient: np.ndarray) -> None:
        """Move `theta` in place against `gradient`."""
        step, scratch = self._step, self._scratch
        self._average_in(self._squared_gradients, gradient)
        np.add(self._squared_steps, self.epsilon, out=step)
        np.add(self._squared_gradients, self.epsilon, out=scratch)
        step /= scratch
        np.sqrt(step, out=step)
        step *= gradient
        self._average_in(self._squared_steps, step)
        if self.rate != 1.0:
            step *= self.rate
        theta -= step

    def _average_in(self, mean: np.ndarray, values: np.ndarray) -> None:
        scratch = self._scratch
        np.multiply(values, values, out=scratch)
        scratch -= mean
        scratch *= 1 - self.decay
        mean += scratch
