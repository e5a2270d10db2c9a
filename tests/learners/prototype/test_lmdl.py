"""LMDL: its metrics in input space, ranks, starts and the 2-D views."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from nearkin.learners.prototype import LMDL


@pytest.mark.parametrize("init_metric", ["auto", "standard", "whiten", "pca", "identity"])
def test_prototypes_and_metrics_give_the_learned_distances(blobs, init_metric):
    X, y = blobs
    model = LMDL(n_prototypes=2, init_metric=init_metric, random_state=0, euclid_share=0.0).fit(X, y)
    D = [[np.sum((L @ (x - p)) ** 2) for p, L in zip(model.prototypes_, model.metrics_)] for x in X[:20]]
    np.testing.assert_allclose(model.distance_.to_prototypes(X[:20]), D, rtol=1e-8)
    np.testing.assert_allclose(model.distance_.pairwise(X[:20], model.prototypes_), D, rtol=1e-6)


def test_a_given_start_is_used_whatever_its_scale(blobs):
    X, y = blobs
    direction = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    model = LMDL(init_metric=direction, random_state=0, euclid_share=0.0).fit(X, y)
    assert model.metrics_.shape[1:] == (2, 4)
    np.testing.assert_array_equal(model.metrics_[:, :, 2:], 0)
    scaled = LMDL(init_metric=1024 * direction, random_state=0, euclid_share=0.0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), scaled.predict(X))


def test_a_start_of_the_wrong_shape_is_refused(blobs):
    with pytest.raises(ValueError, match=r"a linear map of 4 features needs finite values of shape \(e, 4\)"):
        LMDL(init_metric=np.eye(3), euclid_share=0.0).fit(*blobs)


@pytest.mark.parametrize(("rank", "rows"), [(None, 4), (1, 1), (2, 2), (9, 4)])
def test_rank_is_the_number_of_rows_of_a_factor(blobs, rank, rows):
    model = LMDL(n_prototypes=1, rank=rank, random_state=0, euclid_share=0.0).fit(*blobs)
    assert model.metrics_.shape == (3, rows, 4)


@pytest.mark.parametrize("rank", [0, 1.5, True])
def test_bad_ranks_are_refused(blobs, rank):
    with pytest.raises(ValueError, match="expected None or an integer of at least 1"):
        LMDL(rank=rank, euclid_share=0.0).fit(*blobs)


def test_too_many_components_are_refused(blobs):
    with pytest.raises(ValueError, match="expected 1 to 4"):
        LMDL(n_components=5, euclid_share=0.0).fit(*blobs)


def test_the_view_of_rank_two_is_the_metric(blobs):
    X, y = blobs
    model = LMDL(n_prototypes=1, rank=2, random_state=0, euclid_share=0.0).fit(X, y)
    for s in range(3):
        view = model.project(X, s)
        assert view.shape == (len(X), 2)
        np.testing.assert_allclose((view**2).sum(axis=1), model.distance_.to_prototypes(X)[:, s])


def test_the_view_of_a_full_metric_shows_its_strongest_axes(blobs):
    X, y = blobs
    model = LMDL(n_prototypes=1, random_state=0, euclid_share=0.0).fit(X, y)
    strengths = np.linalg.svd(model.distance_.metrics[0], compute_uv=False)
    np.testing.assert_allclose(np.linalg.norm(model.distance_.metrics[0], axis=1), strengths)
    assert model.project(X, 0).shape == (len(X), 2)
    with pytest.raises(ValueError, match="expected 1 to 4"):
        model.project(X, 0, n_components=5)


def test_many_features_are_reduced_and_ranks_lowered():
    X, y = load_digits(return_X_y=True)
    X = np.hstack([X, X[:, ::-1]]).astype(np.float32)
    model = LMDL(n_prototypes=1, random_state=0, tol=0.02, euclid_share=0.0).fit(X[::4], y[::4])
    assert model.distance_.centres.shape == (10, 64)
    assert model.metrics_.shape == (10, 32, 128)
    assert model.score(X[1::4], y[1::4]) > 0.93


def test_values_too_large_to_square_are_refused(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="too large to square"):
        LMDL(euclid_share=0.0).fit(X * 1e200, y)


@pytest.mark.parametrize("how", ["repeated", "weighted"])
def test_rows_that_come_more_than_once_have_as_many_votes(how):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), np.arange(12) % 2
    learner = LMDL(euclid_share=0.5, random_state=0)
    if how == "repeated":
        learner.fit(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    else:
        learner.fit(X, y, sample_weight=np.full(12, 3.0))
    rows, codes = learner._voting
    assert len(rows) == len(codes) == 36
    assert len(np.unique(rows, axis=0)) == 12
    # Weights that are no whole numbers cannot be written out.
    assert len(learner.fit(X, y, sample_weight=np.linspace(0.5, 1.2, 12))._voting[0]) == 12
