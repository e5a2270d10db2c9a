"""Unfitted models from what was asked for: a scaler, then neighbours under a learner's distance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nearkin._types import Estimator, MatrixLike

if TYPE_CHECKING:
    from nearkin.datasets import Dataset
    from nearkin.learners import Learner

EUCLID = "Euclid"
SCALE_CHOICES = ("auto", "standard", "minmax", "none")
#: Numbers of neighbours that tuning chooses from.
NEIGHBOUR_GRID = (1, 3, 5, 9, 15)
DEFAULT_NEIGHBOURS = 5
TUNE_CHOICES = ("quick", "full", "none")
#: How far from one the length of a row of unit length may be.
UNIT_TOLERANCE = 5e-3
#: Settings of a learner that quick tuning tries.
QUICK_SETTINGS = 2


def make_scaler(scale: str, sparse: bool) -> Estimator | None:
    """A scikit-learn scaler or "passthrough"; sparse data is never centred, which would make it dense."""
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

    if scale not in SCALE_CHOICES:
        raise ValueError(f"scale={scale!r}: expected one of {', '.join(SCALE_CHOICES)}.")
    if scale == "none" or (scale == "auto" and sparse):
        return "passthrough"
    if scale == "minmax":
        return MaxAbsScaler() if sparse else MinMaxScaler()
    return StandardScaler(with_mean=not sparse)


def settled_scale(scale: str, X: MatrixLike) -> tuple[str, list[str]]:
    """The scaling meant for these rows, and a notice if "auto" met rows of unit length.

    Such rows are embeddings: scaling would change the directions that their encoder gave them, and queries to
    an index come unscaled.

    >>> import numpy as np
    >>> settled_scale("auto", np.array([[0.6, 0.8], [0.0, 1.0], [-1.0, 0.0]]))[0]
    'none'
    """
    if scale != "auto" or not has_unit_rows(X):
        return scale, []
    return "none", ["The rows have unit length, as embeddings do: they are not scaled."]


def has_unit_rows(X: MatrixLike) -> bool:
    """Whether all rows have length one, up to the rounding of half precision; zero rows do not count."""
    import numpy as np

    from nearkin.numerics.products import squared_norms

    # A table with columns to encode is not a set of vectors.
    if X.shape[1] < 2 or hasattr(X, "columns"):
        return False
    norms = squared_norms(X)
    norms = norms[norms > 0]
    return len(norms) > 1 and bool((abs(np.sqrt(norms) - 1) < UNIT_TOLERANCE).all())


def make_model(
    learner: Estimator,
    task: str,
    *,
    scale: str = "auto",
    sparse: bool = False,
    n_neighbors: int | None = None,
    by_neighbours: bool = False,
    encoder: Estimator | None = None,
    hubs: str | None = None,
) -> Estimator:
    """A pipeline of the table's encoder (if it needs one), the scaler and the predictor.

    Learners that predict by themselves are the predictor, unless neighbours are insisted on.
    """
    from sklearn.pipeline import Pipeline

    from nearkin.predictors import KNNClassifier, KNNRegressor

    if learner is not None and predicts_itself(learner) and not by_neighbours:
        predictor = learner
    else:
        kind = KNNClassifier if task == "classification" else KNNRegressor
        predictor = kind(learner, n_neighbors=n_neighbors or DEFAULT_NEIGHBOURS, hubs=hubs)
    return Pipeline([*first_step(encoder), ("scale", make_scaler(scale, sparse)), ("model", predictor)])


def first_step(encoder: Estimator | None) -> list:
    """The step that turns a table into numbers, where there is one."""
    return [] if encoder is None else [("table", encoder)]


def predicts_itself(learner: Estimator) -> bool:
    """Whether the learner decides without neighbours, as the prototype learners do.

    A discriminant of scikit-learn predicts too, but is here for its transform.
    """
    return hasattr(learner, "predict") and hasattr(learner, "tuning_grid")


def chosen_learners(requested: Any, task: str, sparse: bool) -> tuple[dict[str, Any], list[str]]:
    """Learners that take part, by label, and notices about those that are left out.

    Parameters
    ----------
    requested : None, str or iterable of names, classes and instances
        None stands for every learner found by discovery that supports the task and the kind of data;
        asking for one that does not is an error. An instance takes part with its own settings, a class
        with those that tuning chooses; transformers and pipelines of scikit-learn are accepted too.
    task : {"classification", "regression"}
    sparse : bool
        Whether the data is.

    Examples
    --------
    >>> list(chosen_learners("rca, nca", "classification", sparse=False)[0])
    ['RCA', 'NCA']
    """
    from nearkin.learners import all_learners

    if requested is None:
        for_task = {name: found for name, found in all_learners().items() if task in found.tasks}
        fitting = {name: found for name, found in for_task.items() if found.accepts_sparse or not sparse}
        left_out = [name for name in for_task if name not in fitting]
        notice = f"The data is sparse; learners that would make it dense are left out: {', '.join(left_out)}."
        return fitting, [notice] if left_out else []
    found = labelled(requested)
    for label, learner in found.items():
        check_supports(label, learner, task, sparse)
    return found, []


def check_supports(label: str, learner: Estimator, task: str, sparse: bool) -> None:
    """Refuse a learner that is for another task, or for dense data only."""
    if task not in getattr(learner, "tasks", (task,)):
        raise ValueError(f"{label} is for {' and '.join(learner.tasks)}, but the task is {task}.")
    if sparse and not getattr(learner, "accepts_sparse", True):
        raise ValueError(
            f"{label} does not take sparse data; reduce it first (for instance by truncated SVD)."
        )


def labelled(requested: Any) -> dict[str, Any]:
    """Learner classes and instances by unique labels; without Euclid, which always takes part."""
    from nearkin.learners import Learner

    if isinstance(requested, str):
        requested = requested.split(",")
    elif not isinstance(requested, Iterable):
        requested = [requested]
    found = []
    for item in requested:
        if isinstance(item, str):
            if item.strip().lower() not in ("", EUCLID.lower()):
                found.append(learner_named(item.strip()))
        elif issubclass(item, Learner) if isinstance(item, type) else _learns_or_transforms(item):
            found.append(item)
        else:
            raise TypeError(f"learners: {item!r} is not a learner, its class or its name, nor a transformer.")
    kinds = [item if isinstance(item, type) else type(item) for item in found]
    counts = Counter(kinds)
    labels = [
        kind.__name__ if counts[kind] == 1 or isinstance(item, type) else " ".join(repr(item).split())
        for kind, item in zip(kinds, found)
    ]
    return dict(zip(labels, found))


def _learns_or_transforms(item: Any) -> bool:
    from nearkin.learners import Learner

    return isinstance(item, Learner) or (hasattr(item, "fit") and hasattr(item, "transform"))


def learner_named(name: str) -> type[Learner]:
    """The learner class of that name; an unknown name is answered with the nearest ones."""
    from nearkin.datasets.errors import close_matches
    from nearkin.learners import all_learners, find_learner

    try:
        return find_learner(name)
    except ValueError:
        known = all_learners()
        hint = close_matches(name, known)
        raise ValueError(f"there is no learner {name!r}.{hint} Known: {', '.join(known)}.") from None


def smallest_training_part(n_rows: int, n_folds: int) -> int:
    """Rows that the smallest inner fold of a tuned comparison trains on."""
    from nearkin.evaluation.measurement import inner_training_rows

    return inner_training_rows(n_rows - -(-n_rows // max(2, n_folds)))


def make_candidates(
    data: Dataset,
    learners: Mapping[str, Any],
    *,
    scale: str,
    n_neighbors: int | None,
    n_folds: int,
    tune: str = "quick",
    corrected: Mapping[str, Any] | None = None,
    hubs: Sequence[str] = (),
) -> list:
    """Euclid and each learner as candidates, with the grids to choose from inside the training folds.

    For an instance only the number of neighbours is tuned. Euclid and the learners in `corrected` take part
    again with each of the hub corrections `hubs`, as "Euclid + csls" and so on. Candidates that vote by
    neighbours have Euclid as their stand-in: until tuned, they use the number of neighbours best for Euclid.
    """
    from nearkin.evaluation import Candidate

    if tune not in TUNE_CHOICES:
        raise ValueError(f"tune={tune!r}: expected one of {', '.join(TUNE_CHOICES)}.")
    limit = smallest_training_part(data.n_samples, n_folds)
    if n_neighbors and n_neighbors > limit:
        raise ValueError(
            f"n_neighbors={n_neighbors} is more than the {limit} rows that inner folds train on; "
            "use fewer neighbours."
        )
    neighbours = (
        {} if n_neighbors else {"model__n_neighbors": [k for k in NEIGHBOUR_GRID if k <= limit] or [1]}
    )

    n_samples, n_features, sparse, n_classes = data.n_samples, data.n_features, data.is_sparse, data.n_classes

    def candidate(label: str, requested: Any, correction: str | None = None) -> Candidate:
        as_it_is = not isinstance(requested, type)
        learner = requested if as_it_is else requested()
        model = make_model(
            learner,
            data.task,
            scale=scale,
            sparse=sparse,
            n_neighbors=n_neighbors,
            encoder=data.encoder,
            hubs=correction,
        )
        itself = learner is not None and predicts_itself(learner)
        own = {} if itself else neighbours
        settings: list[dict] = [{}]
        if not (as_it_is or tune == "none" or (tune == "quick" and learner.slow)):
            prefix = "model__" if itself else "model__learner__"
            grid = learner.tuning_grid(n_samples, n_features, max(1, n_classes))
            settings = thinned(grid, learner.get_params(), QUICK_SETTINGS if tune == "quick" else None)
            settings = [{prefix + key: [value] for key, value in setting.items()} for setting in settings]
        grids = [{**own, **setting} for setting in settings]
        return Candidate(label, model, grids if any(grids) else {}, tuple(own))

    quickest_first = sorted(learners.items(), key=lambda item: getattr(item[1], "slow", False))
    voting = {label: found for label, found in (corrected or {}).items() if not predicts_itself(found)}
    again = [
        candidate(f"{label} + {correction}", requested, correction)
        for label, requested in {EUCLID: None, **voting}.items()
        for correction in hubs
    ]
    euclid = candidate(EUCLID, None)
    found = [euclid, *(candidate(*item) for item in quickest_first), *again]
    return [replace(each, stand_in=euclid) if each.predict_time else each for each in found]


def named_corrections(requested: str | Sequence[str] | None) -> list[str]:
    """Hub corrections by name; a string may hold several, separated by commas.

    >>> named_corrections("csls, nicdm")
    ['csls', 'nicdm']
    """
    from nearkin.distances.hub_correction import CORRECTIONS

    items = requested.split(",") if isinstance(requested, str) else list(requested or ())
    names = [item.strip().lower() for item in items if item.strip()]
    for name in names:
        if name not in CORRECTIONS:
            raise ValueError(f"hubs: {name!r} is none of {', '.join(CORRECTIONS)}.")
    return names


def thinned(grid: Mapping[str, list], defaults: Mapping, limit: int | None) -> list[dict]:
    """At most `limit` settings of a grid: the learner's own defaults, if there, and others spread evenly.

    >>> thinned({"a": [1, 2, 3], "b": [0, 9]}, {"a": 2, "b": 0}, 3)
    [{'a': 1, 'b': 0}, {'a': 2, 'b': 0}, {'a': 3, 'b': 9}]
    """
    from sklearn.model_selection import ParameterGrid

    settings = list(ParameterGrid(dict(grid)))
    if limit is None or len(settings) <= limit:
        return settings
    usual = [i for i, setting in enumerate(settings) if all(defaults.get(k) == v for k, v in setting.items())]
    spread = [round(i * (len(settings) - 1) / (limit - 1)) for i in range(limit)]
    if usual and usual[0] not in spread:
        nearest = min(spread, key=lambda position: (abs(position - usual[0]), position))
        spread[spread.index(nearest)] = usual[0]
    return [settings[position] for position in spread]
