"""Targets by inverted lists against the exact search."""

import numpy as np
import pytest

from nearkin import MoveLabeled
from nearkin.numerics.neighbours import same_class_neighbours
from nearkin.supervision.target_search import SearchPolicy, found_targets

pytest.importorskip("faiss")
SMALL = SearchPolicy(from_rows=1_000, from_class_rows=300, probed_rows=100, probed_lists=(8, 4, 2))


@pytest.fixture(scope="module")
def classes():
    rng = np.random.default_rng(0)
    codes = rng.choice(4, 3_000, p=[0.5, 0.4, 0.09, 0.01])
    return rng.normal(size=(3_000, 8)).astype(np.float32) + 50, codes


@pytest.mark.parametrize("k", [1, 4])
def test_the_recall_told_is_the_recall(classes, k):
    X, codes = classes
    found, recall = found_targets(X, codes, k, "auto", policy=SMALL)
    truth = same_class_neighbours(X, codes, k)
    assert not np.any(found == np.arange(len(codes))[:, None])
    np.testing.assert_array_equal(codes[found], np.broadcast_to(codes[:, None], found.shape))
    # Small classes are searched exactly.
    np.testing.assert_array_equal(found[codes > 1], truth[codes > 1])
    assert (found != truth).any()
    hits = [len(set(a) & set(b)) / k for a, b in zip(found[codes < 2], truth[codes < 2])]
    assert recall >= SMALL.least_recall
    assert abs(np.mean(hits) - recall) < 0.03


def test_classes_whose_lists_find_too_little_are_searched_exactly(classes):
    X, codes = classes
    for among in (None, np.arange(3_000) % 3 == 0):
        strict = SearchPolicy(from_rows=1_000, from_class_rows=300, probed_lists=(64,))
        found, recall = found_targets(X, codes, 2, "auto", among=among, policy=strict)
        np.testing.assert_array_equal(found, same_class_neighbours(X, codes, 2, among=among))
        assert recall == 1.0


def test_only_candidates_are_found(classes):
    X, codes = classes
    among = np.arange(3_000) % 3 == 0
    found, _ = found_targets(X, codes, 2, "auto", among=among, policy=SMALL)
    assert among[found[found >= 0]].all()


def test_exact_and_small_are_exact_and_say_so(classes):
    X, codes = classes
    for search, policy in (("exact", SMALL), ("auto", None)):
        found, recall = found_targets(X, codes, 2, search, policy=policy)
        np.testing.assert_array_equal(found, same_class_neighbours(X, codes, 2))
        assert recall == 1.0
    assert MoveLabeled(n_targets=1, alpha=1.0, search="auto").fit(X, codes).search_recall_ == 1.0
    with pytest.raises(ValueError, match="search"):
        MoveLabeled(search="faiss").fit(X, codes)


def test_candidates_of_the_learner_are_those_of_blocks(classes):
    from nearkin.scale import fit_blocks

    X, codes = classes
    learner = MoveLabeled(n_targets=1, alpha=1.0, max_candidates=100)
    memory = learner.fit(X.astype(np.float64), codes).components_
    blocks = fit_blocks(learner, X.astype(np.float64), codes, rows_per_block=700).components_
    np.testing.assert_allclose(blocks, memory, rtol=0, atol=1e-6 * np.abs(memory).max())
    everything = MoveLabeled(n_targets=1, alpha=1.0).fit(X, codes).components_
    assert np.abs(everything - memory).max() > 1e-3
    with pytest.raises(ValueError, match="max_candidates=0"):
        MoveLabeled(max_candidates=0).fit(X, codes)
