"""GMML: the equation it solves, an independent convex solver, its geodesic and its invariances."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power, logm, sqrtm
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from nearkin.learners.closed_form.dmlmj import DMLMJ
from nearkin.learners.closed_form.gmml import GMML
from nearkin.numerics.linear_metric import ridged
from nearkin.numerics.pair_scatter import class_scatters
from nearkin.supervision.label_pairs import all_pairs, nearest_pairs

X, y = load_wine(return_X_y=True)
X = scale(X)
few = X[:, :3]
S, D = class_scatters(few, y)


def metric(**settings):
    return GMML(shrinkage=0.0, **settings, euclid_share=0.0).fit(few, y).get_mahalanobis_matrix()


def power(M, t):
    return np.real(fractional_matrix_power(M, t))


def test_the_half_way_metric_solves_its_equation():
    M = metric(t=0.5)
    np.testing.assert_allclose(M @ S @ M, D, atol=1e-10)


def test_the_half_way_metric_is_the_minimum_an_independent_solver_finds():
    M = cp.Variable((3, 3), PSD=True)
    root = np.linalg.cholesky(D)
    spread = sum(cp.matrix_frac(root[:, j], M) for j in range(3))
    problem = cp.Problem(cp.Minimize(cp.trace(M @ S) + spread))
    problem.solve(solver=cp.CLARABEL)
    ours = metric(t=0.5)
    assert np.trace(ours @ S) + np.trace(np.linalg.inv(ours) @ D) == pytest.approx(problem.value, rel=1e-6)
    np.testing.assert_allclose(ours, M.value, rtol=1e-3)


@pytest.mark.parametrize("t", [0.0, 0.3, 0.5, 1.0])
def test_steps_along_the_geodesic_equal_its_formula(t):
    root = np.real(sqrtm(S))
    inverse = np.linalg.inv(root)
    np.testing.assert_allclose(metric(t=t), inverse @ power(root @ D @ root, t) @ inverse, rtol=1e-8)
    relative = inverse @ power(inverse @ D @ inverse, t) @ inverse
    np.testing.assert_allclose(metric(t=t, equivariant=True), relative, rtol=1e-8)


def test_the_geodesic_runs_the_other_way_from_its_other_end():
    def mean(A, B, t):
        root = np.real(sqrtm(A))
        inverse = np.linalg.inv(root)
        return root @ power(inverse @ B @ inverse, t) @ root

    np.testing.assert_allclose(metric(t=0.3), mean(D, np.linalg.inv(S), 0.7), rtol=1e-8)


@pytest.mark.parametrize("equivariant", [False, True])
def test_objective_is_the_smallest_weighted_distance_to_both_ends(equivariant):
    learner = GMML(t=0.3, equivariant=equivariant, shrinkage=0.0, euclid_share=0.0).fit(few, y)
    inverse = np.linalg.inv(S)
    end = inverse @ D @ inverse if equivariant else D

    def weighted(M):
        def squared(A):
            root = np.linalg.inv(np.real(sqrtm(A)))
            return np.linalg.norm(logm(root @ M @ root)) ** 2

        return 0.7 * squared(inverse) + 0.3 * squared(end)

    M = learner.get_mahalanobis_matrix()
    assert learner.objective_ == pytest.approx(weighted(M), rel=1e-8)
    rng = np.random.default_rng(0)
    for _ in range(20):
        B = np.eye(3) + 0.05 * rng.normal(size=(3, 3))
        assert weighted(B @ M @ B.T) > learner.objective_


def test_the_equivariant_form_ignores_invertible_maps_of_the_features():
    B = np.random.default_rng(0).normal(size=(3, 3))
    for t in (0.0, 0.5, 2.0):
        learner = GMML(t=t, equivariant=True, shrinkage=0.0, euclid_share=0.0)
        plain = learner.fit(few, y).distance_.pairwise(few[:9], few)
        mapped = learner.fit(few @ B, y).distance_.pairwise(few[:9] @ B, few @ B)
        np.testing.assert_allclose(mapped, plain, atol=1e-9)


def test_the_published_form_follows_rotations_but_not_other_maps():
    B = np.random.default_rng(0).normal(size=(13, 13))
    Q = np.linalg.qr(B)[0]
    learner = GMML(t=0.5, euclid_share=0.0)
    plain = learner.fit(X, y).distance_.pairwise(X[:9], X)
    turned = learner.fit(X @ Q, y).distance_.pairwise(X[:9] @ Q, X @ Q)
    np.testing.assert_allclose(turned, plain, atol=1e-9)
    assert not np.allclose(learner.fit(X @ B, y).distance_.pairwise(X[:9] @ B, X @ B), plain)


def test_its_start_is_dmlmj_with_all_directions():
    start = GMML(t=0.0, equivariant=True, pairs_from="nearest", euclid_share=0.0).fit(X, y)
    full = DMLMJ(n_components=None, euclid_share=0.0).fit(X, y)
    np.testing.assert_allclose(start.get_mahalanobis_matrix(), full.get_mahalanobis_matrix())


@pytest.mark.parametrize("pairs_from", ["all", "nearest"])
def test_labels_turned_into_pairs_by_hand_give_the_same_metric(pairs_from):
    made = all_pairs(y) if pairs_from == "all" else nearest_pairs(X, y, 4, 4)
    by_hand = GMML(t=0.4, euclid_share=0.0).fit(X, pairs=np.c_[made.left, made.right], similar=made.similar)
    by_labels = GMML(t=0.4, pairs_from=pairs_from, n_neighbors=4, euclid_share=0.0).fit(X, y)
    np.testing.assert_allclose(by_hand.components_, by_labels.components_, rtol=1e-6, atol=1e-9)


def test_only_similar_pairs_are_set_against_the_spread_of_all_rows():
    similar = all_pairs(y).split()[0]
    learner = GMML(shrinkage=0.0, euclid_share=0.0).fit(few, pairs=np.c_[similar.left, similar.right])
    assert learner.t_ == 0.5
    assert learner.validation_scores_ is None
    M = learner.get_mahalanobis_matrix()
    np.testing.assert_allclose(M @ S @ M, 2 * np.cov(few.T), atol=1e-10)


def test_components_are_the_largest_directions_of_the_metric():
    whole, part = (
        GMML(t=0.5, euclid_share=0.0).fit(X, y),
        GMML(t=0.5, n_components=4, euclid_share=0.0).fit(X, y),
    )
    values = np.linalg.eigvalsh(whole.get_mahalanobis_matrix())[::-1]
    np.testing.assert_allclose(np.linalg.eigvalsh(part.get_mahalanobis_matrix())[::-1][:4], values[:4])
    np.testing.assert_allclose(part.components_, whole.components_[:4])


def test_shrinkage_is_applied_to_both_scatters():
    S, D = (ridged(scatter, 0.2) for scatter in class_scatters(X, y))
    M = GMML(t=0.5, shrinkage=0.2, euclid_share=0.0).fit(X, y).get_mahalanobis_matrix()
    np.testing.assert_allclose(M @ S @ M, D, atol=1e-10)


@pytest.mark.parametrize("equivariant", [False, True])
def test_auto_takes_the_best_step_of_its_grid(equivariant):
    learner = GMML(equivariant=equivariant, euclid_share=0.0).fit(X, y)
    scores = learner.validation_scores_
    assert scores[learner.t_] == max(scores.values())
    assert len(set(scores.values())) > 1
    fixed = GMML(t=learner.t_, equivariant=equivariant, euclid_share=0.0).fit(X, y)
    np.testing.assert_array_equal(learner.components_, fixed.components_)


def test_auto_works_from_pairs():
    pairs = nearest_pairs(X, y, 3, 3)
    learner = GMML(euclid_share=0.0).fit(X, pairs=np.c_[pairs.left, pairs.right], similar=pairs.similar)
    assert learner.validation_scores_[learner.t_] == max(learner.validation_scores_.values())


def test_folds_too_small_to_learn_from_without_shrinkage_are_left_out():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20, 4))
    rows[:, 3] = 0.0
    rows[0, 3] = 1.0  # constant wherever the first row is held out
    learner = GMML(shrinkage=0.0, euclid_share=0.0).fit(rows, np.arange(20) % 2)
    assert learner.validation_scores_ is not None
    assert np.isfinite(learner.components_).all()


def test_clear_errors():
    for settings, name in [
        ({"t": 1.5}, "t=1.5"),
        ({"t": "half"}, "t='half'"),
        ({"t": 2.5, "equivariant": True}, "t=2.5"),
        ({"pairs_from": "some"}, "pairs_from"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_components": 14}, "n_components"),
        ({"shrinkage": -1}, "shrinkage"),
    ]:
        with pytest.raises(ValueError, match=name):
            GMML(**settings, euclid_share=0.0).fit(X, y)
    for equivariant in (False, True):
        with pytest.raises(ValueError, match="singular"):
            GMML(shrinkage=0.0, t=0.5, equivariant=equivariant, euclid_share=0.0).fit(np.c_[X, X[:, 0]], y)
