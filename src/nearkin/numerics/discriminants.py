"""Class means and the scatter within classes, as used by linear discriminant analysis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Discriminants(NamedTuple):
    """Class means in the eigenbasis of the scatter within classes.

    Attributes
    ----------
    axes : ndarray of shape (q, q)
        Eigenvectors of the scatter, as columns.
    values : ndarray of shape (q,)
        Variances along them.
    means : ndarray of shape (C, q)
        Class means along them, minus the mean of all rows.
    log_priors : ndarray of shape (C,)
        Log of the share of each class; minus infinity for a class without rows.
    centre : ndarray of shape (q,)
        The mean of all rows along the axes.
    """

    axes: np.ndarray
    values: np.ndarray
    means: np.ndarray
    log_priors: np.ndarray
    centre: np.ndarray

    @classmethod
    def of(cls, parts: Iterable[tuple[np.ndarray, np.ndarray]], n_classes: int) -> Discriminants:
        """From rows and their classes 0..C-1, in parts.

        n q^2 + q^3 multiply-adds for n rows of q coordinates, whose mean should not be large compared with
        their standard deviation.
        """
        sizes, sums, products = np.zeros(n_classes), 0.0, 0.0
        for F, codes in parts:
            members = (codes == np.arange(n_classes)[:, None]).astype(np.float64)
            sizes += members.sum(axis=1)
            sums = sums + members @ F
            products = products + F.T @ F
        means = sums / np.maximum(sizes, 1)[:, None]
        within = products - (means * sizes[:, None]).T @ means
        values, axes = np.linalg.eigh(within / max(1.0, sizes.sum() - np.count_nonzero(sizes)))
        with np.errstate(divide="ignore"):
            log_priors = np.log(sizes / sizes.sum())
        centre = sizes @ means / sizes.sum()
        means = np.where(sizes[:, None] > 0, means - centre, 0.0)
        return cls(axes, np.maximum(values, 0.0), means @ axes, log_priors, centre @ axes)

    def weights(self, shrinkage: float) -> np.ndarray:
        """Inverse variance along each axis, with a ridge of this share of the largest variance."""
        return 1.0 / (self.values + shrinkage * (self.values[-1] or 1.0))

    def scores(self, F: np.ndarray, shrinkage: float) -> np.ndarray:
        """Minus half the squared distance of rows to the class means, up to a constant for each row.

        >>> found = Discriminants.of([(np.array([[0.0], [2.0], [8.0], [10.0]]), np.array([0, 0, 1, 1]))], 2)
        >>> found.scores(np.array([[4.0], [5.0]]), 1.0).round(12)
        array([[-1., -3.],
               [-2., -2.]])
        """
        weighted = self.means * self.weights(shrinkage)
        products = (F @ self.axes - self.centre) @ weighted.T
        return products - 0.5 * (weighted * self.means).sum(axis=1)


def calibrated(scores: np.ndarray, log_priors: np.ndarray, temperature: float) -> np.ndarray:
    """Class probabilities from scores divided by a temperature, plus log priors.

    >>> calibrated(np.array([[2.0, 0.0]]), np.log([0.5, 0.5]), 2.0).round(3)
    array([[0.731, 0.269]])
    """
    logs = scores / temperature + log_priors
    P = np.exp(logs - logs.max(axis=1, keepdims=True))
    return P / P.sum(axis=1, keepdims=True)
