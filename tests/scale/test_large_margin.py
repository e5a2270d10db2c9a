"""Anchors with their lists against the loss that sees everything, and LMNN split over chunks."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from nearkin import LMCA, LMNN, KNNClassifier
from nearkin.losses import LargeMarginLoss
from nearkin.scale.anchors import AnchorPolicy, Anchors
from nearkin.scale.large_margin import fit_in_memory, lda_of_sums
from nearkin.scale.pair_lists import (
    Chunk,
    ChunkIndex,
    Listed,
    found_share,
    joined,
    nearest_of_both,
    targets_in,
)
from nearkin.scale.plans import Eager

EVERYTHING = AnchorPolicy(beyond=np.inf)
ALL = np.ones(4)


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 600)
    X = rng.normal(size=(600, 6)) + 1.2 * rng.normal(size=(4, 6))[y]
    X[:, 4:] *= 3
    return X, y


def cut(X, y, ends):
    stops = [*ends, len(y)]
    return [Chunk(X[a:b], y[a:b], a) for a, b in zip([0, *ends], stops)]


def anchors_of(X, y, ends, **settings):
    anchors = Anchors(cut(X, y, ends), len(y), Eager(), n_targets=2, mu=0.3, **settings)
    anchors.find_targets(4)
    return anchors


def squared_distances(Z, R):
    return np.sum((Z[:, None] - R) ** 2, axis=2)


def test_targets_of_chunks_are_those_of_all_rows(labelled):
    X, y = labelled
    a, b = cut(X, y, [250])
    found = nearest_of_both(*(targets_in(b, part, None, 3) for part in (a, b)))
    D = squared_distances(X[250:], X)
    D[np.arange(350), 250 + np.arange(350)] = np.inf
    expected = np.argsort(np.where(y[250:, None] == y, D, np.inf), axis=1)[:, :3]
    np.testing.assert_array_equal(found.numbers, expected)


def test_impostors_of_chunks_are_those_of_all_rows(labelled):
    X, y = labelled
    L, limits = np.diag([1.0, 2, 1, 1, 1, 0.5]), np.linspace(-1, 20, 350)
    a, b = cut(X, y, [250])
    listed = joined(*(ChunkIndex(part, L, ALL).within(b, L, limits) for part in (a, b)))
    near = (squared_distances(X[250:] @ L, X @ L) <= limits[:, None]) & (y[250:, None] != y)
    assert near.any(axis=1).sum() > 100
    for row, expected in enumerate(near):
        found = listed.numbers[listed.starts[row] : listed.starts[row + 1]]
        np.testing.assert_array_equal(np.sort(found), np.flatnonzero(expected))


@pytest.mark.parametrize("ends", [[], [300], [10, 20, 450]])
def test_full_lists_give_the_loss_of_one_machine(labelled, ends):
    X, y = labelled
    loss, L = LargeMarginLoss(2, 0.3), np.random.default_rng(1).normal(size=(3, 6)) / 2
    anchors = anchors_of(X, y, ends, policy=EVERYTHING)
    anchors.renew(np.eye(6), ALL)
    value, gradient = anchors(L.ravel(), 6)
    state = loss.prepare(X, y)
    expected, dZ = loss.value_and_grad(X @ L.T, state, exact=True)
    assert value == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(gradient.reshape(3, 6), dZ.T @ X, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("shares", [ALL, np.array([0.2, 0.5, 1.0, 0.3])])
def test_fixed_lists_do_not_depend_on_how_anchors_are_split(labelled, shares):
    X, y = labelled
    L = np.random.default_rng(1).normal(size=(6, 6)) / 3
    found = []
    for ends in ([], [300], [10, 20, 450]):
        anchors = anchors_of(X, y, ends)
        anchors.renew(np.eye(6), shares)
        found.append(anchors(L.ravel(), 6))
    for value, gradient in found[1:]:
        assert value == pytest.approx(found[0][0], rel=1e-12)
        np.testing.assert_allclose(gradient, found[0][1], rtol=1e-10, atol=1e-12)


def test_some_rows_stand_for_all(labelled):
    """Offered a quarter of the rows as impostors, each counting four times, the loss stays about the same."""
    X, y = labelled
    X, y = np.tile(X, (4, 1)) + np.random.default_rng(4).normal(size=(2_400, 6)), np.tile(y, 4)
    anchors, values = anchors_of(X, y, [], policy=EVERYTHING), []
    for share in (1.0, 0.25):
        anchors.renew(np.eye(6), np.full(4, share))
        values.append(anchors(np.eye(6).ravel() / 3, 6)[0])
    assert values[1] == pytest.approx(values[0], rel=0.05)


def test_the_gradient_is_that_of_the_value(labelled):
    X, y = labelled
    anchors = anchors_of(X, y, [100], policy=EVERYTHING)
    anchors.renew(np.eye(6), np.array([0.2, 0.5, 1.0, 0.3]))
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
    assert true_loss == pytest.approx(whole.objective_, rel=1e-3)
    assert chunked.objective_ == pytest.approx(true_loss, rel=1e-6)
    assert chunked.impostor_share_ == chunked.search_recall_ == 1.0
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


def test_approximate_search_finds_most_and_tells_how_many(labelled):
    pytest.importorskip("faiss")
    X, y = labelled
    X, y = np.tile(X, (5, 1)) + np.random.default_rng(3).normal(size=(3_000, 6)), np.tile(y, 5)
    exact, tried = (
        anchors_of(X.astype(np.float32), y, [1_500], search=kind, policy=AnchorPolicy(lists_from=1_000))
        for kind in ("exact", "auto")
    )
    L = np.eye(6)
    assert 0.5 < tried.recall(L, ALL) <= exact.recall(L, ALL) == 1.0
    same = [a == b for a, b in zip(exact._targets, tried._targets)]
    assert np.mean(same) > 0.7
    values = []
    for anchors in (exact, tried):
        anchors.renew(L, ALL)
        values.append(anchors(L.ravel() / 2, 6)[0])
    assert values[1] == pytest.approx(values[0], rel=0.3)


def test_found_share_counts_what_both_lists_hold():
    truth = Listed(np.array([0, 2, 3]), np.array([4, 7, 9]))
    tried = Listed(np.array([0, 1, 3]), np.array([7, 8, 9]))
    assert found_share(tried, truth) == (2, 3)


def test_search_says_what_it_can_be(labelled):
    X, y = labelled
    learned = LMNN(max_iter=3, search="auto").fit(X, y)
    assert not hasattr(learned, "search_recall_")  # too few rows to be worth it
    with pytest.raises(ValueError, match="search"):
        LMNN(search="faiss").fit(X, y)


def test_rows_in_memory_are_learned_by_lists_too(labelled):
    X, y = labelled
    learner = fit_in_memory(LMNN(2, 0.3, search="auto"), X, np.array(list("abcd"))[y])
    whole = LMNN(2, 0.3, euclid_share=0.0, refresh_targets=0).fit(X, y)
    assert learner.objective_ == pytest.approx(whole.objective_, rel=1e-3)
    assert learner.classes_.tolist() == list("abcd")
    assert learner.search_recall_ == 1.0  # a chunk as small as this is searched exactly


def test_crowded_rows_are_learned_from_a_share_of_the_impostors(labelled):
    X, y = labelled
    X, y = np.tile(X, (10, 1)) + np.random.default_rng(5).normal(size=(6_000, 6)), np.tile(y, 10)
    crowded = AnchorPolicy(listed=5, least_offered=500)
    learner = fit_in_memory(LMNN(max_iter=20), X.astype(np.float32), y, crowded)
    whole = LMNN(max_iter=20, euclid_share=0.0, refresh_targets=0).fit(X.astype(np.float32), y)
    loss = LargeMarginLoss()
    true_loss = loss.value_and_grad(learner.transform(X), loss.prepare(X, y), exact=True)[0]
    assert learner.impostor_share_ <= 0.5
    assert true_loss == pytest.approx(whole.objective_, rel=0.02)
