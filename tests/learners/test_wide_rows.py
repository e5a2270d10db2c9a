"""Fewer rows than features: learned in the span of the rows, with the answers of all d x d numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

from nearkin import LDML, LMCA, LMNN, MEGM, NCA, RCA, KNNClassifier
from nearkin.distances.embeddings import AffineEmbedding
from nearkin.distances.embeddings.blended import blended
from nearkin.learners.gradient.base import usual_spread
from nearkin.numerics.linear_metric import row_axes

N, D = 40, 70


@pytest.fixture
def wide():
    """Training rows whose usual spread is one, so that a given start is in their unit; queries; labels."""
    rng = np.random.default_rng(0)
    y = np.arange(N) % 3
    X, queries = rng.normal(size=(N, D)), rng.normal(size=(15, D))
    X[:, :5] += 0.5 * y[:, None]
    return X / usual_spread(X), queries, y


def relative(learner, queries, X):
    """Distances of each query to the rows beyond the nearest one's: what neighbours depend on."""
    D = learner.distance_.pairwise(queries, X)
    return D - D.min(axis=1, keepdims=True)


@pytest.mark.parametrize("share", [0.0, 0.4])
@pytest.mark.parametrize(
    "make",
    [
        lambda **how: NCA(max_iter=8, **how),
        lambda **how: LDML(max_iter=8, **how),
        lambda **how: MEGM(max_iter=4, early_stopping=False, **how),
    ],
    ids=["NCA", "LDML", "MEGM"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_span_gives_the_neighbours_of_the_whole_space(make, share, wide):
    X, queries, y = wide
    inside = make(euclid_share=share).fit(X, y)
    # A given start singles out features, so all d x d numbers are learned.
    whole = make(euclid_share=share, init=np.eye(D)).fit(X, y)
    assert inside.components_.shape == (N, D)
    assert whole.components_.shape == (D, D)
    assert inside.n_components_ == N
    assert inside.objective_ == pytest.approx(whole.objective_, rel=1e-6)
    expected = relative(whole, queries, X)
    np.testing.assert_allclose(relative(inside, queries, X), expected, atol=1e-5 * expected.max())


@pytest.mark.parametrize("learner", [LMNN(), LMCA(), LMCA(n_components=5), NCA(n_components=3)], ids=str)
def test_transform_distance_and_votes_agree(learner, wide):
    X, queries, y = wide
    Z, references = learner.fit(X, y).transform(queries), learner.transform(X)
    assert Z.shape == (15, learner.n_components_)
    expected = ((Z[:, None] - references) ** 2).sum(-1)
    np.testing.assert_allclose(learner.distance_.pairwise(queries, X), expected, rtol=1e-8)
    assert KNNClassifier(learner, n_neighbors=1).fit(X, y).score(X, y) == 1.0


def test_starts_that_single_out_features_keep_all_of_them(wide):
    X, _, y = wide
    starts = (NCA(init="random", random_state=0), NCA(3, init="identity"), NCA(init=np.eye(D)))
    for learner in (*starts, NCA(N + 5)):
        learner.set_params(max_iter=2, tol=10.0, euclid_share=0.0).fit(X, y)
        assert learner.lift_ is None
        assert learner.components_.shape == (learner.n_components or D, D)


def test_a_warm_start_may_meet_rows_outside_the_span(wide):
    X, queries, y = wide
    learner = NCA(warm_start=True, max_iter=3, tol=10.0, euclid_share=0.0).fit(X, y)
    assert learner.components_.shape == (D, D)
    assert learner.fit(np.vstack([X[5:], queries[:5]]), y).components_.shape == (D, D)


@pytest.mark.parametrize("shrinkage", ["auto", 0.2])
@pytest.mark.parametrize("n_components", [None, 4])
def test_rca_is_the_formula_in_all_features(shrinkage, n_components, wide):
    X, queries, y = wide
    learner = RCA(n_components, shrinkage, euclid_share=0.0).fit(X, y)
    apart = X - np.stack([X[y == code].mean(axis=0) for code in range(3)])[y]
    S = apart.T @ apart / N
    C = (1 - learner.shrinkage_) * S + learner.shrinkage_ * np.trace(S) / D * np.eye(D)
    L = linalg.sqrtm(np.linalg.inv(C)).real
    if n_components is not None:
        L = np.linalg.svd((X - X.mean(axis=0)) @ L)[2][:n_components] @ L
    Z, references = queries @ L.T, X @ L.T
    expected = ((Z[:, None] - references) ** 2).sum(-1)
    expected -= expected.min(axis=1, keepdims=True)
    assert len(learner.components_) == (n_components or N)
    np.testing.assert_allclose(relative(learner, queries, X), expected, atol=1e-8 * expected.max())
    assert learner.objective_ == pytest.approx(np.trace(L @ S @ L.T))


def test_a_blend_keeps_to_axes_only_where_the_map_does(wide):
    X = wide[0]
    axes = row_axes(X)
    np.testing.assert_allclose(axes @ axes.T, np.eye(N), atol=1e-12)
    np.testing.assert_allclose((X @ axes.T) @ axes, X, atol=1e-12)
    inside = AffineEmbedding(np.random.default_rng(1).normal(size=(3, N)) @ axes)
    small, large = blended(inside, 0.6, 0.8, axes), blended(inside, 0.6, 0.8)
    assert (small.matrix.shape, large.matrix.shape) == ((N, D), (D, D))
    np.testing.assert_allclose(small(X) @ small(X).T, large(X) @ large(X).T, atol=1e-9)
    beyond = AffineEmbedding(np.random.default_rng(1).normal(size=(3, D)))
    np.testing.assert_array_equal(blended(beyond, 0.6, 0.8, axes).matrix, blended(beyond, 0.6, 0.8).matrix)
