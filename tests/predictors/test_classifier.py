"""KNNClassifier: the vote, its ties, neighbours, hubness and bad input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import config_context
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nearkin import RCA, KNNClassifier, MoveLabeled
from nearkin.search import ExactIndex, hubness_skewness

X, y = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)


@given(st.integers(0, 10**6), st.sampled_from(["uniform", "distance"]), st.sampled_from([1, 3, 7]))
@settings(max_examples=20, deadline=None)
def test_two_classes_and_odd_k_agree_with_scikit_learn(seed, weights, k):
    rng = np.random.default_rng(seed)
    X, y, queries = rng.normal(size=(50, 4)), rng.integers(2, size=50), rng.normal(size=(30, 4))
    ours = KNNClassifier(n_neighbors=k, weights=weights).fit(X, y)
    theirs = KNeighborsClassifier(n_neighbors=k, weights=weights).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(queries), theirs.predict_proba(queries), atol=1e-9)
    np.testing.assert_array_equal(ours.predict(queries), theirs.predict(queries))


def test_a_tie_goes_to_the_class_of_the_nearest_voter():
    model = KNNClassifier(n_neighbors=4).fit([[0.0], [3.0], [1.0], [2.0]], ["a", "a", "b", "b"])
    assert model.predict([[0.9]])[0] == "b"
    assert model.predict([[-1.0]])[0] == "a"
    shares = model.predict_proba([[0.9]])[0]
    assert model.classes_[shares.argmax()] == "b"
    np.testing.assert_allclose(shares, 0.5)


def test_equally_near_voters_are_taken_in_the_order_of_the_rows():
    model = KNNClassifier(n_neighbors=2).fit([[1.0], [-1.0]], ["z", "a"])
    assert model.predict([[0.0]])[0] == "z"


def test_at_distance_zero_only_exact_matches_vote():
    model = KNNClassifier(n_neighbors=3, weights="distance").fit([[0.0], [0.1], [0.1]], [0, 1, 1])
    np.testing.assert_array_equal(model.predict_proba([[0.0]]), [[1.0, 0.0]])


def test_weights_may_be_a_function():
    ours = KNNClassifier(weights=lambda d: np.exp(-d)).fit(X, y)
    theirs = KNeighborsClassifier(weights=lambda d: np.exp(-d)).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


def test_kneighbors_of_the_training_rows_leaves_each_row_out():
    model = KNNClassifier().fit(X, y)
    distances, indices = model.kneighbors(n_neighbors=4)
    assert (indices != np.arange(len(X))[:, None]).all()
    expected, _ = KNeighborsClassifier().fit(X, y).kneighbors(n_neighbors=4)
    np.testing.assert_allclose(distances, expected)


def test_kneighbors_leaves_rows_out_among_duplicates_too():
    model = KNNClassifier(n_neighbors=2).fit(np.zeros((6, 2)), [0, 0, 0, 1, 1, 1])
    indices = model.kneighbors(return_distance=False)
    assert (indices != np.arange(6)[:, None]).all()


def test_hubness_is_that_of_the_neighbour_lists():
    model = KNNClassifier(MoveLabeled()).fit(X[:120], y[:120])
    indices = model.kneighbors(X[120:], n_neighbors=10, return_distance=False)
    hubness = model.hubness(X[120:], k=10)
    assert hubness.skewness == hubness_skewness(indices, 120)
    assert hubness.occurrences.sum() == indices.size
    assert set(hubness.anti_hubs) == set(range(120)) - set(indices.ravel())


def test_an_index_instance_serves_two_models():
    index = ExactIndex()
    one = KNNClassifier(index=index).fit(X[:90], y[:90])
    before = one.predict(X)
    KNNClassifier(index=index).fit(X[90:], y[90:])
    np.testing.assert_array_equal(one.predict(X), before)


def test_moved_references_go_to_faiss_in_one_call():
    pytest.importorskip("faiss")
    model = KNNClassifier(MoveLabeled(), n_neighbors=7).fit(X, y)
    _, found = model.to_faiss().search(X.astype(np.float32), 7)
    agree = (found == model.kneighbors(X, return_distance=False)).mean()
    assert agree > 0.99  # float32 may swap near ties


def test_grid_search_reaches_the_learner():
    learners = [
        {"knnclassifier__learner": [None, RCA()]},
        {"knnclassifier__learner": [MoveLabeled()], "knnclassifier__learner__n_targets": [1, 5]},
    ]
    grid = GridSearchCV(make_pipeline(StandardScaler(), KNNClassifier()), learners, cv=2).fit(X, y)
    assert len(grid.cv_results_["params"]) == 4
    assert grid.best_score_ > 0.9


def test_sample_weight_reaches_the_learner_with_and_without_routing():
    weights = np.linspace(0.1, 1, len(X))
    direct = MoveLabeled(alpha=1.0).fit(X, y, sample_weight=weights).components_
    plain = KNNClassifier(MoveLabeled(alpha=1.0)).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(plain.learner_.components_, direct)
    with config_context(enable_metadata_routing=True):
        asked = MoveLabeled(alpha=1.0).set_fit_request(sample_weight=True)
        routed = KNNClassifier(asked).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(routed.learner_.components_, direct)


def test_frames_keep_their_names():
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    model = KNNClassifier(MoveLabeled()).fit(frame, y)
    assert list(model.feature_names_in_) == list(frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])


def test_float32_and_sparse_rows():
    single = KNNClassifier().fit(X.astype(np.float32), y)
    assert single.kneighbors(X[:3].astype(np.float32))[0].dtype == np.float32
    thin = KNNClassifier().fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(X)), KNNClassifier().fit(X, y).predict(X))


def random_problem(seed, n=80):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)), rng.integers(2, size=n), rng.normal(size=(30, 4))


@pytest.mark.parametrize(
    "settings",
    [
        {"metric": "manhattan"},
        {"metric": "cosine"},
        {"metric": "minkowski", "p": 3},
        {"metric": "chebyshev"},
        {"p": 1},
        {"metric": "euclidean"},
    ],
    ids=str,
)
def test_metrics_agree_with_scikit_learn(settings):
    X, y, queries = random_problem(0)
    ours = KNNClassifier(n_neighbors=5, weights="distance", **settings).fit(X, y)
    theirs = KNeighborsClassifier(n_neighbors=5, weights="distance", **settings).fit(X, y)
    np.testing.assert_allclose(ours.kneighbors(queries)[0], theirs.kneighbors(queries)[0])
    np.testing.assert_array_equal(ours.kneighbors(queries)[1], theirs.kneighbors(queries)[1])
    np.testing.assert_allclose(ours.predict_proba(queries), theirs.predict_proba(queries), atol=1e-9)


def test_sparse_rows_under_the_cosine():
    X, y, queries = random_problem(1)
    dense = KNNClassifier(metric="cosine").fit(X, y)
    thin = KNNClassifier(metric="cosine").fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(thin.predict(sparse.csr_array(queries)), dense.predict(queries))


def test_several_columns_of_labels_agree_with_scikit_learn():
    X, y, queries = random_problem(2)
    labels = np.column_stack([np.where(y, "yes", "no"), np.where(X[:, 0] > 0.3, "right", "left")])
    ours = KNNClassifier().fit(X, labels)
    theirs = KNeighborsClassifier().fit(X, labels)
    np.testing.assert_array_equal(ours.predict(queries), theirs.predict(queries))
    for mine, other in zip(ours.predict_proba(queries), theirs.predict_proba(queries), strict=True):
        np.testing.assert_allclose(mine, other)
    assert [list(classes) for classes in ours.classes_] == [["no", "yes"], ["left", "right"]]
    np.testing.assert_array_equal(ours.labels_, labels)


def test_votes_are_weighted_by_the_rows():
    model = KNNClassifier(n_neighbors=3).fit(
        [[0.0], [1.0], [2.0]], ["a", "b", "b"], sample_weight=[3.0, 1.0, 1.0]
    )
    assert model.predict([[0.0]])[0] == "a"
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[0.6, 0.4]])
    nobody = KNNClassifier(n_neighbors=1).fit([[0.0], [9.0]], ["a", "b"], sample_weight=[0.0, 1.0])
    np.testing.assert_array_equal(nobody.predict_proba([[0.0]]), [[1.0, 0.0]])


def test_weights_can_be_requested():
    with config_context(enable_metadata_routing=True):
        asking = KNNClassifier(n_neighbors=1).set_fit_request(sample_weight=True)
        pipeline = make_pipeline("passthrough", asking)
        pipeline.fit(X, y, sample_weight=np.arange(len(X)))
    np.testing.assert_array_equal(pipeline[-1]._row_weights, np.arange(len(X)))


@pytest.mark.parametrize("n_jobs", [1, -1])
def test_threads_change_nothing(n_jobs):
    np.testing.assert_array_equal(
        KNNClassifier(n_jobs=n_jobs).fit(X, y).predict(X), KNNClassifier().fit(X, y).predict(X)
    )


class TestBadInput:
    def test_more_neighbours_than_rows(self):
        with pytest.raises(ValueError, match="n_neighbors=5 is more than the n_samples=3"):
            KNNClassifier().fit(X[:3], y[:3])
        with pytest.raises(ValueError, match="between 1 and 178"):
            KNNClassifier().fit(X, y).kneighbors(X, n_neighbors=200)

    @pytest.mark.parametrize("bad", [0, -1, 2.5, "many"])
    def test_senseless_n_neighbors(self, bad):
        with pytest.raises(ValueError, match="n_neighbors"):
            KNNClassifier(n_neighbors=bad).fit(X, y)

    def test_unknown_weights_and_index(self):
        with pytest.raises(ValueError, match="weights"):
            KNNClassifier(weights="loud").fit(X, y)
        with pytest.raises(ValueError, match="index"):
            KNNClassifier(index="magic").fit(X, y)

    def test_metadata_without_a_learner(self):
        with pytest.raises(TypeError, match="takes no 'groups'"):
            KNNClassifier().fit(X, y, groups=y)

    def test_a_class_instead_of_an_object(self):
        with pytest.raises(TypeError, match=r"learner=RCA is a class; pass an object of it: learner=RCA\(\)"):
            KNNClassifier(RCA).fit(X, y)

    def test_weights_with_a_learner_that_takes_none(self):
        with pytest.warns(UserWarning, match="RCA does not weigh rows"):
            model = KNNClassifier(RCA()).fit(X, y, sample_weight=np.arange(len(X)))
        np.testing.assert_array_equal(model._row_weights, np.arange(len(X)))

    def test_metric_beside_a_learner_and_unknown_metric(self):
        with pytest.raises(ValueError, match="metric='cosine' is for learner=None"):
            KNNClassifier(RCA(), metric="cosine").fit(X, y)
        with pytest.raises(ValueError, match="metric='far'"):
            KNNClassifier(metric="far").fit(X, y)
        with pytest.raises(ValueError, match=r"p=0\.5"):
            KNNClassifier(p=0.5).fit(X, y)

    def test_real_valued_labels(self):
        with pytest.raises(ValueError, match="continuous"):
            KNNClassifier().fit(X, X[:, 0])


def test_a_learner_for_the_other_task_is_refused_with_the_right_predictor_named():
    from nearkin import DMLMTP, LMNN, KNNRegressor

    rows, labels = np.random.default_rng(0).random((20, 2)), np.arange(20) % 2
    with pytest.raises(
        ValueError, match=r"DMLMTP is a learner for regression.*use KNNRegressor\(DMLMTP\(\)\)"
    ):
        KNNClassifier(DMLMTP()).fit(rows, labels)
    with pytest.raises(
        ValueError, match=r"LMNN is a learner for classification.*use KNNClassifier\(LMNN\(\)\)"
    ):
        KNNRegressor(LMNN()).fit(rows, labels + 0.5)


def test_a_learner_learns_the_combinations_of_several_columns():
    halves = np.where(X[:, 0] > np.median(X[:, 0]), "hi", "lo")
    both = np.column_stack([y.astype(str), halves])
    model = KNNClassifier(RCA()).fit(X, both)
    alone = KNNClassifier(RCA()).fit(X, np.char.add(both[:, 0], both[:, 1]))
    np.testing.assert_array_equal(model.learner_.components_, alone.learner_.components_)
    # Votes are by column, as those of scikit-learn are.
    assert model.predict(X).shape == both.shape
    assert [shares.shape for shares in model.predict_proba(X)] == [(len(X), len(np.unique(y))), (len(X), 2)]
    assert model.score(X, both) == np.mean((model.predict(X) == both).all(axis=1)) > 0.7
