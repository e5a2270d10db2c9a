"""Sums over blocks against naive formulas; also of what `MoveLabeled` pairs with the whole class."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from nearkin.numerics.row_hash import hash_bounds
from nearkin.scale.move_recipe import normal_of_source
from nearkin.scale.source import LocalSource
from nearkin.scale.statistics import Block, Candidates, ClassSums, PairMoments, WithinMoments
from nearkin.scale.targets import nearest_of_other_classes, nearest_of_own_class


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return rng.normal(size=(120, 4)) + 3, rng.integers(0, 3, 120)


def halves(X, codes, at=50):
    return Block(X[:at], codes[:at], 0), Block(X[at:], codes[at:], at)


def test_class_sums(rows):
    X, codes = rows
    a, b = (ClassSums.of(block, 4) for block in halves(X, codes))
    sums = a + b
    np.testing.assert_array_equal(sums.sizes, np.bincount(codes, minlength=4))
    np.testing.assert_allclose(sums.mean, X.mean(axis=0))
    np.testing.assert_allclose(sums.means[1], X[codes == 1].mean(axis=0))
    np.testing.assert_array_equal(sums.lowest, X.min(axis=0))
    np.testing.assert_array_equal(sums.highest, X.max(axis=0))
    M = sums.means[codes] - X.mean(axis=0)
    np.testing.assert_allclose(sums.between(sums.sizes), M.T @ M)


def test_within_moments(rows):
    X, codes = rows
    means = np.array([X[codes == c].mean(axis=0) for c in range(3)])
    weights = np.array([2.0, 0.0, 1.0])
    a, b = (WithinMoments.of(block, means, weights) for block in halves(X, codes))
    D = (X - means[codes]) * np.sqrt(weights[codes])[:, None]
    np.testing.assert_allclose((a + b).scatter, D.T @ D)
    assert (a + b).fourth == pytest.approx(np.sum(np.sum(D**2, axis=1) ** 2))
    assert (a + b).n == np.count_nonzero(codes != 1)


def test_bounds_leave_out_no_candidate():
    codes = np.random.default_rng(0).choice(3, 50_000, p=[0.9, 0.0995, 0.0005])
    block = Block(np.zeros((50_000, 1)), codes, 1_000)
    for most in (1, 30, 500, np.array([100, 0, 7])):
        bounds = hash_bounds(np.bincount(codes), most)
        bounded = Candidates.of(block, most, bounds)
        np.testing.assert_array_equal(bounded.numbers, Candidates.of(block, most).numbers)
    # And a block offers little more than its share: 10 of 100 wanted, not 100.
    tenth = Block(block.X[:5_000], codes[:5_000], 1_000)
    assert len(Candidates.of(tenth, 100, hash_bounds(np.bincount(codes), 100)).numbers) < 60


def test_candidates_do_not_depend_on_blocks(rows):
    X, codes = rows
    whole = Candidates.of(Block(X, codes, 0), 10)
    assert np.bincount(whole.codes).tolist() == [10, 10, 10]
    for at in (1, 50, 119):
        a, b = (Candidates.of(block, 10) for block in halves(X, codes, at))
        for first, second in ((a, b), (b, a)):
            np.testing.assert_array_equal(first.joined(second, 10).numbers, whole.numbers)
            np.testing.assert_array_equal(first.joined(second, 10).rows, X[whole.numbers])
    assert len(Candidates.of(Block(X, codes, 0), None).numbers) == 120
    assert len(Candidates.of(Block(X, codes, 0), 0).numbers) == 0


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("k", [1, 3, 50])
def test_nearest_candidates(rows, same, k):
    X, codes = rows
    candidates = Candidates.of(Block(X, codes, 0), 20)
    block = halves(X, codes)[1]
    search = nearest_of_own_class if same else nearest_of_other_classes
    found = search(block, candidates, k)
    for i, row in enumerate(range(50, 120)):
        eligible = (candidates.codes == codes[row]) == same
        eligible &= candidates.numbers != row
        distances = np.where(eligible, np.sum((candidates.rows - X[row]) ** 2, axis=1), np.inf)
        expected = [j for j in np.argsort(distances, kind="stable")[:k] if np.isfinite(distances[j])]
        np.testing.assert_array_equal(found[i][found[i] >= 0], expected)


def test_pair_moments(rows):
    X, codes = rows
    candidates, mean = Candidates.of(Block(X, codes, 0), 20), X.mean(axis=0)
    total, differences = None, []
    for block in halves(X, codes):
        targets = nearest_of_own_class(block, candidates, 2)
        part = PairMoments.of(block, candidates, targets, mean)
        total = part if total is None else total + part
        differences += [x - candidates.rows[j] for x, near in zip(block.X, targets) for j in near if j >= 0]
    D = np.array(differences)
    assert total.n_pairs == len(D)
    np.testing.assert_allclose(total.scatter(candidates, mean), D.T @ D / len(D))


def test_all_rows_of_a_class_as_targets(rows):
    X, codes = rows
    codes[0] = 3  # alone in its class
    sums = ClassSums.of(Block(X, codes, 0), 4)
    normal = normal_of_source(
        LocalSource(X, codes), sums, Candidates.of(Block(X, codes, 0), 0), "all", "references"
    )
    Z = X - X.mean(axis=0)
    same = (codes[:, None] == codes) & ~np.eye(120, dtype=bool)
    J = same / np.maximum(same.sum(axis=1, keepdims=True), 1)
    np.testing.assert_allclose(normal.A, (Z * J.sum(axis=0)[:, None]).T @ Z)
    np.testing.assert_allclose(normal.B, Z.T @ J.T @ Z)
    assert normal.wanted == pytest.approx(float(J.sum(axis=1) @ np.sum(Z**2, axis=1)))


@pytest.mark.parametrize("most", [None, 0, 150])
def test_joining_candidates_holds_them_twice_and_no_more(most):
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(20_000, 64)).astype(np.float32), rng.integers(0, 10, 20_000)
    pieces = [Candidates.of(Block(X[i : i + 10_000], codes[i : i + 10_000], i), None) for i in (0, 10_000)]
    tracemalloc.start()
    joined = pieces[1].joined(pieces[0], most)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    expected = Candidates.of(Block(X, codes, 0), most)
    for ours, wanted in zip(joined.fields, expected.fields):
        np.testing.assert_array_equal(ours, wanted)
    assert peak < 1.5 * X.nbytes
