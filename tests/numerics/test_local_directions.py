"""Directions of a row's surroundings against the matrices written out."""

import numpy as np
import pytest

from nearkin.numerics.local_directions import discriminant_directions


def problem(seed, d, n=40, k=5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    same, other = rng.integers(0, n, size=(2, n, k))
    same[3, 2:] = -1
    same[4] = -1
    other[5, 1:] = -1
    return X, np.arange(n), same, other


def written_out(X, i, same, other, compactness):
    def mean_outer(neighbours):
        V = X[neighbours[neighbours >= 0]] - X[i]
        return V.T @ V / max(len(V), 1)

    return mean_outer(other[i]) - compactness * mean_outer(same[i])


@pytest.mark.parametrize("compactness", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("d", [1, 3, 10, 25])
def test_directions_span_the_positive_eigenspace(d, compactness):
    X, rows, same, other = problem(d, d)
    directions, gains = discriminant_directions(X, rows, same, other, compactness)
    for i in rows:
        A = written_out(X, i, same, other, compactness)
        values, vectors = np.linalg.eigh(A)
        kept = values > 1e-10
        kept[-1] = True
        W = directions[i][directions[i].any(axis=1)]
        np.testing.assert_allclose(W @ W.T, np.eye(kept.sum()), atol=1e-9)
        if values[-1] > 1e-10:
            np.testing.assert_allclose(W.T @ W, vectors[:, kept] @ vectors[:, kept].T, atol=1e-7)
        assert gains[i] == pytest.approx(values[kept].sum(), abs=1e-9)
        # Largest eigenvalue first.
        np.testing.assert_allclose(np.diag(W @ A @ W.T), values[kept][::-1], atol=1e-9)


def test_some_rows_only_and_blocks_change_nothing():
    X, rows, same, other = problem(0, 12)
    directions, gains = discriminant_directions(X, rows, same, other, 1.0)
    some = np.array([7, 5, 20])
    again, their_gains = discriminant_directions(X, some, same[some], other[some], 1.0, at_once=1)
    np.testing.assert_allclose(again, directions[some, : again.shape[1]], atol=1e-9)
    np.testing.assert_allclose(their_gains, gains[some])


def test_where_no_direction_is_positive_one_is_left():
    X = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 2.0], [0.1, 0.0]])
    directions, gains = discriminant_directions(
        X, np.array([0]), np.array([[1, 2]]), np.array([[3, -1]]), 1.0
    )
    np.testing.assert_allclose(directions, [[[0.0, 1.0]]])
    assert gains[0] == pytest.approx(-2.0)
