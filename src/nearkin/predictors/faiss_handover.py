"""Export of learned references to FAISS, for raw queries and any metric of the index."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from nearkin._types import Estimator, MatrixLike
from nearkin.distances import EmbeddedDistance
from nearkin.predictors.raw_rows import RawRows, before_last
from nearkin.search import FaissIndex
from nearkin.search.faiss import load_faiss

#: Means and deviations of standardised columns are 0 and 1 up to this.
STANDARDISED = 1e-4


def to_faiss(model: Estimator, kind: str = "flat", metric: str = "l2") -> Any:
    """A FAISS index of a fitted predictor or pipeline, for raw queries.

    Scalers, projections and all other affine maps of the rows are applied inside the index, and so is a
    `Normalizer` in the first place. Any other step is refused.

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
        Its search takes the same rows as ``model.predict``, in float32, and gives training row numbers.

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
    predictor = model.steps[-1][1]
    if not hasattr(predictor, "references_"):
        raise TypeError(f"{type(predictor).__name__} has no references that an index could hold.")
    before = before_last(model)
    folding = _folding(predictor, kind, metric)
    queries = before.then(*folding.query_map(len(before.matrix)))
    return _taking_raw(_bare(predictor, kind, folding), queries, metric)


def index_of(predictor: Estimator, kind: str, metric: str, queries: str) -> Any:
    """What `to_faiss` of a predictor returns."""
    if queries not in ("raw", "embedded"):
        raise ValueError(f"queries={queries!r}: expected 'raw' or 'embedded'.")
    folding = _folding(predictor, kind, metric)
    if queries == "embedded":
        return _bare(predictor, kind, folding)
    if _standardised(predictor.references_):
        warnings.warn(
            "every column of the references has mean 0 and deviation 1, as after a StandardScaler: queries "
            "must be scaled in the same way. nearkin.to_faiss(pipeline) includes the scaler in the index.",
            stacklevel=3,
        )
    raw = RawRows(*folding.query_map(predictor.n_features_in_))
    return _taking_raw(_bare(predictor, kind, folding), raw, metric)


def _folding(predictor: Estimator, kind: str, metric: str) -> Any:
    """How the index holds the distance; lists and graphs work well only for vectors of equal length."""
    distance = predictor.distance_
    if not isinstance(distance, EmbeddedDistance):
        raise TypeError(f"{type(distance).__name__} is not an embedding, so FAISS cannot hold it.")
    if metric == "ip" and kind != "flat":
        metric = "cosine"
    return distance.folded(metric, predictor.references_ if metric == "cosine" else None)


def _bare(predictor: Estimator, kind: str, folding: Any) -> Any:
    vectors = folding.embed_references(predictor.references_)
    if folding.metric == "cosine":
        # In FAISS, cosines are inner products of vectors of length one.
        vectors = vectors / np.sqrt(folding.squared_radius)
    return FaissIndex(kind).hold(vectors, inner_product=folding.metric != "l2")


def _taking_raw(index: Any, queries: RawRows, metric: str) -> Any:
    """The index behind the transforms from raw rows to queries; the index itself if there are none."""
    if queries.does_nothing:
        return index
    matrix, constant = (
        np.ascontiguousarray(part, dtype=np.float32) for part in (queries.matrix, queries.constant)
    )
    faiss = load_faiss()
    linear = faiss.LinearTransform(matrix.shape[1], matrix.shape[0], True)
    faiss.copy_array_to_vector(matrix.ravel(), linear.A)
    faiss.copy_array_to_vector(constant, linear.b)
    linear.is_trained = True
    before = [linear]
    if queries.normalised:
        before.insert(0, faiss.NormalizationTransform(matrix.shape[1], 2.0))
    if metric == "cosine":
        before.append(faiss.NormalizationTransform(matrix.shape[0], 2.0))
    for transform in reversed(before):
        index = faiss.IndexPreTransform(transform, index)
    return index


def _standardised(references: MatrixLike) -> bool:
    if sparse.issparse(references) or references.shape[0] < 3:
        return False
    deviations = references.std(axis=0, dtype=np.float64)
    if (deviations == 0).all():
        return False
    means = references.mean(axis=0, dtype=np.float64)
    fine = (abs(deviations - 1) < STANDARDISED) | (deviations == 0)
    return bool((abs(means) < STANDARDISED).all() and fine.all())
