"""LMNN and LMCA for rows in chunks: anchors are divided among workers, and lists renewed by FAISS.

Each worker holds the anchors of its chunks with their lists of targets and impostors, and replicas of the
rows in these lists, so that an evaluation only sends the map (d x e) to it and the gradient back.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import partial
from operator import add
from typing import NamedTuple

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from nearkin.learners.gradient.lmnn import check_margin_settings
from nearkin.maps.starts import check_components, linear_start
from nearkin.scale.anchors import AnchorPolicy, Anchors, Probe
from nearkin.scale.pair_lists import Chunk
from nearkin.scale.plans import Eager, OnDask
from nearkin.scale.recipes import keep_linear
from nearkin.scale.source import LocalSource, Source, block_of
from nearkin.scale.statistics import ClassSums, WithinMoments
from nearkin.solvers.coordinates import Coordinates, minimise_in, whitening


class Start(NamedTuple):
    """Computed from sums over the rows: their mean, the initial map, and coordinates for the steps."""

    mean: np.ndarray
    L: np.ndarray
    coordinates: Coordinates


def fit_large_margin(learner, source: Source, sums: Start, chunks, plan, policy: AnchorPolicy | None = None):
    """Fit LMNN or LMCA to all rows of a source; `chunks` are its centred rows with codes and numbers."""
    policy = policy or AnchorPolicy()
    anchors = Anchors(
        chunks,
        source.n,
        plan,
        n_targets=min(int(learner.n_targets), int(source.sizes.max()) - 1),
        mu=float(learner.mu),
        search=getattr(learner, "search", "exact"),
        policy=policy,
    )
    # Targets are the nearest rows of the same class in the input space, whatever the initial map.
    anchors.find_targets(len(source.classes))
    probe = Probe(anchors, source, policy, sums.mean)
    result, history, n_iter, shares = _minimised(learner, anchors, probe, sums, policy)
    learner.classes_, learner.n_features_in_ = source.classes, source.n_features
    if source.names is not None:
        learner.feature_names_in_ = np.array(source.names, dtype=object)
    L = result.theta.reshape(sums.L.shape)
    keep_linear(learner, L, source.dtype)
    learner.parameters_, learner.lift_, learner._n_lifted = result.theta, None, source.n_features
    learner.n_components_, learner.euclid_share_ = len(L), 0.0
    learner.objective_, learner.n_iter_, learner.history_ = result.value, max(1, n_iter), np.array(history)
    learner.search_recall_ = anchors.recall(L, shares)
    learner.impostor_share_ = float((shares * source.sizes).sum() / source.n)
    if not result.converged:
        warnings.warn(
            f"{type(learner).__name__} did not converge in {n_iter} steps; raise max_iter, or scale the "
            "features.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return learner


def _minimised(learner, anchors: Anchors, probe: Probe, sums: Start, policy: AnchorPolicy):
    """Alternate steps and new lists until new lists change almost nothing."""
    d, solver = sums.L.shape[1], learner._solver()

    def fun(theta):
        return anchors(theta, d)

    def renewed(theta) -> tuple[float, np.ndarray]:
        L = theta.reshape(sums.L.shape)
        shares = probe.shares(L)
        anchors.renew(L, shares)
        return fun(theta)[0], shares

    scale = 1.0 if learner._map().given_start else probe.scale(sums.L)
    theta, left, steps = scale * sums.L.ravel().astype(np.float64), solver.max_iter, policy.first_steps
    value, shares = renewed(theta)
    history, result = [value], None
    while left > 0:
        again = solver.limited(min(left, steps))
        result = minimise_in(
            sums.coordinates, again if result is None else again.continued(result), fun, theta
        )
        left -= max(1, result.n_iter)
        theta = result.theta
        value, shares = renewed(theta)
        history += [*result.history[1:-1], value]
        change = abs(value - result.value) / max(abs(value), 1e-300)
        result = replace(result, value=value)
        if learner.verbose:
            done = solver.max_iter - left
            print(
                f"[{type(learner).__name__}] {done} steps, objective {value:.6g}, "
                f"{change:.1%} of it by new lists"
            )
        if result.converged and change <= policy.settled:
            break
        steps = min(2 * steps, policy.most_steps) if change <= policy.settled else policy.first_steps
    return result, history, solver.max_iter - left, shares


def _start(learner, source: Source) -> Start:
    sums = source.total(partial(ClassSums.of, n_classes=len(source.classes)), add, "classes")
    ones = np.ones(len(source.classes))
    within = source.total(partial(WithinMoments.of, means=sums.means, weights=ones), add, "moments").scatter
    total = within + sums.between(sums.sizes.astype(np.float64))
    values, vectors = np.linalg.eigh(total)
    rows_with_this_scatter = (vectors * np.sqrt(np.maximum(values, 0))).T
    L = _start_of_sums(learner, source, within, total)
    return Start(sums.mean.astype(source.dtype), L, whitening(rows_with_this_scatter))


def _start_of_sums(learner, source: Source, within: np.ndarray, total: np.ndarray) -> np.ndarray:
    map_ = learner._map()
    init, d, n_classes = map_.init, source.n_features, len(source.classes)
    if not isinstance(init, str) or init in ("identity", "random"):
        # These starts only depend on the number of features.
        rng, no_rows = check_random_state(learner.random_state), np.zeros((d + 1, d))
        return linear_start(no_rows, np.zeros(d + 1, int), map_.n_components, init, rng)
    e = check_components(map_.n_components, source.n, d)
    if init == "auto":
        init = "lda" if e <= min(d, n_classes - 1) else "pca" if e < d else "identity"
    if init == "identity":
        return np.eye(e, d)
    if init == "pca":
        return np.linalg.eigh(total)[1][:, ::-1][:, :e].T
    if init == "lda":
        return lda_of_sums(within, total - within, e, source.n)
    raise ValueError(f"init={init!r}: expected 'auto', 'identity', 'pca', 'lda', 'random' or a matrix.")


def lda_of_sums(within: np.ndarray, between: np.ndarray, e: int, n: int) -> np.ndarray:
    """Fisher's discriminant directions, the best first, with unit variance within classes."""
    level = np.trace(within) / len(within) * np.finfo(np.float64).eps * len(within)
    ridge = level * np.eye(len(within))
    vectors = linalg.eigh(between, within + ridge)[1][:, ::-1][:, :e]
    return vectors.T * np.sqrt(n)


def chunk_of(X, labels, classes: np.ndarray, start: int, mean: np.ndarray) -> Chunk:
    """Centred rows of a chunk, so that distances keep more digits."""
    block = block_of(np.subtract(X, mean, dtype=mean.dtype), labels, classes, start)
    return Chunk(np.ascontiguousarray(block.X), block.codes, start)


def fit_on_dask(learner, rows, labels):
    """Fit LMNN or LMCA to Dask collections, on the workers of the current client."""
    from nearkin.scale.dask_source import DaskSource

    check_margin_settings(learner)
    source, plan = DaskSource(rows, labels), OnDask()
    sums, classes = _start(learner, source), plan.shared(source.classes)
    chunks = [
        plan.call(chunk_of, X, part, classes, start, plan.shared(sums.mean))
        for X, part, start in zip(source.row_chunks, source.label_chunks, source.starts)
    ]
    return fit_large_margin(learner, source, sums, plan.kept(chunks), plan)


def fit_in_memory(learner, X, y, policy: AnchorPolicy | None = None):
    """The same for rows in memory, as one chunk, for the sake of the search by FAISS."""
    check_margin_settings(learner)
    refusal = split_refusal(learner)
    if refusal is not None:
        raise TypeError(refusal)
    X, codes = learner._validate_labelled(X, y, min_classes=2)
    source = LocalSource(X, learner.classes_[codes])
    sums = _start(learner, source)
    return fit_large_margin(learner, source, sums, [Chunk(X - sums.mean, codes, 0)], Eager(), policy)


def split_refusal(learner) -> str | None:
    """Why this learner cannot be split over workers; None if it can."""
    unused = {"kernel": None, "refresh_targets": 0, "n_init": 1, "warm_start": False}
    for name, value in unused.items():
        # "auto" is always supported.
        if getattr(learner, name) not in (value, "auto"):
            return (
                f"{type(learner).__name__} with {name}={getattr(learner, name)!r} cannot be split over "
                f"workers; leave {name} out, or fit a sample: fit(X, y, fit_sample='auto')."
            )
    return None
