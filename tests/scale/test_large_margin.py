"""Anchors with their lists against the loss that sees everything, and LMNN split over chunks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from nearkin import LMCA, LMNN, KNNClassifier
from nearkin.losses import LargeMarginLoss
from nearkin.scale.large_margin import AnchorPolicy, Anchors, fit_in_memory, lda_of_sums
from nearkin.scale.pair_lists import Chunk, ChunkIndex, neighbours_in
from nearkin.scale.plans import Eager

pytest.importorskip("faiss")


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 600)
    X = rng.normal(size=(600, 6)) + 1.2 * rng.normal(size=(4, 6))[y]
    X[:, 4:] *= 3
    return X, y


def cut(X, y, ends):
    starts = [0, *ends]
    stops = [*ends, len(y)]
    chunks = [Chunk(X[a:b], y[a:b], a) for a, b in zip(starts, stops)]
    return chunks, starts, [b - a for a, b in zip(starts, stops)]


def anchors_of(X, y, ends, **settings):
    return Anchors(*cut(X, y, ends), Eager(), n_targets=2, mu=0.3, **settings)


def test_neighbours_of_chunks_are_those_of_all_rows(labelled):
    X, y = labelled
    L = np.diag([1.0, 2, 1, 1, 1, 0.5])
    (a, b), _, _ = cut(X, y, [250])
    found = [neighbours_in(b, ChunkIndex(part, L, "exact"), L, 3, 5) for part in (a, b)]
    own, others = found[0].merged(found[1])
    D = np.sum((X[250:, None] @ L - X @ L) ** 2, axis=2)
    D[np.arange(350), 250 + np.arange(350)] = np.inf
    same = y[250:, None] == y
    for wanted, lists, k in ((same, own, 3), (~same, others, 5)):
        expected = np.argsort(np.where(wanted, D, np.inf), axis=1)[:, :k]
        np.testing.assert_array_equal(lists.numbers, expected)


@pytest.mark.parametrize("ends", [[], [300], [10, 20, 450]])
def test_full_lists_give_the_loss_of_one_machine(labelled, ends):
    X, y = labelled
    loss, L = LargeMarginLoss(2, 0.3), np.random.default_rng(1).normal(size=(3, 6)) / 2
    anchors = anchors_of(X, y, ends, policy=AnchorPolicy(n_impostors=600))
    anchors.renew(np.eye(6))
    value, gradient = anchors(L.ravel(), 6)
    state = loss.prepare(X, y)
    expected, dZ = loss.value_and_grad(X @ L.T, state, exact=True)
    assert value == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(gradient.reshape(3, 6), dZ.T @ X, rtol=1e-6, atol=1e-8)


def test_fixed_lists_do_not_depend_on_how_anchors_are_split(labelled):
    X, y = labelled
    L = np.random.default_rng(1).normal(size=(6, 6)) / 3
    found = []
    for ends in ([], [300], [10, 20, 450]):
        anchors = anchors_of(X, y, ends, policy=AnchorPolicy(n_impostors=5))
        anchors.renew(np.eye(6))
        found.append(anchors(L.ravel(), 6))
        assert anchors.last.short > 0  # the lists are shorter than the truth, and it is told
    for value, gradient in found[1:]:
        assert value == pytest.approx(found[0][0], rel=1e-12)
        np.testing.assert_allclose(gradient, found[0][1], rtol=1e-10, atol=1e-12)


def test_the_gradient_is_that_of_the_value(labelled):
    X, y = labelled
    anchors = anchors_of(X, y, [100], policy=AnchorPolicy(n_impostors=7))
    anchors.renew(np.eye(6))
    theta, step = np.random.default_rng(2).normal(size=12) / 2, 1e-6
    gradient = anchors(theta, 6)[1]
    for i in range(12):
        ahead, behind = (anchors(theta + sign * step * np.eye(12)[i], 6)[0] for sign in (1, -1))
        assert gradient[i] == pytest.approx((ahead - behind) / (2 * step), rel=1e-4, abs=1e-6)


def test_dask_learns_what_one_machine_learns(labelled):
    da = pytest.importorskip("dask.array")
    X, y = labelled
    settings = {"n_targets": 2, "mu": 0.3, "refresh_targets": 0, "euclid_share": 0.0}
    whole = LMNN(**settings).fit(X, y)
    chunked = LMNN(**settings).fit(da.from_array(X, chunks=(200, 3)), da.from_array(y, chunks=300))
    loss = LargeMarginLoss(2, 0.3)
    true_loss = loss.value_and_grad(chunked.transform(X), loss.prepare(X, y), exact=True)[0]
    assert true_loss == pytest.approx(whole.objective_, rel=0.03)
    assert chunked.objective_ <= true_loss  # lists hold the nearest impostors, not all
    assert 0 < chunked.short_lists_ < 1
    assert chunked.search_recall_ == 1.0
    assert chunked.transform(X).shape == X.shape
    np.testing.assert_array_equal(chunked.classes_, whole.classes_)
    few = LMCA(2, init="lda", max_iter=20).fit(da.from_array(X, chunks=(200, 6)), y)
    assert few.components_.shape == (2, 6)
    model = KNNClassifier(few, 3)
    assert model.fit(X, y).score(X, y) > 0.6
    with pytest.raises(TypeError, match="kernel"):
        LMNN(kernel="rbf").fit(da.from_array(X, chunks=(200, 3)), y)


def test_lda_from_sums_spans_what_lda_finds(labelled):
    X, y = labelled
    means = np.array([X[y == c].mean(axis=0) for c in range(4)])
    within = (X - means[y]).T @ (X - means[y])
    total = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    mine = lda_of_sums(within, total - within, 2, len(y))
    theirs = LinearDiscriminantAnalysis().fit(X, y).scalings_[:, :2].T
    # Releases of scikit-learn differ in length: n or n less the classes.
    mine, theirs = (np.abs(rows) / np.linalg.norm(rows, axis=1)[:, None] for rows in (mine, theirs))
    np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-8)


def test_approximate_lists_tell_their_recall(labelled):
    X, y = labelled
    X, y = np.tile(X, (40, 1)) + np.random.default_rng(3).normal(size=(24_000, 6)), np.tile(y, 40)
    anchors = anchors_of(X.astype(np.float32), y, [], search="auto")
    assert 0.8 < anchors.recall(np.eye(6)) <= 1.0
    learned = LMNN(max_iter=3, search="auto").fit(X[:2_000], y[:2_000])
    assert not hasattr(learned, "search_recall_")  # too few rows to be worth it
    with pytest.raises(ValueError, match="search"):
        LMNN(search="faiss").fit(X, y)


def test_rows_in_memory_are_learned_by_lists_too(labelled):
    X, y = labelled
    learner = fit_in_memory(
        LMNN(2, 0.3, search="auto", euclid_share=0.0, refresh_targets=0), X, np.array(list("abcd"))[y]
    )
    whole = LMNN(2, 0.3, euclid_share=0.0, refresh_targets=0).fit(X, y)
    loss = LargeMarginLoss(2, 0.3)
    true_loss = loss.value_and_grad(learner.transform(X), loss.prepare(X, y), exact=True)[0]
    assert true_loss == pytest.approx(whole.objective_, rel=0.03)
    assert learner.classes_.tolist() == list("abcd")
    assert learner.search_recall_ == 1.0  # a chunk as small as this is searched exactly
