"""How each closed-form learner is solved from sums over rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from nearkin.learners.closed_form.dmlmj import DMLMJ
from nearkin.learners.closed_form.gmml import GMML
from nearkin.learners.closed_form.mlev import ANMM, MLEV
from nearkin.learners.closed_form.move import MoveLabeled, MoveQuery
from nearkin.learners.closed_form.rca import RCA, ChunkletScatter
from nearkin.learners.closed_form.two_scatters import Scatters
from nearkin.numerics.linear_metric import Span
from nearkin.scale.move_recipe import fit_move
from nearkin.scale.source import Source
from nearkin.scale.statistics import Block, Candidates, ClassSums, PairMoments, WithinMoments, added_each
from nearkin.scale.targets import nearest_of_other_classes, nearest_of_own_class


@dataclass(frozen=True)
class First:
    """The results of the first pass.

    Attributes
    ----------
    sums : ClassSums
    candidates : Candidates
        Rows that may be targets; empty if the learner does not need neighbours.
    sample : Candidates
        Rows on which "auto" settings are chosen; empty if there are none.
    bucket_bytes : int
        If not zero, all classes together do not fit into memory: rows are then shuffled by class into buckets
        of about this size, and `sums` treats all rows as one class.
    max_candidates : int or None
        Largest number of candidates of each class.
    """

    sums: ClassSums
    candidates: Candidates
    sample: Candidates
    bucket_bytes: int = 0
    max_candidates: int | None = None

    @property
    def shuffles(self) -> bool:
        return self.bucket_bytes > 0

    @property
    def leaves_open(self) -> bool:
        """Whether there are settings to choose on the sample."""
        return len(self.sample.codes) > 0

    def settled(self, learner) -> Any:
        """A clone of the learner fitted to the sample, to choose its settings."""
        settled = clone(learner)
        if hasattr(settled, "euclid_share"):
            settled.set_params(euclid_share=0.0)
        return settled.fit(self.sample.rows, self.sample.codes)

    def span(self) -> Span:
        """The features that are not constant, as a span."""
        varies = self.sums.lowest < self.sums.highest
        if varies.all() or not varies.any():
            return Span(np.empty((0, len(varies))), None)
        return Span(np.empty((0, int(varies.sum()))), np.eye(len(varies))[varies])


def fit_rca(learner: RCA, source: Source, first: First) -> None:
    learner._check_settings(source.n_features)
    sums = first.sums
    weights = (sums.sizes >= 2).astype(float)
    moments = source.total(partial(WithinMoments.of, means=sums.means, weights=weights), add, "moments")
    n, d = moments.n, source.n_features
    scatter = ChunkletScatter(moments.scatter / n, moments.fourth / n, n, d)
    # A few rows with the same scatter about the same mean stand in for those that are not in memory.
    values, vectors = np.linalg.eigh(moments.scatter + sums.between(sums.sizes))
    half = (vectors * np.sqrt(np.maximum(values, 0) / 2)).T
    components = learner._whitening(learner._covariance(scatter), np.vstack([half, -half]))
    learner.objective_ = float(np.trace(components @ scatter.mean @ components.T))
    learner.n_iter_ = 1
    keep_linear(learner, components, source.dtype)


def fit_two_scatters(learner: GMML | DMLMJ, source: Source, first: First) -> None:
    learner._check_settings(source.n_features)
    span = first.span()
    scatters = inside(span, scatters_of(source, first, learner._near_pairs()))
    learner.validation_scores_ = None
    if first.leaves_open:
        small = first.settled(learner)
        learner.validation_scores_, setting = small.validation_scores_, small._setting()
    else:
        setting = learner._candidates(span.rows.shape[1])[1]
    values, axes = learner._directions(learner._shrunk(scatters))
    learner.n_iter_ = 1
    L = span.lifted(learner._finished(values, axes, setting))
    if hasattr(learner, "kernel"):
        learner.lift_ = None
    learner._keep(np.ascontiguousarray(L, dtype=source.dtype))


def fit_scatter_difference(learner: MLEV | ANMM, source: Source, first: First) -> None:
    learner._check_settings(source.n_features)
    span = first.span()
    scatters = scatters_of(source, first, learner._near_pairs())
    kept, learner.validation_scores_ = None, None
    if first.leaves_open:
        small = first.settled(learner)
        kept, learner.validation_scores_ = len(small.eigenvalues_), small.validation_scores_
    learner._solve(span, inside(span, scatters), source.dtype, kept)


def scatters_of(source: Source, first: First, near: tuple[int, int] | None) -> Scatters:
    """Mean scatters of all pairs, or of each row with so many near rows of its own and of other classes."""
    if near is None:
        return scatters_of_all_pairs(source, first.sums)
    return scatters_of_near_pairs(source, first, *near)


def scatters_of_all_pairs(source: Source, sums: ClassSums) -> Scatters:
    """Mean scatters of all pairs within and between classes, as `pair_scatter.class_scatters`."""
    by_size = source.total(partial(_both_moments, means=sums.means, sizes=sums.sizes), added_each, "moments")
    n, sizes = sums.n, sums.sizes.astype(np.float64)
    similar = by_size[1].scatter
    total = n * (by_size[0].scatter + sums.between(sizes))
    n_similar = float((sizes * (sizes - 1)).sum()) / 2
    n_dissimilar = n * (n - 1) / 2 - n_similar
    return Scatters(similar / n_similar, (total - similar) / n_dissimilar)


def _both_moments(block: Block, means, sizes):
    ones = np.ones(len(sizes))
    return WithinMoments.of(block, means, ones), WithinMoments.of(block, means, sizes.astype(np.float64))


def scatters_of_near_pairs(source: Source, first: First, n_similar: int, n_dissimilar: int) -> Scatters:
    """Mean scatters of each row with its nearest candidates of its own class and of the others."""
    candidates, mean = first.candidates, first.sums.mean
    moments = source.total(
        partial(_near_moments, candidates=candidates, mean=mean, k=(n_similar, n_dissimilar)),
        added_each,
        "pairs",
    )
    if not all(part.n_pairs for part in moments):
        raise ValueError("there are no pairs of one kind: too few candidates; raise max_candidates.")
    return Scatters(*(part.scatter(candidates, mean) for part in moments))


def _near_moments(block: Block, candidates: Candidates, mean, k: tuple[int, int]):
    own = nearest_of_own_class(block, candidates, k[0])
    others = nearest_of_other_classes(block, candidates, k[1])
    return tuple(PairMoments.of(block, candidates, targets, mean) for targets in (own, others))


def inside(span: Span, scatters: Scatters) -> Scatters:
    """Scatters in the coordinates of the span."""
    if span.axes is None:
        return scatters
    return Scatters(*(span.axes @ scatter @ span.axes.T for scatter in scatters))


def keep_linear(learner, components: np.ndarray, dtype) -> None:
    """Set the map of a linear learner and its distance."""
    from nearkin.distances import AffineEmbedding, EmbeddedDistance

    learner.components_ = np.ascontiguousarray(components, dtype=dtype)
    learner.distance_ = EmbeddedDistance.symmetric(AffineEmbedding(learner.components_))


@dataclass(frozen=True)
class Recipe:
    """How a kind of learner is solved from sums over rows.

    Attributes
    ----------
    fit : callable(learner, source, first)
        Sets the fitted attributes.
    needs_neighbours : callable(learner) -> bool
    open_settings : tuple of str
        Settings that are chosen on held-out rows if they are "auto".
    min_classes : int
    own_class_only : bool
        Whether it only compares rows of the same class.
    """

    fit: Callable[[Any, Source, First], None]
    needs_neighbours: Callable[[Any], bool]
    open_settings: tuple[str, ...] = ()
    min_classes: int = 1
    own_class_only: bool = False

    def leaves_open(self, learner: Any) -> bool:
        """Whether a setting has to be chosen."""
        return "auto" in [getattr(learner, name) for name in self.open_settings]


def _has_near_pairs(learner) -> bool:
    return learner._near_pairs() is not None


RECIPES: dict[type, Recipe] = {
    RCA: Recipe(fit_rca, lambda learner: False),
    MoveLabeled: Recipe(
        fit_move, lambda learner: learner.n_targets != "all", ("alpha", "n_targets"), own_class_only=True
    ),
    MoveQuery: Recipe(fit_move, lambda learner: True, ("alpha", "n_targets"), own_class_only=True),
    GMML: Recipe(fit_two_scatters, _has_near_pairs, ("t",), 2),
    DMLMJ: Recipe(fit_two_scatters, _has_near_pairs, ("n_components",), 2),
    MLEV: Recipe(fit_scatter_difference, _has_near_pairs, ("n_components",), 2),
    ANMM: Recipe(fit_scatter_difference, _has_near_pairs, ("n_components",), 2),
}

Entry = TypeVar("Entry")


def registered(entries: Mapping[type, Entry], learner) -> Entry | None:
    """What is registered for the class of a learner, or else for the nearest of its base classes."""
    return next((entries[kind] for kind in type(learner).__mro__ if kind in entries), None)


def recipe_of(learner) -> Recipe:
    """The recipe of a learner; raises if it cannot be solved from sums over rows."""
    recipe = registered(RECIPES, learner)
    refusal = unknown(learner, "blocks of rows", RECIPES) if recipe is None else kernel_refusal(learner)
    if recipe is None or refusal is not None:
        raise TypeError(refusal)
    return recipe


def unknown(learner, rows: str, able: Iterable[type]) -> str:
    """The message for a learner that cannot be fitted to such rows."""
    known = ", ".join(kind.__name__ for kind in able)
    return (
        f"{type(learner).__name__} cannot be fitted from {rows} (those that can: {known}); {_remedy(learner)}"
    )


def kernel_refusal(learner) -> str | None:
    """Why sums over rows are not enough for this learner; None if they are."""
    if getattr(learner, "kernel", None) is None:
        return None
    return f"{type(learner).__name__} with a kernel cannot be fitted from blocks of rows; {_remedy(learner)}"


def _remedy(learner) -> str:
    return (
        f"fit it on a sample, nearkin.scale.fit_sample({type(learner).__name__}(...), rows, labels, "
        "n_rows=20_000), and embed all rows by nearkin.scale.transform_rows."
    )
