"""Move-labeled and Move-query against a naive computation, in every form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_iris, load_wine, make_blobs

from nearkin import KNNClassifier, MoveLabeled, MoveQuery
from nearkin.distances import EmbeddedDistance, KernelMovedDistance
from nearkin.learners.closed_form.alpha import AT_MOST, RELATIVE_ALPHAS
from nearkin.maps import KernelMap

BOTH = [MoveLabeled, MoveQuery]


def naive_move(X, y, n_targets, alpha, learner, weights=None):
    """W by stacking every pair, and the objective, straight from the definition."""
    centred = X - X.mean(axis=0)
    distances = ((centred[:, None] - centred[None]) ** 2).sum(axis=2)
    pairs = [
        (i, j)
        for i in range(len(X))
        for j in [j for j in np.argsort(distances[i], kind="stable") if j != i and y[j] == y[i]][:n_targets]
    ]
    sources, targets = centred[[i for i, _ in pairs]], centred[[j for _, j in pairs]]
    inputs, outputs = (targets, sources) if learner is MoveLabeled else (sources, targets)
    w = np.ones(len(pairs)) if weights is None else weights[[i for i, _ in pairs]]
    normal = inputs.T @ (w[:, None] * inputs) + alpha * np.eye(X.shape[1])
    W = np.linalg.solve(normal, inputs.T @ (w[:, None] * outputs)).T
    objective = (w * ((outputs - inputs @ W.T) ** 2).sum(axis=1)).sum() + alpha * (W**2).sum()
    return W, objective / len(X)


@pytest.mark.parametrize("learner", BOTH)
@pytest.mark.parametrize("n_targets", [1, 4])
@pytest.mark.parametrize("shape", [(60, 7), (25, 40)], ids=["primal", "dual"])
def test_matches_the_naive_solution(learner, n_targets, shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape) + 3, rng.integers(3, size=shape[0])
    W, objective = naive_move(X, y, n_targets, 2.5, learner)
    fitted = learner(n_targets=n_targets, alpha=2.5).fit(X, y)
    np.testing.assert_allclose(fitted.components_, W, atol=1e-10)
    assert fitted.objective_ == pytest.approx(objective)


@given(st.integers(0, 10**6), st.integers(4, 30), st.integers(1, 30), st.floats(1e-3, 1e3))
@settings(max_examples=25, deadline=None)
def test_distances_are_those_of_the_moved_points(seed, n, d, alpha):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), np.arange(n) % 2
    queries = rng.normal(size=(3, d))
    W, _ = naive_move(X, y, 1, alpha, MoveLabeled)
    mean = X.mean(axis=0)
    moved = mean + (X - mean) @ W.T
    expected = ((queries[:, None] - moved[None]) ** 2).sum(axis=2)
    found = MoveLabeled(n_targets=1, alpha=alpha).fit(X, y).distance_.pairwise(queries, X)
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("learner", BOTH)
@pytest.mark.parametrize("shape", [(60, 7), (25, 40)], ids=["primal", "dual"])
def test_sparse_rows_give_the_dense_distances(learner, shape):
    rng = np.random.default_rng(1)
    X = rng.normal(size=shape) * (rng.random(shape) < 0.4)
    y = rng.integers(3, size=shape[0])
    dense = learner(n_targets=1, alpha=1.0).fit(X, y)
    thin = learner(n_targets=1, alpha=1.0).fit(sparse.csr_array(X), y)
    expected = dense.distance_.pairwise(X[:5], X)
    np.testing.assert_allclose(
        thin.distance_.pairwise(sparse.csr_array(X[:5]), sparse.csr_array(X)), expected, atol=1e-8
    )
    assert thin.objective_ == pytest.approx(dense.objective_)


def test_wide_sparse_rows_are_never_made_dense():
    """A million columns: one dense copy of these rows would need 3.2 GB."""
    rng = np.random.default_rng(0)
    places = np.repeat(np.arange(400), 10), rng.integers(10**6, size=4_000)
    rows = sparse.coo_array((rng.random(4_000), places), shape=(400, 10**6)).tocsr()
    model = KNNClassifier(MoveLabeled(n_targets=1, alpha=1.0), n_neighbors=3).fit(rows, np.arange(400) % 4)
    assert model.predict(rows[:7]).shape == (7,)


def test_linear_kernel_equals_no_kernel():
    X, y = load_iris(return_X_y=True)
    plain, kernel = (
        MoveLabeled(n_targets=1, alpha=3.0).fit(X, y),
        MoveLabeled(n_targets=1, alpha=3.0, kernel="linear").fit(X, y),
    )
    np.testing.assert_allclose(
        kernel.distance_.pairwise(X[:9], X), plain.distance_.pairwise(X[:9], X), atol=1e-7
    )


def test_rbf_kernel_matches_an_explicit_feature_map():
    """Rows of a symmetric root of K are feature vectors with exactly these inner products."""
    rng = np.random.default_rng(0)  # no ties, which rounding would break either way
    X, y = rng.normal(size=(60, 3)), rng.integers(3, size=60)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    values, vectors = np.linalg.eigh(K)
    features = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    kernel = MoveLabeled(n_targets=1, alpha=0.3, kernel=KernelMap(kernel="rbf", gamma=0.5)).fit(X, y)
    assert isinstance(kernel.distance_, KernelMovedDistance)
    # Targets are neighbours in the input space, which an RBF kernel keeps.
    explicit = MoveLabeled(n_targets=1, alpha=0.3).fit(features, y)
    np.testing.assert_allclose(
        kernel.distance_.pairwise(X, X), explicit.distance_.pairwise(features, features), atol=1e-6
    )


def test_a_kernel_is_named_as_for_every_learner():
    X, y = load_iris(return_X_y=True)
    settings = {"n_targets": 1, "alpha": 0.1}
    polynomial = KernelMap(kernel="polynomial", gamma=0.5, degree=2, coef0=2.0)
    found = MoveLabeled(kernel=polynomial, **settings).fit(X, y)
    old = MoveLabeled(
        kernel="polynomial", kernel_params={"gamma": 0.5, "degree": 2, "coef0": 2.0}, **settings
    )
    with pytest.warns(FutureWarning, match="kernel=KernelMap"):
        old.fit(X, y)
    assert np.array_equal(found.distance_.pairwise(X, X), old.distance_.pairwise(X, X))


def test_queries_stay_where_they_are():
    X, y = load_wine(return_X_y=True)
    distance = MoveLabeled(n_targets=1).fit(X, y).distance_
    assert isinstance(distance, EmbeddedDistance)
    assert distance.embed_queries(X) is X
    assert not np.allclose(distance.embed_references(X), X)
    mirrored = MoveQuery().fit(X, y).distance_
    assert mirrored.embed_references(X) is X


def test_there_is_no_transform():
    assert not hasattr(MoveLabeled(), "transform")
    assert not hasattr(MoveQuery(), "transform")


def test_sample_weight_weighs_pairs_and_zero_leaves_rows_out():
    rng = np.random.default_rng(2)
    X, y, w = rng.normal(size=(40, 5)), np.arange(40) % 3, rng.random(40) + 0.1
    W, _ = naive_move(X, y, 1, 1.0, MoveLabeled, w)
    np.testing.assert_allclose(
        MoveLabeled(n_targets=1, alpha=1.0).fit(X, y, sample_weight=w).components_, W, atol=1e-10
    )
    w[:10] = 0
    with_zeros = MoveLabeled(n_targets=1, alpha=1.0).fit(X, y, sample_weight=w)
    without = MoveLabeled(n_targets=1, alpha=1.0).fit(X[10:], y[10:], sample_weight=w[10:])
    np.testing.assert_allclose(with_zeros.components_, without.components_)


def test_auto_alpha_is_one_of_the_path_and_scores_as_well_as_the_best():
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=90)
    X = rng.normal(size=(90, 4)) + y[:, None]
    fitted = MoveLabeled(n_targets=1).fit(X, y)
    centred = X - X.mean(axis=0)
    same = [
        next(j for j in np.argsort(((X - x) ** 2).sum(axis=1)) if j != i and y[j] == y[i])
        for i, x in enumerate(X)
    ]
    unit = (centred[same] ** 2).sum() / X.shape[1]
    place = np.argmin(abs(RELATIVE_ALPHAS - fitted.alpha_ / unit))
    assert fitted.alpha_ == pytest.approx(RELATIVE_ALPHAS[place] * unit)
    assert fitted.alpha_scores_[place] >= fitted.alpha_scores_.max() - AT_MOST
    assert fitted.alpha_ == MoveLabeled(n_targets=1).fit(X, y).alpha_


def test_auto_alpha_works_in_the_dual_form_and_with_kernels():
    rng = np.random.default_rng(0)
    X, y = make_blobs(60, 200, centers=3, cluster_std=9.0, random_state=0)
    for n in (1, "all", "auto"):
        assert MoveLabeled(n).fit(X, y).alpha_ > 0
        assert MoveLabeled(n, kernel=KernelMap(kernel="rbf", gamma=1e-3)).fit(X, y).alpha_ > 0
        assert MoveLabeled(n).fit(sparse.csr_array(X * (rng.random(X.shape) < 0.2)), y).alpha_ > 0


def test_float32_is_kept_and_close_to_float64():
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    single = MoveLabeled(n_targets=1, alpha=1.0).fit(X.astype(np.float32), y)
    double = MoveLabeled(n_targets=1, alpha=1.0).fit(X, y)
    assert single.components_.dtype == np.float32
    assert single.distance_.embed_references(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.components_, double.components_, atol=1e-4)


def test_moving_labelled_points_cuts_hubs_and_moving_queries_makes_them():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(10, 100)) * 0.4
    y = rng.integers(10, size=1500)
    X = centres[y] + rng.normal(size=(1500, 100))
    skewness = {
        name: KNNClassifier(learner).fit(X[:1000], y[:1000]).hubness(X[1000:]).skewness
        for name, learner in [("euclid", None), ("labeled", MoveLabeled()), ("query", MoveQuery())]
    }
    assert skewness["labeled"] < skewness["euclid"] / 2
    assert skewness["query"] > skewness["euclid"]


@pytest.mark.parametrize("shape", [(60, 7), (25, 40)], ids=["primal", "dual"])
def test_all_targets_are_the_mean_of_each_row_s_class(shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape) + 1, np.append(np.arange(shape[0] - 1) % 3, 3)
    weights = rng.uniform(0.5, 2, size=shape[0])
    centred = X - X.mean(axis=0)
    normal, wanted = np.eye(shape[1]) * 2.0, np.zeros((shape[1], shape[1]))
    for i, j in np.argwhere((y[:, None] == y) & ~np.eye(len(y), dtype=bool)):
        weight = weights[i] / (np.sum(y == y[i]) - 1)
        normal += weight * np.outer(centred[j], centred[j])
        wanted += weight * np.outer(centred[j], centred[i])
    fitted = MoveLabeled("all", alpha=2.0).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(fitted.components_, np.linalg.solve(normal, wanted).T, atol=1e-9)
    assert fitted.n_targets_ == "all"


@pytest.mark.parametrize("shape", [(60, 7), (25, 40)], ids=["primal", "dual"])
@pytest.mark.parametrize("kind", ["dense", "sparse", "kernel"])
def test_a_share_of_the_move_lies_between(shape, kind):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), np.arange(shape[0]) % 3
    rows = sparse.csr_array(X) if kind == "sparse" else X
    settings = {"n_targets": 2, "alpha": 1.0, "kernel": "linear" if kind == "kernel" else None}
    whole = MoveLabeled(n_targets=2, alpha=1.0).fit(X, y).move(X)
    for share in (0.0, 0.3, 1.0):
        mixed = (1 - share) * X + share * whole
        expected = ((X[:6, None] - mixed[None]) ** 2).sum(axis=2)
        found = MoveLabeled(**settings, share=share).fit(rows, y)
        np.testing.assert_allclose(found.distance_.pairwise(rows[:6], rows), expected, atol=1e-8)
        assert found.share_ == share


def test_moved_rows_are_what_the_distance_stores():
    X, y = load_iris(return_X_y=True)
    fitted = MoveLabeled().fit(X, y)
    np.testing.assert_array_equal(fitted.move(X), fitted.distance_.embed_references(X))
    with pytest.raises(ValueError, match="features"):
        fitted.move(X[:, :3])
    with pytest.raises(TypeError, match="feature space"):
        MoveLabeled(1, 1.0, kernel="rbf").fit(X, y).move(X)


class TestBadInput:
    X = np.random.default_rng(0).normal(size=(12, 3))

    def test_all_classes_singletons(self):
        with pytest.raises(ValueError, match="at least two rows"):
            MoveLabeled().fit(self.X, np.arange(12))

    def test_one_singleton_class_among_others_is_left_out(self):
        y = np.array([0] * 6 + [1] * 5 + [2])
        W, _ = naive_move(self.X, y, 1, 1.0, MoveLabeled)
        np.testing.assert_allclose(
            MoveLabeled(n_targets=1, alpha=1.0).fit(self.X, y).components_, W, atol=1e-10
        )

    def test_one_class_predicts_that_class(self):
        model = KNNClassifier(MoveLabeled()).fit(self.X, ["a"] * 12)
        assert set(model.predict(self.X)) == {"a"}

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_nan_and_infinity_are_named(self, bad):
        X = self.X.copy()
        X[3, 1] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            MoveLabeled().fit(X, np.arange(12) % 2)

    @pytest.mark.parametrize(
        "settings",
        [
            {"alpha": -1},
            {"alpha": "big"},
            {"alpha": np.nan},
            {"n_targets": 0},
            {"n_targets": 1.5},
            {"n_targets": "some"},
            {"share": 2},
        ],
    )
    def test_settings_out_of_range(self, settings):
        with pytest.raises(ValueError, match=next(iter(settings))):
            MoveLabeled(**settings).fit(self.X, np.arange(12) % 2)

    def test_constant_and_duplicate_columns(self):
        X = np.column_stack([self.X, self.X, np.ones(12)])
        for alpha in ("auto", 0.0, 1.0):
            fitted = MoveLabeled(n_targets=1, alpha=alpha).fit(X, np.arange(12) % 2)
            assert np.isfinite(fitted.distance_.pairwise(X, X)).all()

    def test_all_rows_the_same(self):
        X, y = np.ones((8, 3)), np.arange(8) % 2
        assert np.isfinite(KNNClassifier(MoveLabeled(), n_neighbors=3).fit(X, y).predict_proba(X)).all()

    def test_more_targets_than_class_members(self):
        y = np.arange(12) % 3
        few, many = MoveLabeled(n_targets=3, alpha=1.0).fit(self.X, y), MoveLabeled(n_targets=50, alpha=1.0)
        np.testing.assert_allclose(many.fit(self.X, y).components_, few.components_)

    def test_negative_weights(self):
        with pytest.raises(ValueError, match="Negative"):
            MoveLabeled().fit(self.X, np.arange(12) % 2, sample_weight=-np.ones(12))

    @pytest.mark.parametrize("labels", [["yes", "no"], [True, False], [3, 7]])
    def test_labels_of_any_kind_come_back(self, labels):
        y = np.array(labels)[np.arange(12) % 2]
        model = KNNClassifier(MoveLabeled(), n_neighbors=1).fit(self.X, y)
        assert set(model.predict(self.X)) <= set(y.tolist())
        assert model.predict(self.X).dtype == y.dtype
