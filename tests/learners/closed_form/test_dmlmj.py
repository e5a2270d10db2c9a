"""DMLMJ: its divergence, what keeping all directions means, invariances, and kernels."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from nearkin import KNNClassifier
from nearkin.learners.closed_form.dmlmj import DMLMJ
from nearkin.learners.closed_form.two_scatters import scatters_of_pairs
from nearkin.maps import KernelMap
from nearkin.numerics.linear_metric import ridged
from nearkin.supervision.label_pairs import nearest_pairs

X, y = load_wine(return_X_y=True)
X = scale(X)
PAIRS = nearest_pairs(X, y, 5, 5)
S, D = (ridged(scatter) for scatter in scatters_of_pairs(X, PAIRS))


def divergence(A):
    """Jeffrey divergence of two centred Gaussians seen through the columns of A."""
    s, d = A.T @ S @ A, A.T @ D @ A
    return (np.trace(np.linalg.solve(s, d)) + np.trace(np.linalg.solve(d, s))) / 2 - len(s)


def test_with_all_directions_the_metric_is_the_inverse_of_the_similar_scatter():
    M = DMLMJ(n_components=None, euclid_share=0.0).fit(X, y).get_mahalanobis_matrix()
    np.testing.assert_allclose(M @ S, np.eye(13), atol=1e-9)


@pytest.mark.parametrize("order", ["jeffrey", "ratio"])
@pytest.mark.parametrize("e", [1, 4, 13])
def test_objective_is_the_divergence_in_the_directions_kept(order, e):
    learner = DMLMJ(n_components=e, order=order, euclid_share=0.0).fit(X, y)
    assert learner.components_.shape == (e, 13)
    assert learner.objective_ == pytest.approx(divergence(learner.components_.T))


def test_no_other_directions_have_a_greater_divergence():
    learner = DMLMJ(n_components=3, euclid_share=0.0).fit(X, y)
    rng = np.random.default_rng(0)
    assert max(divergence(rng.normal(size=(13, 3))) for _ in range(1000)) < learner.objective_
    # Nor do those nearby.
    for _ in range(100):
        A = learner.components_.T + 0.01 * rng.normal(size=(13, 3))
        assert divergence(A) < learner.objective_


def test_ratio_takes_the_directions_in_which_dissimilar_pairs_spread_most():
    learner = DMLMJ(n_components=None, order="ratio", euclid_share=0.0).fit(X, y)
    A = learner.components_
    np.testing.assert_allclose(np.einsum("ij,jk,ik->i", A, D, A), learner.eigenvalues_)
    np.testing.assert_allclose(A @ S @ A.T, np.eye(13), atol=1e-9)
    assert np.all(np.diff(learner.eigenvalues_) <= 0)


def test_given_pairs_no_invertible_map_of_the_features_changes_a_distance():
    B = np.random.default_rng(0).normal(size=(13, 13))
    learner = DMLMJ(n_components=4, shrinkage=0.0, euclid_share=0.0)
    given = {"pairs": np.c_[PAIRS.left, PAIRS.right], "similar": PAIRS.similar}
    plain = learner.fit(X, **given).distance_.pairwise(X[:9], X)
    mapped = learner.fit(X @ B, **given).distance_.pairwise(X[:9] @ B, X @ B)
    np.testing.assert_allclose(mapped, plain, atol=1e-7)


def test_labels_turned_into_pairs_by_hand_give_the_same_metric():
    by_hand = DMLMJ(n_components=5, euclid_share=0.0).fit(
        X, pairs=np.c_[PAIRS.left, PAIRS.right], similar=PAIRS.similar
    )
    np.testing.assert_allclose(
        by_hand.components_, DMLMJ(n_components=5, euclid_share=0.0).fit(X, y).components_
    )
    assert not hasattr(by_hand, "classes_")


def test_auto_takes_the_best_number_of_directions():
    learner = DMLMJ(euclid_share=0.0).fit(X, y)
    scores = learner.validation_scores_
    assert list(scores) == list(range(1, 14))
    assert scores[learner.n_components_] == max(scores.values()) > min(scores.values())
    fixed = DMLMJ(n_components=learner.n_components_, euclid_share=0.0).fit(X, y)
    np.testing.assert_array_equal(learner.components_, fixed.components_)


def test_auto_finds_the_one_direction_that_matters():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(300, 20))
    labels = np.arange(300) % 2
    noise[:, 3] = 0.5 * noise[:, 3] + 2 * labels
    learner = DMLMJ(order="ratio", euclid_share=0.0).fit(noise, labels)
    assert learner.n_components_ <= 3
    assert learner.validation_scores_[learner.n_components_] > learner.validation_scores_[20] + 0.02
    assert np.abs(learner.components_[0]).argmax() == 3


def test_auto_tries_at_most_thirty_numbers():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(150, 100))
    learner = DMLMJ(n_neighbors=2, euclid_share=0.0).fit(wide, np.arange(150) % 3)
    counts = list(learner.validation_scores_)
    assert len(counts) <= 30
    assert counts[0] == 1
    assert counts[-1] == 100


def test_the_linear_kernel_changes_nothing():
    settings = {"n_components": 4, "shrinkage": 1e-2}
    plain = DMLMJ(**settings, euclid_share=0.0).fit(X, y)
    linear = DMLMJ(kernel="linear", **settings, euclid_share=0.0).fit(X, y)
    found, expected = (learner.distance_.pairwise(X[:9], X) for learner in (linear, plain))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert linear.objective_ == pytest.approx(plain.objective_)


@pytest.mark.parametrize(
    "kernel", ["rbf", KernelMap(kernel="polynomial", degree=2)], ids=["rbf", "polynomial"]
)
def test_a_kernel_parts_what_no_line_can(kernel):
    # A ball and what surrounds it.
    rows = np.random.default_rng(0).normal(size=(400, 6))
    outside = (rows**2).sum(axis=1) > 5

    def score(kernel):
        model = KNNClassifier(DMLMJ(kernel=kernel, random_state=0, euclid_share=0.0), n_neighbors=3)
        return model.fit(rows[::2], outside[::2]).score(rows[1::2], outside[1::2])

    assert score(kernel) > score(None) + 0.08


def test_a_kernel_leaves_no_matrix_of_an_earlier_fit():
    learner = DMLMJ(n_components=3, euclid_share=0.0).fit(X, y)
    assert learner.components_.shape == (3, 13)
    learner.set_params(kernel="rbf", random_state=0).fit(X, y)
    assert not hasattr(learner, "components_")
    assert learner.transform(X).shape == (178, 3)
    assert list(learner.get_feature_names_out()) == ["dmlmj0", "dmlmj1", "dmlmj2"]


def test_kernels_take_pairs_too():
    given = {"pairs": np.c_[PAIRS.left, PAIRS.right], "similar": PAIRS.similar}
    learner = DMLMJ(kernel="rbf", n_components=2, random_state=0, euclid_share=0.0).fit(X, **given)
    assert np.isfinite(learner.pair_distances(X, given["pairs"])).all()


def test_clear_errors():
    for settings, name in [
        ({"n_components": 14}, "n_components"),
        ({"n_components": "most"}, "n_components"),
        ({"n_neighbors": 1.5}, "n_neighbors"),
        ({"order": "best"}, "order"),
        ({"shrinkage": 2}, "shrinkage"),
        ({"kernel": "rbff"}, "kernel"),
    ]:
        with pytest.raises(ValueError, match=name):
            DMLMJ(**settings, euclid_share=0.0).fit(X, y)
