"""How each method of Rajabzadeh and others (2018) is built: preparation, learner and what is chosen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import Normalizer, StandardScaler

from nearkin.evaluation import Candidate
from nearkin.experiments.estimators import classifier, neighbours
from nearkin.experiments.paper import Method, Setup
from nearkin.experiments.papers.rajabzadeh2018.printed import LARGE_METHODS
from nearkin.experiments.text_reduction import TextReduction
from nearkin.learners.closed_form import DMLMJ, MLEV
from nearkin.learners.gradient import LMNN
from nearkin.learners.local import GLML, LDDM, PLML
from nearkin.learners.prototype import LMDL, LPD, KernelLMDL
from nearkin.maps import KernelMap

IMAGE_DIMENSIONS, TEXT_DIMENSIONS = 100, 400
#: Rank of the factors on the sets of Table 5.
RANK = 100
#: Large sets on which settings are not tuned; on documents prototypes per class are not tuned either.
UNTUNED = ("Letter", "MNIST", "USPS")
#: Prototypes are trained for at most this many epochs on sets of more rows than this.
FEW_EPOCHS, MANY_ROWS = 60, 5_000
#: Slopes of the sigmoid for LPD and LMDL; kLMDL has widths to choose among.
SLOPES = [3.0, 1.0, 10.0]
#: Inner folds that choose kLMDL's settings on sets of Table 2 with fewer rows than this; the paper has ten.
KERNEL_FOLDS, FEW_ROWS = 5, 700
#: The kernel widths that the paper tries, as standard deviations.
WIDTHS = tuple(2.0**exponent for exponent in range(-15, 4))
#: Kernel factors tried on the sets of Table 5, as multiples of one over the summed variances.
KERNEL_FACTORS = (0.1, 0.4)
#: The same for KDMLMJ on the sets of Table 2, around the default of 1.
WIDER_FACTORS = (1.0, 0.1, 0.01)
#: Sets of Table 2 whose features stay as they come: there 1-NN of standardised features errs more than the
#: paper's by more than a printed standard deviation, and 1-NN of raw features does not.
AS_THEY_COME = ("Glass", "Iris", "Letter")
#: Numbers of neighbours that vote, of which the paper says nothing.
VOTERS = (1, 3, 5, 7)


def _prepare(setup: Setup) -> list:
    if setup.use.kind == "images":
        return [PCA(min(IMAGE_DIMENSIONS, setup.encoded.n_features), random_state=0)]
    if setup.use.kind == "documents":
        return [TextReduction(TEXT_DIMENSIONS), Normalizer()]
    return [StandardScaler(with_std=not _is_raw(setup))]


def _is_raw(setup: Setup) -> bool:
    return setup.use.label in AS_THEY_COME


def _is_tuned(setup: Setup) -> bool:
    return not (setup.quick or setup.use.label in UNTUNED)


def _grid(setup: Setup, **offered) -> dict:
    """Settings to choose inside the training part; large sets and quick runs keep the estimator's own."""
    return offered if _is_tuned(setup) else {}


def _nearest(label: str, learner: BaseEstimator, **offered) -> Method:
    """Nearest neighbours under a learned distance, their number chosen with its settings."""

    def build(setup: Setup) -> Candidate:
        # A fit of PLML to a set of Table 5 takes up to some minutes, one of GLML a second.
        slow, fast = label == "PLML" and setup.use.kind, label == "GLML" and setup.use.label == "USPS"
        tuned = fast or (_is_tuned(setup) and not slow)
        return neighbours(
            label,
            _prepare(setup),
            clone(learner),
            n_neighbors=VOTERS if tuned else 1,
            grid=offered if tuned else {},
        )

    def omit(setup: Setup) -> str:
        return "" if label in LARGE_METHODS else _not_in_table_5(setup)

    return Method(label, build, omit)


def _single(setup: Setup) -> Candidate:
    return neighbours("1NN", _prepare(setup))


def _not_in_table_5(setup: Setup) -> str:
    return "the paper has no number for it there" if setup.use.kind else ""


def _kernel_dmlmj(setup: Setup) -> Candidate:
    """DMLMJ after an RBF kernel, whose width is chosen, too."""
    learner = DMLMJ(kernel=KernelMap())
    if not _is_tuned(setup):
        return neighbours("KDMLMJ", _prepare(setup), learner)
    X = setup.encoded.X
    # Z-scores have a variance of one but where a feature is constant.
    variance = float(np.var(X, axis=0).sum() if _is_raw(setup) else np.sum(np.ptp(X, axis=0) > 0))
    kernels = [KernelMap(gamma=factor / variance) for factor in WIDER_FACTORS]
    grid: dict[str, list] = {"n_neighbors": [2, 5], "order": ["jeffrey", "ratio"], "kernel": kernels}
    return neighbours("KDMLMJ", _prepare(setup), learner, n_neighbors=VOTERS, grid=grid)


def _lmnn(setup: Setup) -> Candidate:
    """As many neighbours vote as there are targets, as in LMNN's own paper."""
    learner = LMNN(euclid_share=0.0, refresh_targets=0)
    base = neighbours("LMNN", _prepare(setup), learner, n_neighbors=learner.n_targets)
    renewed = {"model__learner__refresh_targets": [0] if setup.use.kind else [0, 3]}
    settings = [{"model__n_neighbors": [k], "model__learner__n_targets": [k], **renewed} for k in (3, 1, 5)]
    return Candidate("LMNN", base.estimator, settings if _is_tuned(setup) else {})


def _lddm(setup: Setup) -> Candidate:
    grid = _grid(setup, compactness=[0.3, 1.0], n_voters=[7, 15])
    return classifier("LDDM", _prepare(setup), LDDM(), grid)


def _training(setup: Setup) -> dict:
    many = setup.quick or setup.data.n_samples > MANY_ROWS
    # A class of 20NEWS has 90 training rows, in 400 dimensions.
    count = 1 if setup.use.kind == "documents" else 5
    return {"n_prototypes": count, **({"max_epochs": FEW_EPOCHS} if many else {})}


def _sizes(setup: Setup) -> dict[str, Any]:
    """As many coordinates on the sets of Table 5 as all other methods get."""
    if not setup.use.kind:
        return {}
    return {
        "rank": RANK,
        "n_components": TEXT_DIMENSIONS if setup.use.kind == "documents" else IMAGE_DIMENSIONS,
    }


def _counts(setup: Setup, *more: int) -> dict[str, list[int]]:
    return {} if setup.use.kind == "documents" else {"n_prototypes": [5, 1, *more]}


def _counts_and_slopes(setup: Setup) -> dict[str, list]:
    return _counts(setup) if setup.use.kind else {**_counts(setup, 10), "beta": SLOPES}


def _start(setup: Setup) -> dict[str, Any]:
    """Metrics start at the prepared coordinates, which by default would be standardised first."""
    return {"init_metric": "identity"} if _is_raw(setup) else {}


def _lpd(setup: Setup) -> Candidate:
    grid = _grid(setup, **_counts_and_slopes(setup))
    return classifier("LPD", _prepare(setup), LPD(**_start(setup), **_training(setup)), grid)


def _lmdl(setup: Setup) -> Candidate:
    grid = _grid(setup, **_counts_and_slopes(setup))
    learner = LMDL(**_start(setup), **_sizes(setup), **_training(setup))
    return classifier("LMDL", _prepare(setup), learner, grid)


def _kernel_lmdl(setup: Setup) -> Candidate:
    if setup.use.kind:
        # Rows of unit length have a total variance just below one.
        variance = 1.0 if setup.use.kind == "documents" else float(np.var(setup.encoded.X, axis=0).sum())
        offered = {"gamma": [factor / variance for factor in KERNEL_FACTORS]}
    else:
        # The first of equals is chosen: the widest kernel, whose boundaries are the smoothest.
        widths = reversed(distinct_widths(setup.encoded.X, standardised=not _is_raw(setup)))
        offered = {"gamma": [1 / (2 * width**2) for width in widths]}
    grid = _grid(setup, **_counts(setup), **offered)
    learner = KernelLMDL(**_sizes(setup), **_training(setup))
    candidate = classifier("kLMDL", _prepare(setup), learner, grid)
    if setup.use.kind or setup.data.n_samples >= FEW_ROWS:
        return candidate
    return replace(candidate, inner_folds=KERNEL_FOLDS)


def distinct_widths(X: np.ndarray, standardised: bool = True) -> tuple[float, ...]:
    """The paper's widths whose RBF kernels differ on these rows.

    The matrix of a narrow kernel is the identity. Of all widths at which 99 % of the rows have no kernel
    value above 1e-6 with any other row, only the largest is kept. Equal rows count once.

    >>> distinct_widths(np.arange(3.0)[:, None])
    (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
    """
    Z = StandardScaler(with_std=standardised).fit_transform(np.unique(X, axis=0))
    nearest = NearestNeighbors(n_neighbors=1).fit(Z).kneighbors()[0][:, 0]
    narrow = np.quantile(nearest, 0.01) / np.sqrt(2 * np.log(1e6))
    return WIDTHS[max(sum(width <= narrow for width in WIDTHS) - 1, 0) :]


COLUMNS = (
    Method("1NN", _single),
    Method("LPD", _lpd),
    Method("LMNN", _lmnn),
    Method("LDDM", _lddm, _not_in_table_5),
    _nearest("GLML", GLML(), shrinkage=["auto", 0.5], ridge=[0.1, 0.5, 0.9, 0.95]),
    _nearest("PLML", PLML(), pull=[1.0, 10.0, 100.0]),
    _nearest("MLEV", MLEV(), view=["global", "local"], balance=[0.5, 1.0]),
    _nearest("DMLMJ", DMLMJ(), n_neighbors=[2, 5], order=["jeffrey", "ratio"]),
    Method("KDMLMJ", _kernel_dmlmj, _not_in_table_5),
    Method("LMDL", _lmdl, own=True),
    Method("kLMDL", _kernel_lmdl, own=True),
)
