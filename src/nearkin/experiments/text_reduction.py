"""Documents as a few hundred numbers each, computed once per training part for all methods."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.validation import check_is_fitted, validate_data

from nearkin.evaluation.fingerprints import array_digest

#: Fits remembered by a process: one fold's training part and its inner parts, and some to spare.
REMEMBERED = 8
_fits: OrderedDict[tuple, tuple] = OrderedDict()


class TextReduction(TransformerMixin, BaseEstimator):
    """Truncated singular value decomposition of term weights.

    Every method of an experiment sees the same training parts, and the decomposition takes longer than most
    methods do. A process therefore remembers its last few fits and returns them for equal rows.

    Parameters
    ----------
    n_components : int
        Dimensions kept, at most one less than the number of terms or rows.
    weigh_terms : bool
        Whether the rows are counts, to be weighed by tf-idf first.
    random_state : int
        Of the randomised decomposition; a fixed number, so that all methods get the same.

    Examples
    --------
    >>> from scipy.sparse import random
    >>> X = random(50, 40, density=0.2, format="csr", random_state=0)
    >>> TextReduction(5).fit(X).transform(X).shape
    (50, 5)
    """

    def __init__(self, n_components=300, weigh_terms=False, random_state=0):
        self.n_components = n_components
        self.weigh_terms = weigh_terms
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def fit(self, X, y=None):
        """Learn term weights and directions from the rows of X."""
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_features=2)
        key = (array_digest(X), self.n_components, self.weigh_terms, self.random_state)
        if key not in _fits:
            _fits[key] = self._decompose(X)
            while len(_fits) > REMEMBERED:
                _fits.popitem(last=False)
        _fits.move_to_end(key)
        self.weights_, self.decomposition_ = _fits[key]
        return self

    def _decompose(self, X) -> tuple:
        weights = TfidfTransformer(sublinear_tf=True).fit(X) if self.weigh_terms else None
        Z = X if weights is None else weights.transform(X)
        n_components = max(1, min(self.n_components, min(Z.shape) - 1))
        svd = TruncatedSVD(n_components, random_state=self.random_state)
        # Single precision takes half the time and leaves the neighbours as they are.
        return weights, svd.fit(Z.astype(np.float32))

    def transform(self, X) -> np.ndarray:
        """Rows in the reduced space, in single precision."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        Z = X if self.weights_ is None else self.weights_.transform(X)
        return self.decomposition_.transform(Z.astype(np.float32))
