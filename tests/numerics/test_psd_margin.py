"""The full-metric solver against an exact semidefinite solver and the formulas written out."""

import clarabel
import numpy as np
import pytest
from scipy import sparse

from nearkin.numerics.capped_simplex import lowest_mean, project_capped_simplex
from nearkin.numerics.psd_margin import positive_factor, solve_psd_margin


def random_problem(seed, p=3, n=12, n_neighbors=3, T=40, contradictory=False):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, p))
    neighbours = np.stack([(np.arange(n) + shift) % n for shift in range(1, n_neighbors + 1)])
    ranks = np.array([random.permutation(n_neighbors)[:2] for _ in range(T)])
    rows = random.integers(0, n, size=T)
    near, far = ranks[:, 0] * n + rows, ranks[:, 1] * n + rows
    if contradictory:
        return X, neighbours, np.concatenate([near, far]), np.concatenate([far, near])
    # Mostly obey a hidden direction, so that the best matrix is neither zero nor trivial.
    hidden = random.normal(size=p)
    apart = ((X[neighbours] - X) @ hidden).ravel() ** 2
    swap = (apart[far] < apart[near]) & (random.uniform(size=T) < 0.9)
    return X, neighbours, np.where(swap, far, near), np.where(swap, near, far)


def triplet_matrices(X, neighbours, near, far):
    difference = (X - X[neighbours]).reshape(-1, X.shape[1])
    outer = difference[:, :, None] * difference[:, None, :]
    return outer[far] - outer[near]


def exact_dual_value(matrices, nu):
    """1/2 ||[sum_t a_t A_t]_+||^2 at its least, as a semidefinite program."""
    T, p, _ = matrices.shape
    rows, columns = np.triu_indices(p)
    by_column = np.lexsort((rows, columns))
    rows, columns = rows[by_column], columns[by_column]
    scale = np.where(rows == columns, 1.0, np.sqrt(2))
    packed = matrices[:, rows, columns] * scale
    m = len(rows)
    # Variables (a, Z): the least Z with Z - sum a_t A_t positive semidefinite is its positive part.
    P = sparse.block_diag([sparse.csc_matrix((T, T)), sparse.eye(m)], format="csc")
    A = sparse.bmat(
        [
            [np.ones((1, T)), np.zeros((1, m))],
            [-sparse.eye(T), None],
            [sparse.eye(T), None],
            [packed.T, -sparse.eye(m)],
        ],
        format="csc",
    )
    b = np.concatenate([[1.0], np.zeros(T), np.full(T, 1 / (nu * T)), np.zeros(m)])
    cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * T), clarabel.PSDTriangleConeT(p)]
    options = clarabel.DefaultSettings()
    options.verbose = False
    options.tol_gap_abs = options.tol_gap_rel = options.tol_feas = 1e-10
    return clarabel.DefaultSolver(P, np.zeros(T + m), A, b, cones, options).solve().obj_val


@pytest.mark.parametrize("nu", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_an_exact_semidefinite_solver(seed, nu):
    problem = random_problem(seed, p=2 + seed % 3)
    found = solve_psd_margin(*problem, nu, tol=1e-8, max_iter=20_000)
    exact = exact_dual_value(triplet_matrices(*problem), nu)
    assert found.converged
    assert -found.objective == pytest.approx(exact, rel=1e-6, abs=1e-9)


def test_the_reported_objective_is_that_of_the_factor():
    problem = random_problem(11, p=4)
    found = solve_psd_margin(*problem, 0.8, tol=1e-6)
    W = found.factor @ found.factor.T
    margins = np.einsum("tij,ij->t", triplet_matrices(*problem), W)
    assert found.objective == pytest.approx(0.5 * (W**2).sum() - lowest_mean(margins, 0.8), rel=1e-9)


def test_never_worse_than_the_best_diagonal_matrix():
    problem = random_problem(5, p=4)
    full = exact_dual_value(triplet_matrices(*problem), 0.9)
    diagonal = exact_dual_value(np.stack([np.diag(np.diag(A)) for A in triplet_matrices(*problem)]), 0.9)
    found = solve_psd_margin(*problem, 0.9, tol=1e-7)
    assert -found.objective == pytest.approx(full, rel=1e-5)
    assert -found.objective >= diagonal * (1 - 1e-6)


def test_contradictory_triplets_give_an_empty_factor():
    found = solve_psd_margin(*random_problem(2, contradictory=True), 0.7)
    assert found.factor.shape == (3, 0)
    assert found.objective == 0


@pytest.mark.parametrize(("seed", "jitter"), [(0, 0.0), (1, 1e-6)])
@pytest.mark.parametrize("nu", [0.55, 0.7])
def test_triplets_that_all_but_cancel_do_not_search_a_step_endlessly(monkeypatch, seed, jitter, nu):
    random = np.random.default_rng(seed)
    n = 30
    X = np.eye(4)[random.integers(0, 4, n)] + jitter * random.normal(size=(n, 4))
    neighbours = np.stack([(np.arange(n) + shift) % n for shift in (1, 2, 3)])
    first, second = np.arange(n), n + np.arange(n)
    # Every comparison and its opposite, the one twice: what is left of M is rounding of what cancelled.
    near, far = np.concatenate([first, second, first]), np.concatenate([second, first, second])
    projections = 0

    def counted(*arguments):
        nonlocal projections
        projections += 1
        assert projections < 1500, "the step is halved for ever"
        return project_capped_simplex(*arguments)

    monkeypatch.setattr("nearkin.numerics.psd_margin.project_capped_simplex", counted)
    found = solve_psd_margin(X, neighbours, near, far, nu, tol=1e-4, max_iter=200)
    assert np.isfinite(found.factor).all()
    assert found.converged


def test_rotating_the_rows_rotates_the_matrix():
    X, *rest = random_problem(8, p=4)
    Q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))
    plain = solve_psd_margin(X, *rest, 0.8, tol=1e-9, max_iter=20_000).factor
    turned = solve_psd_margin(X @ Q, *rest, 0.8, tol=1e-9, max_iter=20_000).factor
    W = plain @ plain.T
    assert np.allclose(turned @ turned.T, Q.T @ W @ Q, atol=1e-3 * np.abs(W).max())


def test_a_warm_start_reaches_the_same_optimum_and_a_spent_budget_is_reported():
    problem = random_problem(9, p=4)
    cold = solve_psd_margin(*problem, 0.7, tol=1e-7, max_iter=20_000)
    warm = solve_psd_margin(
        *problem, 0.7, start=solve_psd_margin(*problem, 0.9).dual, tol=1e-7, max_iter=20_000
    )
    assert warm.objective == pytest.approx(cold.objective, rel=1e-6)
    assert not solve_psd_margin(*problem, 0.7, tol=1e-12, max_iter=2).converged


def test_positive_factor_drops_the_negative_part():
    random = np.random.default_rng(0)
    M = random.normal(size=(5, 5))
    M = M + M.T
    factor, value = positive_factor(M)
    eigenvalues = np.linalg.eigvalsh(M)
    rest = factor @ factor.T - M
    assert np.linalg.eigvalsh(rest).min() > -1e-12
    assert value == pytest.approx(0.5 * (np.maximum(eigenvalues, 0) ** 2).sum())
