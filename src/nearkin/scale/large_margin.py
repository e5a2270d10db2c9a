"""LMNN and LMCA of rows in chunks: anchors split over workers, lists renewed now and then by FAISS.

Each worker holds the anchors of its chunks with their lists of targets and impostors and replicas of the rows
that these name, so that an evaluation sends nothing but the map (d x e) there and its gradient back.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from operator import add
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from nearkin.learners.gradient.base import named_solver
from nearkin.maps.starts import check_components, linear_start
from nearkin.scale.anchors import Part, part_of, partners_of, shard_of, taken
from nearkin.scale.pair_lists import (
    Chunk,
    ChunkIndex,
    Neighbours,
    found_share,
    merged,
    neighbours_in,
    probe_of,
)
from nearkin.scale.plans import Eager, OnDask
from nearkin.scale.recipes import keep_linear
from nearkin.scale.source import LocalSource, Source, block_of
from nearkin.scale.statistics import ClassSums, WithinMoments
from nearkin.scale.sums import added_up
from nearkin.solvers import SolverResult
from nearkin.solvers.coordinates import minimise_in, whitening


@dataclass(frozen=True)
class AnchorPolicy:
    """How lists are kept while the map is learned.

    Attributes
    ----------
    n_impostors : int
        Nearest rows of other classes in a list.
    steps : int
        Steps between two searches.
    settled : float
        The fit ends when renewed lists change the loss by less than this share.
    probed : int
        Rows of each chunk on which the recall of an approximate search is measured.
    """

    n_impostors: int = 30
    steps: int = 15
    settled: float = 1e-3
    probed: int = 20


class Anchors:
    """The large-margin loss over chunks of rows, for lists made at some map.

    Parameters
    ----------
    chunks : list
        Chunks, or calls of the plan that give them.
    starts, sizes : list of int
        First row number and number of rows of each chunk.
    plan : Eager or OnDask
    n_targets : int
    mu : float
    search : {"exact", "auto"}
    policy : AnchorPolicy
    """

    def __init__(self, chunks, starts, sizes, plan, *, n_targets, mu, search="exact", policy=None):
        self.chunks, self.starts, self.sizes, self.plan = chunks, starts, sizes, plan
        self.n_targets, self.mu, self.search = n_targets, mu, search
        self.policy = policy or AnchorPolicy()
        self.n = sum(sizes)
        self._targets: list | None = None
        self.last: Part | None = None

    def renew(self, L: np.ndarray, *, targets_too: bool = False) -> None:
        """Search impostors, and targets if there are none yet, where the map puts the rows."""
        plan, with_targets = self.plan, targets_too or self._targets is None
        n_own = self.n_targets if with_targets else 0
        lists = plan.kept(self._searched(self.chunks, L, self.search, n_own))
        if with_targets:
            self._targets = plan.kept([plan.call(_own, found) for found in lists])
        assert self._targets is not None
        lists = [plan.call(_with_targets, found, own) for found, own in zip(lists, self._targets)]
        shards = []
        for chunk, found, start, size in zip(self.chunks, lists, self.starts, self.sizes):
            partners = plan.call(partners_of, found, start, size)
            replicas = [plan.call(taken, other, partners) for other in self.chunks]
            shards.append(plan.call(shard_of, chunk, found, partners, replicas))
        self.shards = plan.kept(shards)

    def _searched(self, chunks, L, search: str, n_own: int) -> list:
        plan, L = self.plan, self.plan.shared(L)
        indexes = plan.kept([plan.call(ChunkIndex, chunk, L, search) for chunk in self.chunks])
        return [
            added_up(
                [
                    plan.call(neighbours_in, chunk, index, L, n_own, self.policy.n_impostors)
                    for index in indexes
                ],
                partial(plan.call, merged),
            )
            for chunk in chunks
        ]

    def recall(self, L: np.ndarray) -> float:
        """Share of the true neighbours that the search finds, measured on some rows of each chunk."""
        if self.search == "exact":
            return 1.0
        plan = self.plan
        probes = plan.kept([plan.call(probe_of, chunk, self.policy.probed) for chunk in self.chunks])
        both = (self._searched(probes, L, search, self.n_targets) for search in (self.search, "exact"))
        counts = [plan.result(plan.call(found_share, *pair)) for pair in zip(*both)]
        right, wanted = (sum(part) for part in zip(*counts))
        return right / wanted if wanted else 1.0

    def __call__(self, theta: np.ndarray, n_features: int) -> tuple[float, np.ndarray]:
        plan, L = self.plan, self.plan.shared(theta.reshape(-1, n_features))
        parts = [plan.call(part_of, shard, L, self.mu, 1 / self.n) for shard in self.shards]
        self.last = plan.result(added_up(parts, partial(plan.call, add)))
        return self.last.value, self.last.gradient.ravel()


def _own(found: Neighbours):
    return found.own


def _with_targets(found: Neighbours, own) -> Neighbours:
    return Neighbours(own, found.others)


def fit_large_margin(learner, source: Source, chunks, starts, plan, policy: AnchorPolicy | None = None):
    """Fit LMNN or LMCA to all rows of a source; `chunks` are its rows, codes and first numbers."""
    policy = policy or AnchorPolicy()
    sizes = [int(end - start) for start, end in zip(starts, [*starts[1:], source.n])]
    start, coordinates = _start(learner, source)
    anchors = Anchors(
        chunks,
        starts,
        sizes,
        plan,
        n_targets=min(int(learner.n_targets), int(source.sizes.max()) - 1),
        mu=float(learner.mu),
        search=getattr(learner, "search", "exact"),
        policy=policy,
    )
    # Targets are the nearest of the own class in the input space, whatever the start of the map is.
    anchors.renew(np.eye(source.n_features), targets_too=True)
    if not np.array_equal(start, np.eye(source.n_features)):
        anchors.renew(start)
    result, history, n_iter = _minimised(learner, anchors, start, coordinates, policy)
    learner.classes_, learner.n_features_in_ = source.classes, source.n_features
    if source.names is not None:
        learner.feature_names_in_ = np.array(source.names, dtype=object)
    L = result.theta.reshape(start.shape)
    keep_linear(learner, L, source.dtype)
    learner.parameters_, learner.lift_, learner._n_lifted = result.theta, None, source.n_features
    learner.n_components_, learner.euclid_share_ = len(L), 0.0
    learner.objective_, learner.n_iter_, learner.history_ = result.value, max(1, n_iter), np.array(history)
    learner.search_recall_ = anchors.recall(L)
    assert anchors.last is not None
    #: Share of the rows with more impostors within reach than a list holds.
    learner.short_lists_ = anchors.last.short / source.n
    if not result.converged:
        warnings.warn(
            f"{type(learner).__name__} did not converge in {n_iter} steps; raise max_iter, or scale the "
            "features.",
            ConvergenceWarning,
            stacklevel=5,
        )
    return learner


def _minimised(learner, anchors: Anchors, start, coordinates, policy: AnchorPolicy):
    """Steps, new lists, more steps, until these change next to nothing."""
    d = start.shape[1]

    def fun(theta):
        return anchors(theta, d)

    solver = named_solver(learner.solver, learner.max_iter, learner.tol)
    theta, left = start.ravel().astype(np.float64), solver.max_iter
    history: list[float] = []
    result: SolverResult | Any = None
    while left > 0:
        result = minimise_in(coordinates, solver.limited(min(left, policy.steps)), fun, theta)
        left -= max(1, result.n_iter)
        history += result.history[1 if history else 0 :]
        theta = result.theta
        anchors.renew(theta.reshape(start.shape))
        exact = fun(theta)[0]
        change = abs(exact - result.value) / max(abs(exact), 1e-300)
        result = replace(result, value=exact)
        if learner.verbose:
            print(f"[{type(learner).__name__}] {solver.max_iter - left} steps, objective {exact:.6g}")
        if result.converged and change <= policy.settled:
            break
    return result, history, solver.max_iter - left


def _start(learner, source: Source) -> tuple[np.ndarray, Any]:
    """The map to begin with and the coordinates of its steps, both from sums over the rows."""
    sums = source.total(partial(ClassSums.of, n_classes=len(source.classes)), add, "classes")
    ones = np.ones(len(source.classes))
    within = source.total(partial(WithinMoments.of, means=sums.means, weights=ones), add, "moments").scatter
    total = within + sums.between(sums.sizes.astype(np.float64))
    values, vectors = np.linalg.eigh(total)
    rows_with_this_scatter = (vectors * np.sqrt(np.maximum(values, 0))).T
    L = _start_of_sums(learner, source, within, total)
    return L, whitening(rows_with_this_scatter)


def _start_of_sums(learner, source: Source, within: np.ndarray, total: np.ndarray) -> np.ndarray:
    map_ = learner._map()
    init, d, n_classes = map_.init, source.n_features, len(source.classes)
    if not isinstance(init, str) or init in ("identity", "random"):
        # These starts look at nothing but the number of features.
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
    """Fisher's directions, the best first, in which classes have unit variance."""
    level = np.trace(within) / len(within) * np.finfo(np.float64).eps * len(within)
    ridge = level * np.eye(len(within))
    vectors = linalg.eigh(between, within + ridge)[1][:, ::-1][:, :e]
    return vectors.T * np.sqrt(n)


def chunk_of(X, labels, classes: np.ndarray, start: int, dtype) -> Chunk:
    """Rows and codes of a chunk."""
    block = block_of(np.ascontiguousarray(X, dtype=dtype), labels, classes, start)
    return Chunk(block.X, block.codes, start)


def fit_on_dask(learner, rows, labels):
    """LMNN or LMCA of Dask collections, on the current client's workers."""
    from nearkin.scale.dask_source import DaskSource

    source, plan = DaskSource(rows, labels), OnDask()
    classes = plan.shared(source.classes)
    chunks = [
        plan.call(chunk_of, X, part, classes, start, source.dtype)
        for X, part, start in zip(source.row_chunks, source.label_chunks, source.starts)
    ]
    return fit_large_margin(learner, source, plan.kept(chunks), source.starts, plan)


def fit_in_memory(learner, X, y):
    """The same of rows in memory, as one chunk; what pays is the search by FAISS."""
    X, codes = learner._validate_labelled(X, y, min_classes=2)
    source = LocalSource(X, learner.classes_[codes])
    return fit_large_margin(learner, source, [Chunk(X, codes, 0)], [0], Eager())


def check_can_be_split(learner) -> None:
    """Raise where a setting asks for what is not done over chunks; nothing has been computed then."""
    unused = {"kernel": None, "refresh_targets": 0, "n_init": 1, "warm_start": False}
    for name, value in unused.items():
        # "auto" never asks for what cannot be done.
        if getattr(learner, name) not in (value, "auto"):
            raise TypeError(
                f"{type(learner).__name__} with {name}={getattr(learner, name)!r} cannot be split over "
                f"workers; leave {name} out, or fit a sample: fit(X, y, fit_sample='auto')."
            )
