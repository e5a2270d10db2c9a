"""KNN predictors over transformers of scikit-learn, and over learners from constraints."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_diabetes, load_wine
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.manifold import TSNE
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler, scale

from nearkin import NCA, RCA, KNNClassifier, KNNRegressor, MoveLabeled, load, save

X, y = load_wine(return_X_y=True)
TRANSFORMERS = [
    LinearDiscriminantAnalysis(),
    PCA(5),
    make_pipeline(StandardScaler(), PCA(5)),
    make_pipeline(StandardScaler(), NCA(2, tol=1e-2)),
]
each_transformer = pytest.mark.parametrize("transformer", TRANSFORMERS, ids=str)


@each_transformer
def test_neighbours_are_those_after_the_transformer(transformer):
    model = KNNClassifier(transformer, n_neighbors=3).fit(X[::2], y[::2])
    Z = model.learner_.transform(X)
    reference = KNeighborsClassifier(3).fit(Z[::2], y[::2])
    distances, indices = model.kneighbors(X[1::2])
    expected, found = reference.kneighbors(Z[1::2])
    np.testing.assert_allclose(distances, expected, rtol=1e-6)
    np.testing.assert_array_equal(indices, found)
    assert model.score(X[1::2], y[1::2]) == pytest.approx(reference.score(Z[1::2], y[1::2]), abs=0.03)
    assert not hasattr(transformer, "classes_")  # a clone was fitted


@each_transformer
def test_model_files_and_pickles_keep_them(transformer, tmp_path):
    model = KNNClassifier(transformer).fit(X, y)
    save(model, tmp_path / "model.nearkin")
    for again in (load(tmp_path / "model.nearkin"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.kneighbors(X)[0], model.kneighbors(X)[0])


def test_faiss_and_hubness_work_too():
    pytest.importorskip("faiss")
    model = KNNClassifier(make_pipeline(StandardScaler(), PCA(5)), n_neighbors=7).fit(X, y)
    queries = model.distance_.embed_queries(X).astype(np.float32)
    _, found = model.to_faiss(queries="embedded").search(queries, 7)
    assert (found == model.kneighbors(X, return_distance=False)).mean() > 0.99
    assert np.isfinite(model.hubness(X, k=5).skewness)


@pytest.mark.parametrize("learner", [PCA(5), make_pipeline(StandardScaler(), PCA(5))])
def test_float32_is_kept(learner):
    model = KNNClassifier(learner).fit(X.astype(np.float32), y)
    assert model.kneighbors(X[:3].astype(np.float32))[0].dtype == np.float32


def test_sparse_rows_go_in_and_come_out():
    counts = sparse.random_array((60, 30), density=0.3, random_state=0, format="csr")
    labels = np.arange(60) % 3
    dense_out = KNNClassifier(TruncatedSVD(5, random_state=0)).fit(counts, labels)
    assert dense_out.kneighbors(counts)[0].shape == (60, 5)
    sparse_out = KNNClassifier(TfidfTransformer()).fit(counts, labels)
    Z = sparse_out.learner_.transform(counts).toarray()
    expected, _ = KNeighborsClassifier().fit(Z, labels).kneighbors(Z[:5])
    np.testing.assert_allclose(sparse_out.kneighbors(counts[:5])[0], expected, atol=1e-6)


def test_sparse_rows_are_refused_where_the_transformer_refuses_them():
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        KNNClassifier(LinearDiscriminantAnalysis()).fit(sparse.csr_array(X), y)


def test_frames_that_transformers_return_are_read():
    model = KNNClassifier(PCA(3).set_output(transform="pandas")).fit(X, y)
    np.testing.assert_allclose(model.kneighbors(X)[0], KNNClassifier(PCA(3)).fit(X, y).kneighbors(X)[0])


def test_supervised_transformers_learn_from_real_targets():
    data, targets = load_diabetes(return_X_y=True)
    plain, supervised = (
        cross_val_score(KNNRegressor(learner, 15), data, targets, cv=3).mean()
        for learner in (None, PLSRegression(2))
    )
    assert supervised > plain


def test_grid_search_chooses_among_transformers_and_learners():
    learners = [None, LinearDiscriminantAnalysis(), make_pipeline(StandardScaler(), PCA(5)), RCA()]
    grid = GridSearchCV(KNNClassifier(), {"learner": learners}, cv=3).fit(X, y)
    assert grid.best_score_ > 0.9


@pytest.mark.parametrize("learner", [TSNE(), make_pipeline(StandardScaler(), MoveLabeled())])
def test_what_cannot_place_new_rows_is_refused(learner):
    with pytest.raises(TypeError, match="neither a distance_ nor a transform"):
        KNNClassifier(learner).fit(X, y)


def test_stateless_transformers_serve():
    model = KNNClassifier(FunctionTransformer(np.log1p)).fit(X, y)
    expected, _ = KNNClassifier().fit(np.log1p(X), y).kneighbors(np.log1p(X))
    np.testing.assert_allclose(model.kneighbors(X)[0], expected)


class TestConstraints:
    scaled = scale(X)
    rows = np.random.RandomState(0).randint(len(X), size=(300, 2))
    similar = y[rows[:, 0]] == y[rows[:, 1]]

    def test_they_teach_the_learner_and_labels_vote(self, whitener):
        model = KNNClassifier(whitener()).fit(self.scaled, y, pairs=self.rows, similar=self.similar)
        direct = whitener().fit(self.scaled, pairs=self.rows, similar=self.similar)
        np.testing.assert_array_equal(model.learner_.components_, direct.components_)
        other = KNNClassifier(whitener()).fit(self.scaled, y)
        assert not np.allclose(other.learner_.components_, direct.components_)
        # Other labels leave the distance as it is, and change the vote.
        renamed = KNNClassifier(whitener()).fit(self.scaled, 2 - y, pairs=self.rows, similar=self.similar)
        np.testing.assert_array_equal(renamed.learner_.components_, direct.components_)
        np.testing.assert_array_equal(renamed.predict(self.scaled), 2 - model.predict(self.scaled))

    def test_real_targets_may_vote(self, whitener):
        model = KNNRegressor(whitener()).fit(self.scaled, X[:, 0], pairs=self.rows, similar=self.similar)
        assert model.predict(self.scaled).shape == (len(X),)

    def test_they_pass_through_pipelines(self, whitener):
        direct = whitener().fit(self.scaled, pairs=self.rows, similar=self.similar)
        outside = make_pipeline(StandardScaler(), KNNClassifier(whitener())).fit(
            X, y, knnclassifier__pairs=self.rows, knnclassifier__similar=self.similar
        )
        np.testing.assert_allclose(outside[-1].learner_.components_, direct.components_)
        inside = KNNClassifier(make_pipeline(StandardScaler(), whitener())).fit(
            X, y, whitener__pairs=self.rows, whitener__similar=self.similar
        )
        np.testing.assert_allclose(inside.learner_[-1].components_, direct.components_)
        np.testing.assert_allclose(inside.kneighbors(X)[0], outside[-1].kneighbors(self.scaled)[0])

    def test_metadata_routing_takes_them_there(self, whitener):
        expected = whitener().fit(self.scaled, pairs=self.rows, similar=self.similar).components_
        given = {"pairs": self.rows, "similar": self.similar}
        with config_context(enable_metadata_routing=True):
            asked = whitener().set_fit_request(pairs=True, similar=True)
            alone = make_pipeline(StandardScaler(), asked).fit(X, **given)
            np.testing.assert_allclose(alone[-1].components_, expected)
            outside = make_pipeline(StandardScaler(), KNNClassifier(asked)).fit(X, y, **given)
            np.testing.assert_allclose(outside[-1].learner_.components_, expected)
            inside = KNNClassifier(make_pipeline(StandardScaler(), asked)).fit(X, y, **given)
            np.testing.assert_allclose(inside.learner_[-1].components_, expected)

    def test_chunklets_count_as_constraints(self):
        chunklets = np.where(np.arange(len(X)) % 2 == 0, y, -1)
        model = KNNClassifier(RCA()).fit(self.scaled, y, chunklets=chunklets)
        direct = RCA().fit(self.scaled, chunklets=chunklets)
        np.testing.assert_array_equal(model.learner_.components_, direct.components_)
