"""KDA: its decisions against linear discriminants and naive formulas, and what its folds choose."""

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_circles
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import scale

from nearkin import KNNClassifier
from nearkin.learners.closed_form.kda import KDA
from nearkin.learners.closed_form.kernel_choice import KernelPolicy, _folds, _held_out
from nearkin.maps import KernelMap

X, y = load_wine(return_X_y=True)
X = scale(X)
SETTLED = {"shrinkage": 1e-2, "temperature": 1.0, "euclid_share": 0.0}


class Small(KDA):
    """KDA that tries little, for tests of something else."""

    kernel_policy = KernelPolicy(widths=(0.3, 1.0), shrinkages=(1e-2,), most_deals=1)


def test_without_a_kernel_it_is_linear_discriminant_analysis():
    n, n_classes = len(X), 3
    # Theirs divides the scatter by n, ours by what is left after the means.
    model = KDA(None, shrinkage=1e-12, temperature=1 - n_classes / n, euclid_share=0.0).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-7)


def test_distances_to_means_are_those_of_the_whitened_kernel_space():
    kernel = KernelMap(gamma=0.1, n_landmarks=len(X))
    model = KDA(kernel, **SETTLED).fit(X, y)
    F = kernel.lift(X, np.random.RandomState(0))(X)
    means = np.array([F[y == c].mean(axis=0) for c in range(3)])
    residuals = F - means[y]
    W = residuals.T @ residuals / (len(X) - 3)
    W += 1e-2 * np.linalg.eigvalsh(W)[-1] * np.eye(len(W))
    expected = np.array([[(f - m) @ np.linalg.solve(W, f - m) for m in means] for f in F[:9]])
    Z = model.transform(X[:9])
    found = np.square(Z[:, None] - model.means_).sum(axis=2)
    # A row may lie off the directions in which the means differ, equally far from all of them.
    np.testing.assert_allclose(found - found[:, :1], expected - expected[:, :1], rtol=1e-6, atol=1e-6)
    P = np.bincount(y) * np.exp(-0.5 * (expected - expected.min(axis=1, keepdims=True)))
    np.testing.assert_allclose(model.predict_proba(X[:9]), P / P.sum(axis=1, keepdims=True), atol=1e-7)
    assert model.n_components_ == 2


def test_folds_judge_as_a_fit_to_their_rows_would_decide():
    kernel = KernelMap(gamma=0.1, n_landmarks=len(X))
    folds = _folds(y, KernelPolicy())
    ((_, held),) = _held_out(X, y, folds, kernel, (1e-2,))
    for (seen, unseen), found in list(zip(folds, held))[:3]:
        model = KDA(kernel, **SETTLED).fit(X[seen], y[seen])
        from_folds = found.scores - found.scores[:, :1]
        Z = model.transform(X[unseen])
        squared = np.square(Z[:, None] - model.means_).sum(axis=2)
        np.testing.assert_allclose(from_folds, (squared[:, :1] - squared) / 2, rtol=1e-3, atol=1e-3)


def test_a_curved_kernel_is_chosen_where_a_straight_line_will_not_do():
    rings, inside = make_circles(300, noise=0.1, factor=0.5, random_state=0)
    straight = KDA(None, random_state=0, euclid_share=0.0).fit(rings[::2], inside[::2])
    model = KDA(random_state=0).fit(rings[::2], inside[::2])
    assert model.score(rings[1::2], inside[1::2]) > 0.97
    assert straight.score(rings[1::2], inside[1::2]) < 0.7
    assert model.kernel_.kernel in ("rbf", "polynomial")


def test_labels_without_meaning_are_answered_with_the_share_of_each_class():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(400, 5)), rng.integers(0, 4, 400) // 3
    P = Small(euclid_share=0.0).fit(rows, labels).predict_proba(rng.normal(size=(200, 5)))
    # Temperatures end at 32, so that something of the accidents remains.
    np.testing.assert_allclose(P.mean(axis=0), np.bincount(labels) / 400, atol=0.05)
    assert P.std(axis=0).max() < 0.1


def test_euclid_takes_over_where_means_are_no_guide():
    rng = np.random.default_rng(0)
    centres = rng.uniform(-40, 40, size=(60, 2))
    labels = rng.integers(0, 2, 60)
    rows = np.repeat(centres, 6, axis=0) + 0.1 * rng.normal(size=(360, 2))
    truth = np.repeat(labels, 6)

    class Straight(KDA):
        kernel_policy = KernelPolicy(shrinkages=(1e-2,), most_deals=1)

    model = Straight(kernel="linear").fit(rows[::2], truth[::2])
    assert model.euclid_share_ >= 0.5
    assert model.score(rows[1::2], truth[1::2]) > 0.95
    assert Straight(kernel="linear", euclid_share=0.0).fit(rows, truth).score(rows, truth) < 0.8


def test_what_is_given_is_taken():
    model = KDA("rbf", shrinkage=0.05, temperature=3.0, euclid_share=0.25).fit(X, y)
    assert (model.kernel_.kernel, model.shrinkage_, model.temperature_) == ("rbf", 0.05, 3.0)
    assert model.euclid_share_ == 0.25
    assert len(model._voting[0]) == len(X)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_units_do_not_matter(factor):
    plain, moved = Small().fit(X[::2], y[::2]), Small().fit(factor * X[::2] + 3 * factor, y[::2])
    np.testing.assert_allclose(
        moved.predict_proba(factor * X[1::2] + 3 * factor), plain.predict_proba(X[1::2]), atol=1e-6
    )


def test_classes_of_one_row_and_rows_beyond_the_landmarks():
    labels = y.copy()
    labels[0] = 9
    policy = KernelPolicy(widths=(1.0,), shrinkages=(1e-2,), most_deals=1, n_landmarks=40, most_rows=100)
    model = type("Few", (KDA,), {"kernel_policy": policy})(random_state=0).fit(X, labels)
    assert model.lift_.landmarks.shape == (40, 13)
    assert model.score(X, labels) > 0.95
    alone = KDA("rbf").fit(X[:3], [0, 1, 2])
    assert alone.predict(X[:3]).tolist() == [0, 1, 2]


def test_single_precision_stays_and_agrees():
    double, single = (Small(random_state=0).fit(X.astype(kind), y) for kind in (np.float64, np.float32))
    assert single.transform(X.astype(np.float32)).dtype == np.float32
    assert np.mean(single.predict(X.astype(np.float32)) == double.predict(X)) > 0.98


def test_neighbours_may_vote_in_the_learned_space():
    assert KNNClassifier(Small(), n_neighbors=9).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"shrinkage": 0}, "shrinkage=0: expected 'auto' or a positive number"),
        ({"temperature": "hot"}, "temperature='hot'"),
        ({"kernel": "cubic"}, "kernel='cubic' is not known"),
        ({"euclid_share": 2}, "euclid_share=2"),
    ],
)
def test_invalid_settings_are_refused(settings, told):
    with pytest.raises(ValueError, match=told):
        KDA(**settings).fit(X, y)
