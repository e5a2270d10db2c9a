"""DMLMTP: what it learns, what it reports, and what it does with bad input."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from nearkin.learners.constraint.dmlmtp import DMLMTP
from nearkin.learners.constraint.metric_path import full_path
from nearkin.supervision.triplets import output_ordered_triplets


def two_targets(seed=0, n=300, n_noise=6):
    """Targets that depend on the first three columns only; the rest is noise of the same size."""
    random = np.random.default_rng(seed)
    X = random.uniform(size=(n, 3 + n_noise))
    Y = np.column_stack([X[:, 0] + 0.5 * X[:, 1], np.sin(3 * X[:, 2]) + X[:, 0]])
    return X, Y


@pytest.mark.parametrize("seed", range(3))
def test_noise_columns_end_below_five_percent(seed):
    X, Y = two_targets(seed, n=1200, n_noise=3)
    weights = DMLMTP(n_neighbors=6, nu=0.9).fit(X, Y).weights_
    assert weights[3:].max() < 0.05 * weights.max()
    assert weights[:3].min() > 0


def test_learned_distance_predicts_better_than_euclid():
    X, Y = two_targets()
    plain = cross_val_predict(KNeighborsRegressor(5), X, Y, cv=3)
    for metric in ("diagonal", "full"):
        model = make_pipeline(DMLMTP(n_neighbors=6, metric=metric), KNeighborsRegressor(5))
        learned = cross_val_predict(model, X, Y, cv=3)
        assert ((learned - Y) ** 2).mean() < 0.5 * ((plain - Y) ** 2).mean()


def test_permuting_the_features_permutes_the_weights():
    X, Y = two_targets(4)
    order = np.random.default_rng(0).permutation(X.shape[1])
    weights = DMLMTP(tol=1e-10).fit(X, Y).weights_
    permuted = DMLMTP(tol=1e-10).fit(X[:, order], Y).weights_
    assert np.allclose(permuted, weights[order], rtol=1e-4, atol=1e-7 * weights.max())


def test_permuting_the_features_permutes_the_full_matrix():
    X, Y = two_targets(4, n=120, n_noise=2)
    order = np.random.default_rng(0).permutation(X.shape[1])
    M = DMLMTP(metric="full", shrinkage=0, tol=1e-8).fit(X, Y).get_mahalanobis_matrix()
    permuted = DMLMTP(metric="full", shrinkage=0, tol=1e-8).fit(X[:, order], Y).get_mahalanobis_matrix()
    assert np.allclose(permuted, M[np.ix_(order, order)], atol=1e-3 * M.max())


def test_distance_transform_and_components_tell_the_same_story():
    X, Y = two_targets(n=80)
    for metric in ("diagonal", "full"):
        learner = DMLMTP(metric=metric).fit(X, Y)
        M = learner.get_mahalanobis_matrix()
        difference = X[:10, None] - X[None, 10:25]
        expected = np.einsum("abi,ij,abj->ab", difference, M, difference)
        assert np.allclose(learner.distance_.pairwise(X[:10], X[10:25]), expected)
        assert np.allclose(learner.transform(X), X @ learner.components_.T)
        assert learner.transform(X.astype(np.float32)).dtype == np.float32
        assert len(learner.get_feature_names_out()) == learner.components_.shape[0]
    assert np.allclose(np.diag(DMLMTP().fit(X, Y).get_mahalanobis_matrix()), DMLMTP().fit(X, Y).weights_)


def test_ignored_features_are_named_and_exactly_zero():
    X, Y = two_targets()
    names = [f"column {i}" for i in range(X.shape[1])]
    learner = DMLMTP().fit(pd.DataFrame(X, columns=names), Y)
    zero = learner.weights_ == 0
    assert zero.any()
    assert learner.sparsity_ == pytest.approx(zero.mean())
    assert learner.ignored_features_.tolist() == [name for name, out in zip(names, zero) if out]
    assert learner.transform(pd.DataFrame(X, columns=names)).shape[1] == (~zero).sum()


def test_the_gap_certifies_the_objective():
    X, Y = two_targets()
    loose, tight = DMLMTP(tol=1e-2).fit(X, Y), DMLMTP(tol=1e-9).fit(X, Y)
    assert tight.gap_ <= 1e-9
    assert loose.gap_ <= 1e-2
    assert tight.objective_ <= loose.objective_ <= tight.objective_ * (1 - 1e-2)


def test_a_single_target_may_be_flat_or_a_column():
    X, y = load_diabetes(return_X_y=True)
    X = MinMaxScaler().fit_transform(X[:200])
    flat, column = DMLMTP(nu=1.0).fit(X, y[:200]), DMLMTP(nu=1.0).fit(X, y[:200, None])
    assert np.array_equal(flat.weights_, column.weights_)


def test_path_keeps_the_setting_of_lowest_leave_one_out_error():
    X, y = make_friedman1(150, n_features=8, noise=0.5, random_state=0)
    learner = DMLMTP(n_neighbors="auto", nu=[0.95, 1.0], euclid_share=0).fit(X, y)
    seen = [tried for tried in learner.path_ if tried["scored_on"] == "training rows"]
    scores = {(tried["n_neighbors"], tried["nu"]): tried["arrmse"] for tried in seen}
    assert len(scores) == len(seen) == 10
    # Far better than Euclid, so that no preference for the simpler metric stands in its way.
    assert min(scores, key=scores.get) == (learner.n_neighbors_, learner.nu_)
    alone = DMLMTP(learner.n_neighbors_, learner.nu_).fit(X, y)
    assert learner.objective_ == pytest.approx(alone.objective_, rel=1e-5)
    assert learner.n_triplets_ == alone.n_triplets_


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_euclid_wins_a_comparison_in_silence_where_nothing_can_be_learned(metric):
    random = np.random.default_rng(3)
    X, y = random.uniform(size=(60, 4)), random.normal(size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learner = DMLMTP([2, 4, 6], [1.0], metric=metric).fit(X, y)
    assert learner.fell_back_
    assert np.array_equal(learner.transform(X), X)


def test_a_full_metric_is_kept_where_the_targets_follow_a_slanted_direction():
    random = np.random.default_rng(0)
    X = random.uniform(size=(200, 4))
    learner = DMLMTP([4], [0.9, 1.0], metric="full").fit(X, X[:, 0] - X[:, 1])
    assert learner.shrinkage_ < 1
    lowest = {
        is_full: min(t["arrmse"] for t in learner.path_ if (t.get("shrinkage", 1) < 1) == is_full)
        for is_full in (True, False)
    }
    assert lowest[True] < 0.8 * lowest[False]


def test_a_diagonal_metric_is_kept_where_a_full_one_only_adds_noise():
    X, _ = two_targets(n=100)
    # Targets along the axes, so that the best metric is diagonal.
    learner = DMLMTP([4, 6], [0.9, 1.0], metric="full").fit(X, X[:, :2])
    assert not learner.fell_back_
    assert learner.shrinkage_ == 1


def test_shrinkage_leads_from_the_full_to_the_diagonal_metric():
    X, Y = two_targets(n=100)
    metrics = {
        s: DMLMTP(metric="full", shrinkage=s).fit(X, Y).get_mahalanobis_matrix() for s in (0.0, 0.4, 1.0)
    }
    full, diagonal = (M / np.trace(M) for M in (metrics[0.0], metrics[1.0]))
    assert np.allclose(metrics[0.4], 0.6 * full + 0.4 * diagonal)
    assert np.allclose(metrics[1.0], DMLMTP(tol=1e-3).fit(X, Y).get_mahalanobis_matrix())


@pytest.mark.parametrize("settings", [{}, {"metric": "full", "shrinkage": 0.5}])
def test_a_share_of_euclid_leads_from_the_learned_metric_to_euclid(settings):
    X, Y = two_targets(n=100)
    shares = (0.0, 0.4, 1 - 1e-9)
    fitted = {s: DMLMTP(euclid_share=s, tol=1e-6, **settings).fit(X, Y) for s in shares}
    learned, mixed, euclid = (M / np.trace(M) for M in (fitted[s].get_mahalanobis_matrix() for s in shares))
    p = X.shape[1]
    assert np.allclose(mixed, 0.6 * learned + 0.4 * np.eye(p) / p)
    assert np.allclose(euclid, np.eye(p) / p)
    assert fitted[0.4].euclid_share_ == 0.4
    if not settings:
        assert np.allclose(fitted[0.4].get_mahalanobis_matrix(), np.diag(fitted[0.4].weights_))
        assert fitted[0.4].sparsity_ == 0 < fitted[0.0].sparsity_


def test_euclid_is_mixed_in_where_every_feature_counts_alike():
    random = np.random.default_rng(0)
    X = random.uniform(size=(150, 6))
    Y = np.column_stack([np.sin(3 * X.sum(axis=1)), (X**2).sum(axis=1)]) + 0.3 * random.normal(size=(150, 2))
    assert DMLMTP([2, 4, 6], [0.95, 1.0]).fit(X, Y).euclid_share_ > 0


def test_rank_bounds_a_full_metric():
    X, Y = two_targets(n=150)
    learner = DMLMTP(metric="full", rank=2).fit(X, Y)
    assert learner.components_.shape == (2, X.shape[1])
    assert learner.transform(X).shape == (150, 2)
    unbounded = DMLMTP(metric="full", shrinkage=0).fit(X, Y)
    assert unbounded.objective_ <= learner.objective_ * (1 - 1e-3) < 0


def test_full_metric_on_more_columns_than_rows_stays_in_their_span():
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 80))
    learner = DMLMTP(metric="full", nu=1.0, shrinkage=0).fit(X, X[:, :2])
    centred = X - X.mean(axis=0)
    projection = np.linalg.pinv(centred, rcond=1e-10) @ centred
    M = learner.get_mahalanobis_matrix()
    assert np.allclose(projection @ M @ projection, M, atol=1e-8 * np.abs(M).max())


def test_settings_do_not_change_and_cloning_works():
    X, Y = two_targets(n=60)
    learner = DMLMTP([2, 3], "auto", metric="full", random_state=0)
    before = learner.get_params()
    learner.fit(X, Y)
    assert learner.get_params() == before
    assert clone(learner).get_params() == before


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("nu", [0, -0.1, 1.5, np.nan, "most", [0.9, 2], True])
def test_nu_outside_its_range_is_an_error(nu):
    with pytest.raises(ValueError, match="nu="):
        DMLMTP(nu=nu).fit(*two_targets(n=20))


@pytest.mark.parametrize("n_neighbors", [1, 0, 2.5, "some", [4, 1]])
def test_n_neighbors_must_allow_a_comparison(n_neighbors):
    with pytest.raises(ValueError, match="n_neighbors="):
        DMLMTP(n_neighbors=n_neighbors).fit(*two_targets(n=20))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"metric": "cosine"}, "metric="),
        ({"rank": 2}, "full metric only"),
        ({"metric": "full", "rank": 0}, "rank="),
        ({"metric": "full", "shrinkage": 1.2}, "shrinkage="),
        ({"metric": "full", "rank": 2, "shrinkage": 0.5}, "no low rank"),
        ({"metric": "full", "rank": 2, "euclid_share": 0.5}, "no low rank"),
        ({"euclid_share": 1.0}, "euclid_share="),
        ({"n_neighbors": []}, "n_neighbors is empty"),
    ],
)
def test_other_impossible_settings_are_errors(settings, message):
    with pytest.raises(ValueError, match=message):
        DMLMTP(**settings).fit(*two_targets(n=20))


def test_missing_targets_are_an_error():
    X, Y = two_targets(n=20)
    Y[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        DMLMTP().fit(X, Y)


def test_labels_are_an_error():
    X, _ = two_targets(n=20)
    with pytest.raises(ValueError, match=r"real targets|convert"):
        DMLMTP().fit(X, np.array(["a", "b"] * 10))


def test_fewer_rows_than_neighbours_is_an_error_that_says_what_to_do():
    X, Y = two_targets(n=4)
    with pytest.raises(ValueError, match="n_neighbors <= 3"):
        DMLMTP(n_neighbors=4).fit(X, Y)
    assert DMLMTP(n_neighbors="auto", nu=1.0).fit(X, Y).n_neighbors_ <= 3


def test_one_constant_target_is_named_and_left_out():
    X, Y = two_targets(n=100)
    with pytest.warns(UserWarning, match=r"\[1\] are constant.*RRMSE is undefined"):
        learner = DMLMTP().fit(X, np.column_stack([Y[:, 0], np.full(100, 0.1), Y[:, 1]]))
    assert np.array_equal(learner.weights_, DMLMTP().fit(X, Y).weights_)


@pytest.mark.parametrize("settings", [{}, {"metric": "full"}, {"n_neighbors": "auto", "nu": "auto"}])
@pytest.mark.filterwarnings("ignore:target column")
def test_tied_targets_fall_back_to_euclid(settings):
    X, _ = two_targets(n=40)
    with pytest.warns(UserWarning, match="falls back to the Euclidean distance.*tie"):
        learner = DMLMTP(**settings).fit(X, np.ones(40))
    assert learner.fell_back_
    assert np.array_equal(learner.transform(X), X)


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_contradictory_triplets_fall_back_to_euclid(metric):
    random = np.random.default_rng(0)
    X, y = random.uniform(size=(200, 3)), random.normal(size=200)
    with pytest.warns(UserWarning, match="contradict each other.*raise nu"):
        learner = DMLMTP(nu=0.2, metric=metric).fit(X, y)
    assert learner.fell_back_
    assert np.array_equal(learner.transform(X), X)


def test_one_column():
    X, _ = two_targets(n=60)
    learner = DMLMTP(nu=1.0).fit(X[:, :1], X[:, 0])
    assert learner.weights_.shape == (1,)
    assert learner.weights_[0] > 0


@pytest.mark.parametrize("metric", ["diagonal", "full"])
def test_ten_thousand_columns(metric):
    random = np.random.default_rng(0)
    X = random.uniform(size=(40, 10_000)).astype(np.float32)
    learner = DMLMTP(nu=1.0, metric=metric).fit(X, X[:, :2])
    assert learner.transform(X).dtype == np.float32
    assert learner.transform(X).shape[1] <= 10_000


def test_an_unreachable_full_metric_is_an_error():
    X, Y = two_targets(n=50)
    triplets = output_ordered_triplets(X, Y, 2)
    path = full_path(X, triplets, (2,), (1.0,), shrinkages=(0.0,), rank=None, largest=5)
    with pytest.raises(ValueError, match=r"metric='full' on 9 features.*diagonal.*PCA"):
        next(path)


def test_a_spent_budget_warns():
    X, Y = two_targets()
    with pytest.warns(ConvergenceWarning, match="max_iter=1 .*gap"):
        DMLMTP(max_iter=1, tol=1e-12).fit(X, Y)


def test_folds_are_drawn_by_random_state_and_the_same_without_one():
    X, Y = two_targets(n=120)
    first, again, other = (
        DMLMTP([2, 4], metric="full", random_state=seed).fit(X, Y).path_ for seed in (None, None, 1)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("settings", [{"nu": "auto"}, {"metric": "full"}, {"n_neighbors": [2]}])
def test_too_few_rows_to_compare_still_give_a_metric(settings):
    X, Y = two_targets(n=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        learner = DMLMTP(**{"n_neighbors": 2, **settings}).fit(X, Y)
    assert np.isfinite(learner.transform(X)).all()
