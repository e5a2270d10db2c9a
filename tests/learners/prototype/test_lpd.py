"""LPD: weights per feature, and its place as the diagonal case of LMDL."""

import numpy as np

from nearkin.learners.prototype import LMDL, LPD
from nearkin.learners.prototype.training import LabelledRows, Prototypes, Schedule, train


def test_weights_and_prototypes_give_the_learned_distances(blobs):
    X, y = blobs
    model = LPD(n_prototypes=2, random_state=0, euclid_share=0.0).fit(X, y)
    assert model.metrics_.shape == (6, 4)
    assert (model.metrics_ >= 0).all()
    D = [((X[:20] - p) ** 2 @ w**2) for p, w in zip(model.prototypes_, model.metrics_)]
    np.testing.assert_allclose(model.distance_.to_prototypes(X[:20]), np.transpose(D), rtol=1e-8)


def test_it_starts_from_the_same_distances_as_lmdl_with_diagonal_factors(blobs):
    X, y = blobs
    lpd = LPD(random_state=0, max_epochs=500, euclid_share=0.0).fit(X, y)
    diagonal = np.stack([np.diag(w) for w in lpd.distance_.metrics])
    lmdl = LMDL(random_state=0, max_epochs=500, euclid_share=0.0).fit(X, y)
    as_lmdl = type(lmdl.distance_)(lpd.distance_.embedding, lpd.distance_.centres, diagonal, lpd.prototypes_)
    np.testing.assert_allclose(as_lmdl.pairwise(X, X), lpd.distance_.pairwise(X, X), rtol=1e-7, atol=1e-9)


def test_training_equals_that_of_lmdl_kept_diagonal():
    """In one dimension every factor is diagonal, so both learners must take the same steps."""
    rng = np.random.RandomState(0)
    y = rng.randint(0, 2, 60)
    data = LabelledRows(rng.randn(60, 1) + y[:, None], y, np.full(60, 1 / 60))
    start = data.U[[0, 1, 2, 3]], np.array([0, 0, 1, 1])
    schedule = Schedule(beta=3.0, batch_size=16, max_epochs=30, tol=0.0, patience=100)
    weights = train(data, Prototypes(*start, np.ones((4, 1))), schedule, np.random.RandomState(1))
    factors = train(data, Prototypes(*start, np.ones((4, 1, 1))), schedule, np.random.RandomState(1))
    np.testing.assert_allclose(weights.prototypes.metrics, factors.prototypes.metrics[:, 0], rtol=1e-6)
    np.testing.assert_allclose(weights.prototypes.centres, factors.prototypes.centres, rtol=1e-6)


def test_a_useless_feature_loses_weight():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    X = np.column_stack([y + 0.3 * rng.normal(size=300), rng.normal(size=300)])
    model = LPD(n_prototypes=1, random_state=0, euclid_share=0.0).fit(X, y)
    informative, useless = (model.metrics_ * X.std(axis=0)).mean(axis=0)
    assert informative > 2 * useless


def test_the_view_shows_the_features_of_most_weight(blobs):
    X, y = blobs
    model = LPD(n_prototypes=1, random_state=0, euclid_share=0.0).fit(X, y)
    weights = model.distance_.metrics[0]
    strongest = np.argsort(-weights)[:2]
    expected = (model.distance_.embedding(X) - model.distance_.centres[0])[:, strongest] * weights[strongest]
    np.testing.assert_allclose(model.project(X, 0), expected)
