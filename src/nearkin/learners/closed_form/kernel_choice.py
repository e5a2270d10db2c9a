"""Kernel, shrinkage, temperature and share of Euclid of `KDA`, chosen on held-out folds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from nearkin.learners.euclid_share import SharePolicy, share_of_largest_gain
from nearkin.learners.euclid_vote import euclid_votes
from nearkin.maps import KernelMap
from nearkin.numerics.discriminants import Discriminants, calibrated

#: Smaller probabilities count as this, so that a single row cannot dominate the likelihood.
LEAST_PROBABILITY = 1e-6


@dataclass(frozen=True)
class KernelPolicy:
    """The options of `KDA`, and how it chooses among them.

    Attributes
    ----------
    widths : tuple of float
        Gammas of the rbf kernel, in units of "scale".
    shrinkages, temperatures : tuple of float
    folds : int
        Number of folds.
    rows_judged : int
        Few rows are split into folds repeatedly until about this many have been classified ...
    most_deals : int
        ... but at most this often.
    most_rows : int
        With more rows, a sample of this size is used.
    n_landmarks : int
        Rows that span the feature space of the kernel.
    """

    widths: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0)
    shrinkages: tuple[float, ...] = (1e-4, 1e-3, 1e-2, 1e-1)
    temperatures: tuple[float, ...] = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
    folds: int = 3
    rows_judged: int = 800
    most_deals: int = 3
    most_rows: int = 1_000
    n_landmarks: int = 500


class KernelChoice(NamedTuple):
    """Settings of a kernel discriminant analysis, and Euclid's share in its vote."""

    kernel: KernelMap
    shrinkage: float
    temperature: float
    share: float


class Fold(NamedTuple):
    """Training and held-out rows."""

    seen: np.ndarray
    unseen: np.ndarray


class Held(NamedTuple):
    """Scores of the held-out rows of a fold, with the log priors of the training rows."""

    scores: np.ndarray
    log_priors: np.ndarray
    truth: np.ndarray


def judged_choice(
    X: np.ndarray,
    codes: np.ndarray,
    kernels: Sequence[KernelMap],
    shrinkages: Sequence[float],
    temperatures: Sequence[float],
    sharing: SharePolicy | None,
    policy: KernelPolicy,
) -> KernelChoice:
    """The settings with the best accuracy on held-out rows; ties by likelihood.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    codes : ndarray of int of shape (n,)
    kernels, shrinkages, temperatures : sequences
        The options.
    sharing : SharePolicy or None
        How the share of Euclid is chosen; None if it is given.
    policy : KernelPolicy

    Notes
    -----
    One eigendecomposition of the size of the landmarks for every kernel, and one more for every fold;
    shrinkages, temperatures and shares only cost products with class means.
    """
    rows = np.sort(np.random.RandomState(0).permutation(len(X))[: policy.most_rows])
    X, codes = X[rows], codes[rows]
    folds = _folds(codes, policy)
    middle = KernelChoice(kernels[len(kernels) // 2], shrinkages[len(shrinkages) // 2], 1.0, 0.0)
    if not folds:
        return middle
    best, found, held = (-1.0, 0.0), middle, []
    for kernel in kernels:
        for shrinkage, tried in _held_out(X, codes, folds, kernel, shrinkages):
            temperature, merit = _calibration(tried, temperatures)
            if merit > best:
                best, found, held = merit, KernelChoice(kernel, shrinkage, temperature, 0.0), tried
    if sharing is None:
        return found
    return found._replace(share=_share(X, codes, folds, held, found.temperature, sharing))


def _folds(codes: np.ndarray, policy: KernelPolicy) -> list[Fold]:
    most = int(np.bincount(codes).max())
    if most < 2:
        return []
    deals = int(np.clip(policy.rows_judged // len(codes), 1, policy.most_deals))
    found = []
    with warnings.catch_warnings():
        # A class with fewer rows than folds is missing from some.
        warnings.simplefilter("ignore", UserWarning)
        for seed in range(deals):
            dealer = StratifiedKFold(min(policy.folds, most), shuffle=True, random_state=seed)
            found += [Fold(*each) for each in dealer.split(codes, codes)]
    return found


def _held_out(X, codes, folds, kernel: KernelMap, shrinkages) -> list[tuple[float, list[Held]]]:
    """Scores of the held-out rows for each shrinkage."""
    # Labels are not used for the features, so computing them from all rows leaks nothing about the classes.
    F = kernel.lift(X, np.random.RandomState(0))(X).astype(np.float64)
    found: list[tuple[float, list[Held]]] = [(shrinkage, []) for shrinkage in shrinkages]
    for seen, unseen in folds:
        part = Discriminants.of([(F[seen], codes[seen])], int(codes.max()) + 1)
        for shrinkage, held in found:
            held.append(Held(part.scores(F[unseen], shrinkage), part.log_priors, codes[unseen]))
    return found


def _calibration(held: Sequence[Held], temperatures) -> tuple[float, tuple[float, float]]:
    """The temperature of the largest likelihood, with the accuracy and that likelihood."""
    truth = np.concatenate([each.truth for each in held])
    tried = []
    for temperature in temperatures:
        P = np.concatenate([calibrated(each.scores, each.log_priors, temperature) for each in held])
        logs = np.log(np.maximum(P[np.arange(len(P)), truth], LEAST_PROBABILITY))
        tried.append((float(logs.mean()), float((P.argmax(axis=1) == truth).mean()), temperature))
    likelihood, right, temperature = max(tried)
    return temperature, (right, likelihood)


def _share(X, codes, folds, held, temperature, sharing: SharePolicy) -> float:
    """The share of Euclid in the vote with the largest gain over Euclid, after a deduction for chance."""
    gains = np.zeros((len(codes), len(sharing.shares)))
    for (seen, unseen), each in zip(folds, held, strict=True):
        own = calibrated(each.scores, each.log_priors, temperature)
        plain = euclid_votes(X[unseen], X[seen], codes[seen], own.shape[1])
        known = plain.argmax(axis=1) == each.truth
        for place, share in enumerate(sharing.shares):
            mixed = (1 - share) * own + share * plain
            gains[unseen, place] += (mixed.argmax(axis=1) == each.truth).astype(float) - known
    return share_of_largest_gain(gains, sharing)
