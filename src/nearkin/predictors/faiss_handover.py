"""Handing learned references over to FAISS so that raw queries find them, whatever metric the index has."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import Normalizer
from sklearn.utils.validation import check_is_fitted

from nearkin.distances import EmbeddedDistance
from nearkin.search import FaissIndex
from nearkin.search.faiss import load_faiss

#: Mean and deviation of standardised columns are exact up to rounding.
STANDARDISED = 1e-4
#: Agreement that shows a step to be an affine map, relative to the size of what it gives.
AFFINE = 1e-6


def to_faiss(model, kind: str = "flat", metric: str = "l2"):
    """A FAISS index of a fitted predictor or pipeline, to be searched with raw queries.

    Scalers, projections and whatever else is an affine map of the rows is done inside the index, and so is
    a `Normalizer` that comes first. Any other step is refused.

    Parameters
    ----------
    model : KNNClassifier, KNNRegressor, or a Pipeline that ends with one
        Fitted.
    kind : {"flat", "ivf", "hnsw"}
    metric : {"l2", "ip", "cosine"}
        As for `KNNClassifier.to_faiss`.

    Returns
    -------
    faiss.Index
        Its search takes float32 rows as ``model.predict`` does, and gives the rows of the training set.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from nearkin import KNNClassifier, MoveLabeled, to_faiss
    >>> X, y = load_wine(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), KNNClassifier(MoveLabeled())).fit(X, y)
    >>> to_faiss(model, metric="cosine").search(X[:2].astype("float32"), 5)[1].shape
    (2, 5)
    """
    check_is_fitted(model)
    if not isinstance(model, Pipeline):
        return model.to_faiss(kind, metric)
    steps = [(name, step) for name, step in model.steps[:-1] if step is not None and step != "passthrough"]
    predictor = model.steps[-1][1]
    if not hasattr(predictor, "references_"):
        raise TypeError(f"{type(predictor).__name__} has no references that an index could hold.")
    n_features = model.n_features_in_
    normalised = bool(steps) and isinstance(steps[0][1], Normalizer) and steps[0][1].norm == "l2"
    matrix, constant = np.eye(n_features), np.zeros(n_features)
    for name, step in steps[normalised:]:
        step_matrix, step_constant = _affine(name, step, len(matrix))
        matrix, constant = step_matrix @ matrix, step_matrix @ constant + step_constant
    folding = _folding(predictor, kind, metric)
    last_matrix, last_constant = folding.query_map(len(matrix))
    before = (last_matrix @ matrix, last_matrix @ constant + last_constant)
    return _taking_raw(_bare(predictor, kind, folding), before, metric, normalised)


def index_of(predictor, kind: str, metric: str, queries: str):
    """What `to_faiss` of a predictor returns."""
    if queries not in ("raw", "embedded"):
        raise ValueError(f"queries={queries!r}: expected 'raw' or 'embedded'.")
    folding = _folding(predictor, kind, metric)
    if queries == "embedded":
        return _bare(predictor, kind, folding)
    if _standardised(predictor.references_):
        warnings.warn(
            "every column of the references has mean 0 and deviation 1, as after a StandardScaler: queries "
            "to this index must be scaled likewise. nearkin.to_faiss(pipeline) puts the scaler into it.",
            stacklevel=3,
        )
    return _taking_raw(
        _bare(predictor, kind, folding), folding.query_map(predictor.n_features_in_), metric, False
    )


def _folding(predictor, kind: str, metric: str):
    """How the index holds the distance; lists and graphs are good for vectors of one length only."""
    distance = predictor.distance_
    if not isinstance(distance, EmbeddedDistance):
        raise TypeError(f"{type(distance).__name__} is not an embedding, so FAISS cannot hold it.")
    if metric == "ip" and kind != "flat":
        metric = "cosine"
    return distance.folded(metric, predictor.references_ if metric == "cosine" else None)


def _bare(predictor, kind: str, folding):
    vectors = folding.embed_references(predictor.references_)
    if folding.metric == "cosine":
        # FAISS knows cosines as inner products of vectors of length one.
        vectors = vectors / np.sqrt(folding.squared_radius)
    return FaissIndex(kind).hold(vectors, inner_product=folding.metric != "l2")


def _taking_raw(index, query_map, metric: str, normalised: bool):
    """The index behind the transforms that make queries of raw rows; itself if there is nothing to do."""
    matrix, constant = (np.ascontiguousarray(part, dtype=np.float32) for part in query_map)
    nothing = (
        matrix.shape[0] == matrix.shape[1] and not constant.any() and (matrix == np.eye(len(matrix))).all()
    )
    if nothing and not normalised:
        return index
    faiss = load_faiss()
    linear = faiss.LinearTransform(matrix.shape[1], matrix.shape[0], True)
    faiss.copy_array_to_vector(matrix.ravel(), linear.A)
    faiss.copy_array_to_vector(constant, linear.b)
    linear.is_trained = True
    before = [linear]
    if normalised:
        before.insert(0, faiss.NormalizationTransform(matrix.shape[1], 2.0))
    if metric == "cosine":
        before.append(faiss.NormalizationTransform(matrix.shape[0], 2.0))
    for transform in reversed(before):
        index = faiss.IndexPreTransform(transform, index)
    return index


def _standardised(references) -> bool:
    if sparse.issparse(references) or references.shape[0] < 3:
        return False
    deviations = references.std(axis=0, dtype=np.float64)
    if (deviations == 0).all():
        return False
    means = references.mean(axis=0, dtype=np.float64)
    fine = (abs(deviations - 1) < STANDARDISED) | (deviations == 0)
    return bool((abs(means) < STANDARDISED).all() and fine.all())


def _affine(name: str, step, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Matrix and constant of a fitted step, found by asking it; refused unless other rows agree."""
    refusal = TypeError(
        f"step {name!r} ({type(step).__name__}) is not an affine map of the rows, so the index cannot do it; "
        "transform queries with the pipeline's first steps, and use queries='embedded'."
    )

    def ask(rows: np.ndarray) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the step may miss the names of its columns
            found = np.asarray(step.transform(rows), dtype=np.float64)
        if found.ndim != 2 or len(found) != len(rows):
            raise refusal
        return found

    try:
        constant = ask(np.zeros((1, n_features)))[0]
        matrix = (ask(np.eye(n_features)) - constant).T
        # Small, usual and large rows: what clips or bends shows itself in one of them.
        rows = (
            np.random.default_rng(0).standard_normal((12, n_features))
            * np.repeat([1e-2, 1.0, 1e3], 4)[:, None]
        )
        found, expected = ask(rows), rows @ matrix.T + constant
    except (TypeError, ValueError, AttributeError) as error:
        raise refusal from error
    sizes = abs(rows) @ abs(matrix).T + abs(constant) + np.finfo(np.float64).tiny
    if not (abs(found - expected) <= AFFINE * sizes).all():
        raise refusal
    return matrix, constant
