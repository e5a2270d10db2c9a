"""Fewer rows than features: learned in the span of the rows, with the answers of all d x d numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg
from scipy.special import softmax

from nearkin import LDML, LEGO, LMCA, LMDL, LMNN, MEGM, NCA, PLML, RCA, KNNClassifier, MoLMNN
from nearkin.distances.embeddings import AffineEmbedding
from nearkin.distances.embeddings.blended import blended
from nearkin.learners.gradient.base import usual_spread
from nearkin.learners.prototype.starts import start_matrix
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
    others = np.vstack([X[5:], queries[:5]])
    learner = NCA(warm_start=True, max_iter=3, tol=10.0, euclid_share=0.0).fit(X, y)
    assert learner.components_.shape == (D, D)
    assert learner.fit(others, y).components_.shape == (D, D)
    mixture = MoLMNN(warm_start=True, tol=10.0, random_state=0, euclid_share=0.0).fit(X, y)
    # Positions are still measured from the mean of the first rows.
    np.testing.assert_allclose(mixture.fit(others, y).lift_.origin, X.mean(axis=0))
    assert mixture.gates_.shape == (2, D + 1)


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


def test_prototypes_start_from_the_principal_axes_of_all_features(wide):
    X, _, y = wide
    weights = np.full(N, 1 / N)
    matrix, _ = start_matrix(X, y, weights, "pca", 30)
    centred = X - X.mean(axis=0)
    _, vectors = np.linalg.eigh(centred.T @ centred / N)
    expected = vectors[:, ::-1][:, :30].T
    # One number makes the mean squared coordinate one.
    size = np.linalg.norm(matrix, axis=1)
    np.testing.assert_allclose(size, size[0])
    np.testing.assert_allclose(np.abs(np.sum(matrix / size[0] * expected, axis=1)), 1.0)
    learner = LMDL(random_state=0, euclid_share=0.0).fit(X, y)
    # Centred rows span one dimension less than there are rows.
    assert learner.distance_.centres.shape[1] == N - 1
    assert learner.prototypes_.shape[1] == D


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_mixture_is_published_in_the_features(wide):
    X, queries, y = wide
    learner = MoLMNN(max_iter=3, random_state=0, euclid_share=0.0).fit(X, y)
    assert learner.projections_.shape == (2, N, D)
    assert learner.gates_.shape == (2, D + 1)
    centred = queries - X.mean(axis=0)
    gates = softmax(centred @ learner.gates_[:, :-1].T + learner.gates_[:, -1], axis=1)
    np.testing.assert_allclose(learner.gate(queries), gates)
    Z = np.concatenate([gates[:, [m]] * (centred @ learner.projections_[m].T) for m in range(2)], axis=1)
    np.testing.assert_allclose(learner.transform(queries), Z, atol=1e-9)
    # What lies outside the span of the rows opens no gate.
    outside = queries - queries @ row_axes(X).T @ row_axes(X)
    np.testing.assert_allclose(learner.gate(queries + outside), learner.gate(queries), atol=1e-9)


def test_a_stream_learned_in_the_span_goes_on_in_all_features(wide):
    X, queries, _ = wide
    pairs, similar = [[0, 1], [2, 5], [3, 4], [7, 9]], [False, True, False, True]
    inside = LEGO(eta=1.0, bounds=(5.0, 20.0)).fit(X, pairs=pairs, similar=similar)
    whole = LEGO(eta=1.0, bounds=(5.0, 20.0)).partial_fit(X, pairs=pairs, similar=similar)
    assert inside.components_.shape == (N, D)
    assert whole.components_.shape == (D, D)
    expected = relative(whole, queries, X)
    np.testing.assert_allclose(relative(inside, queries, X), expected, atol=1e-8 * expected.max())
    both = [
        one.partial_fit(queries, pairs=[[0, 1], [2, 3]], similar=[True, False]) for one in (inside, whole)
    ]
    np.testing.assert_allclose(*(one.get_mahalanobis_matrix() for one in both), atol=1e-9)


def test_metrics_of_anchors_are_made_of_what_the_span_holds(wide):
    X, queries, y = wide
    learner = PLML(n_anchors=2, random_state=0, euclid_share=0.0, ridge=0.0).fit(X, y)
    M = learner.metrics_
    assert M.shape == (2, D, D)
    weights = learner.distance_.weigh(queries)
    differences = queries[:, None] - X
    expected = np.einsum("qm,qnd,mde,qne->qn", weights, differences, M, differences)
    np.testing.assert_allclose(learner.distance_.pairwise(queries, X), expected, atol=1e-6 * expected.max())
