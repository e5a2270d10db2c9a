"""Move-labeled and Move-query against a naive computation, in every form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs

from nearkin import KNNClassifier, MoveLabeled, MoveQuery
from nearkin.distances import EmbeddedDistance, KernelMovedDistance
from nearkin.evaluation.retrieval import Relevance, map_at_r
from nearkin.learners.closed_form.alpha import AT_MOST, RELATIVE_ALPHAS, Trial, held_out_rows
from nearkin.learners.closed_form.setting_choice import STAY, Choice, Setting, _Division
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


class TestAuto:
    def test_broad_classes_take_many_targets(self):
        rng = np.random.default_rng(0)
        y = rng.integers(5, size=600)
        X = 2.5 * np.eye(5, 60)[y] + rng.normal(size=(600, 60))
        fitted = MoveLabeled().fit(X[:300], y[:300])
        assert fitted.n_targets_ in (20, "all")
        assert fitted.share_ == 1.0
        scores = [
            KNNClassifier(learner, 5).fit(X[:300], y[:300]).score(X[300:], y[300:])
            for learner in (MoveLabeled(), MoveLabeled(n_targets=1), None)
        ]
        assert scores[0] > max(scores[1:])

    def test_classes_of_several_parts_are_not_drawn_together(self):
        """A ring around a blob: the mean of either class is the same point."""
        rng = np.random.default_rng(0)
        y = np.arange(400) % 2
        angle, radius = rng.uniform(0, 2 * np.pi, 400), np.where(y, 3.0, 1.0) + 0.2 * rng.normal(size=400)
        X = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        model = KNNClassifier(MoveLabeled(), 5).fit(X[:300], y[:300])
        assert model.learner_.n_targets_ != "all" or model.learner_.share_ == 0.0
        assert model.score(X[300:], y[300:]) >= KNNClassifier(None, 5).fit(X[:300], y[:300]).score(
            X[300:], y[300:]
        )

    def test_staying_is_among_the_choices(self):
        rng = np.random.default_rng(0)
        X, y = rng.uniform(size=(500, 2)), np.arange(500) % 2
        y = (np.floor(X[:, 0] * 4) + np.floor(X[:, 1] * 4)).astype(int) % 2  # a chequerboard
        fitted = MoveLabeled().fit(X, y)
        assert (1, 1.0, 0.0) in [tried[:3] for tried in fitted.choices_]
        best = max(tried[3] for tried in fitted.choices_)
        assert fitted.choices_[0][3] == best

    def test_what_is_given_is_kept(self):
        X, y = load_wine(return_X_y=True)
        fitted = MoveLabeled(alpha=7.0, share=0.25).fit(X, y)
        assert (fitted.alpha_, fitted.share_) == (7.0, 0.25)
        assert {tried[2] for tried in fitted.choices_} == {0.25}
        given = MoveLabeled(n_targets=4).fit(X, y)
        assert (given.n_targets_, given.share_) == (4, 1.0)
        assert not hasattr(given, "choices_")

    def test_of_penalties_alike_the_one_with_fewer_hubs_is_taken(self):
        right = np.array([1.0, 1.0, 0.0, 1.0])
        alphas = Choice.relative_alphas
        tried = {
            Setting(5, alpha, 1.0): Trial(right, skewness)
            for alpha, skewness in zip(alphas, [9.0, 8.0, 7.0, 2.0, 5.0, 6.0])
        }
        tried[Setting()] = Trial(np.zeros(4), 0.0)
        chosen = Choice(n_targets=(5,), shares=(1.0,))._best(tried)
        assert chosen.relative_alpha == alphas[3]

    def test_a_penalty_clearly_worse_is_not_taken_for_its_hubs(self):
        better, worse = np.ones(400), (np.arange(400) % 20 > 0).astype(float)
        assert Trial(better, 9.0).clearly_above(Trial(worse, 1.0))
        assert not Trial(better, 9.0).clearly_above(Trial(better, 1.0))
        tried = {Setting(5, 1.0, 1.0): Trial(better, 9.0), Setting(5, 10.0, 1.0): Trial(worse, 1.0)}
        choice = Choice(n_targets=(5,), shares=(1.0,), relative_alphas=(1.0, 10.0))
        assert choice._best(tried) == Setting(5, 1.0, 1.0)

    def test_the_score_joins_votes_and_places_in_the_list(self):
        """Against the definition, row by row, of rows that stay."""
        X, y = make_blobs(60, 3, centers=3, cluster_std=4.0, random_state=0)
        choice = Choice(neighbourhoods=(1, 5), depth=12)
        held_out = next(held_out_rows(y))
        kept = np.setdiff1d(np.arange(60), held_out)
        setting, found, _ = next(_Division(choice, X, y, kept, held_out, None).results([1]))
        assert setting == Setting()
        expected = []
        for row in held_out:
            near = y[kept][np.argsort(((X[kept] - X[row]) ** 2).sum(axis=1))][:12]
            votes = [near[0] == y[row], np.bincount(near[:5], minlength=3).argmax() == y[row]]
            there = min(int((y[kept] == y[row]).sum()), 12)
            hits = near[:there] == y[row]
            precision = sum(hits[: place + 1].mean() for place in range(there) if hits[place]) / there
            expected.append(0.9 * (0.75 * np.mean(votes) + 0.25 * votes[0]) + 0.1 * precision)
        # A tie of votes goes to the nearest, which bincount does not know: few rows differ by a vote.
        assert np.mean(np.abs(found - expected) < 1e-9) > 0.8

    def test_whole_classes_are_tried_part_of_the_way(self):
        X, y = make_blobs(120, 4, centers=3, random_state=0)
        tried = {(n_targets, share) for n_targets, _, share, *_ in MoveLabeled().fit(X, y).choices_}
        assert {share for n_targets, share in tried if n_targets == "all"} == set(Choice.shares)
        assert {share for n_targets, share in tried if n_targets == 5} == {1.0}

    @pytest.mark.parametrize("shape", [(90, 7), (60, 80)], ids=["primal", "dual"])
    @pytest.mark.parametrize("kind", ["dense", "sparse", "kernel"])
    def test_moves_are_averaged_by_their_weights(self, shape, kind):
        rng = np.random.default_rng(0)
        y = np.arange(shape[0]) % 3
        X = rng.normal(size=shape) + y[:, None] * np.eye(shape[1])[0]
        rows = sparse.csr_array(X) if kind == "sparse" else X
        fitted = MoveLabeled(kernel="linear" if kind == "kernel" else None).fit(rows, y)
        weights = {tried[:3]: tried[5] for tried in fitted.choices_ if tried[5] > 0}
        assert len(weights) > 5
        assert sum(weights.values()) == pytest.approx(1)
        average = np.zeros_like(X)
        for (n_targets, relative, share), weight in weights.items():
            pairs = MoveLabeled(n_targets, 1.0).fit(X, y)._pairs(X, y, None)
            rank, inputs = min(shape), pairs.sum(axis=1) if n_targets == "all" else pairs.sum(axis=0)
            unit = (np.asarray(inputs).ravel() @ ((X - X.mean(axis=0)) ** 2).sum(axis=1)) / rank
            if n_targets != "all":
                rank = min(rank, np.count_nonzero(inputs))
                unit *= min(shape) / rank
            one = MoveLabeled(n_targets, alpha=relative * unit, share=share)
            average += weight * one.fit(X, y).move(X)
        expected = ((X[:6, None] - average[None]) ** 2).sum(axis=2)
        np.testing.assert_allclose(fitted.distance_.pairwise(rows[:6], rows), expected, rtol=1e-6, atol=1e-8)

    def test_a_setting_weighs_less_the_more_clearly_it_is_behind(self):
        rng = np.random.default_rng(0)
        right = {Setting(5, alpha, 1.0): rng.uniform(size=50) for alpha in (0.1, 1.0, 10.0)}
        right[Setting()] = np.full(50, -9.0)
        top = max(right.values(), key=np.mean)
        expected = {}
        for setting, scores in right.items():
            error = np.std(top - scores) / np.sqrt(50)
            behind = (top.mean() - scores.mean()) / error if error else 0.0
            expected[setting] = np.exp(-(behind**2) / 2)
        expected = {setting: weight for setting, weight in expected.items() if weight >= 0.01}
        found = Choice()._weights({setting: Trial(scores, 0.0) for setting, scores in right.items()})
        assert Setting() not in found
        assert found == pytest.approx({s: w / sum(expected.values()) for s, w in expected.items()})

    def test_rows_that_had_no_say_leave_one_move(self):
        """Of sparse rows 1,500 choose; beyond, the best setting alone is used."""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(1510, 3)), rng.integers(2, size=1510)
        rows = sparse.csr_array(X)
        fitted = MoveLabeled().fit(rows, y)
        assert sorted(tried[5] for tried in fitted.choices_)[-2:] == [0.0, 1.0]
        again = MoveLabeled(fitted.n_targets_, fitted.alpha_, share=fitted.share_).fit(rows, y)
        np.testing.assert_allclose(fitted.components_, again.components_, rtol=1e-9)

    def test_gains_are_those_of_the_averaged_move(self):
        rng = np.random.default_rng(0)
        y = np.arange(80) % 3
        X = rng.normal(size=(80, 4)) + y[:, None] * np.eye(4)[0]
        held_out = next(held_out_rows(y))
        kept = np.setdiff1d(np.arange(80), held_out)
        weights = {
            STAY: 0.5,
            Setting(1, 0.3, 1.0): 0.2,
            Setting(1, 3.0, 1.0): 0.1,
            Setting("all", 0.3, 0.5): 0.2,
        }
        found = _Division(Choice(neighbourhoods=(1,)), X, y, kept, held_out, None).gains(weights)
        moved = np.zeros_like(X[kept])
        for setting, weight in weights.items():
            one = MoveLabeled(setting.n_targets, 1.0).fit(X[kept], y[kept])
            pairs = one._pairs(X[kept], y[kept], None)
            inputs = pairs.sum(axis=1) if setting.n_targets == "all" else pairs.sum(axis=0)
            centred = X[kept] - X[kept].mean(axis=0)
            unit = np.asarray(inputs).ravel() @ (centred**2).sum(axis=1) / 4
            one.set_params(alpha=setting.relative_alpha * unit, share=setting.share)
            moved += weight * one.fit(X[kept], y[kept]).move(X[kept])

        def right(references):
            apart = ((X[held_out][:, None] - references) ** 2).sum(axis=2)
            return y[kept][apart.argmin(axis=1)] == y[held_out]

        expected = right(moved).astype(int) - right(X[kept])
        assert expected.any()
        np.testing.assert_array_equal(found, expected[None])

    @pytest.mark.parametrize("harmful", [(), ("average",), ("average", "best"), ("best",)])
    def test_the_first_move_that_costs_nothing_is_made(self, harmful):
        class Division:
            def gains(self, weights):
                name = "average" if len(weights) > 1 else "best"
                # A gain of one neighbour does not outweigh what five lose.
                return np.array([np.ones(40), np.full(40, -1 if name in harmful else 0)])

        best = Setting(5, 1.0, 1.0)
        average = {best: 0.6, STAY: 0.4}
        found = Choice()._harmless([Division()], best, average)
        assert (
            found
            == {
                (): (best, average),
                ("average",): (best, {best: 1.0}),
                ("average", "best"): (STAY, {STAY: 1.0}),
                ("best",): (best, average),
            }[harmful]
        )

    def test_a_loss_within_one_standard_error_is_borne(self):
        class Division:
            gained = np.array([[-1.0] * 11 + [1.0] * 9])

            def gains(self, weights):
                return self.gained

        assert not Choice()._harms([Division()], {STAY: 1.0})
        Division.gained = np.array([[-1.0] * 13 + [1.0] * 7])
        assert Choice()._harms([Division()], {STAY: 1.0})

    def test_aiming_at_lists_draws_classes_closer(self):
        X, y = load_digits(return_X_y=True)
        lists, votes = (MoveLabeled(aim=aim).fit(X[:900], y[:900]) for aim in ("lists", "votes"))

        def precision(learner):
            found = KNNClassifier(learner).fit(X[:900], y[:900]).kneighbors(X[900:], 120)[1]
            return map_at_r(found, Relevance.of_labels(y[900:], y[:900]))

        assert precision(lists) > precision(votes) + 0.02

    def test_five_rows_per_class_are_enough(self):
        rng = np.random.default_rng(0)
        y = np.repeat(np.arange(12), 5)
        X = 2.0 * rng.normal(size=(12, 80))[y] + rng.normal(size=(60, 80)) * 2
        fitted = MoveLabeled().fit(X, y)
        assert fitted.choices_
        assert np.isfinite(fitted.distance_.pairwise(X, X)).all()

    def test_pairs_of_rows_are_enough(self):
        X, y = np.random.default_rng(0).normal(size=(12, 3)), np.repeat(np.arange(6), 2)
        assert np.isfinite(MoveLabeled().fit(X, y).distance_.pairwise(X, X)).all()


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
