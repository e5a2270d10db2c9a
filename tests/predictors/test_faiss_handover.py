"""An index from to_faiss finds the same neighbours for raw queries, whatever its metric, or refuses."""

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, QuantileTransformer, RobustScaler, StandardScaler

from nearkin import LFDA, RCA, KNNClassifier, KNNRegressor, MoveLabeled, to_faiss
from nearkin.distances.hub_correction import HubCorrection

faiss = pytest.importorskip("faiss")
X, y = make_blobs(500, 16, centers=10, cluster_std=4.0, random_state=0)
X = X.astype(np.float32)
train, labels, queries = X[:400], y[:400], X[400:]


def overlap(index, model, k=10):
    found = index.search(queries, k)[1]
    prepared = model[:-1].transform(queries) if hasattr(model, "steps") else queries
    last = model[-1] if hasattr(model, "steps") else model
    expected = last.kneighbors(prepared, n_neighbors=k, return_distance=False)
    return np.mean([len(np.intersect1d(a, b)) / k for a, b in zip(found, expected)])


@pytest.mark.parametrize("metric", ["l2", "ip", "cosine"])
@pytest.mark.parametrize(
    "learner", [None, MoveLabeled(), RCA(euclid_share=0.0), LFDA(n_components=4, euclid_share=0.0)], ids=repr
)
def test_raw_queries_find_the_neighbours(learner, metric):
    model = KNNClassifier(learner).fit(train, labels)
    assert overlap(model.to_faiss(metric=metric), model) >= 0.999


@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
@pytest.mark.parametrize("metric", ["ip", "cosine"])
def test_approximate_kinds_find_nearly_all(kind, metric):
    model = KNNClassifier(MoveLabeled(20)).fit(train, labels)
    assert overlap(model.to_faiss(kind, metric), model) > 0.9


@pytest.mark.parametrize("metric", ["l2", "ip", "cosine"])
@pytest.mark.parametrize(
    "steps",
    [
        [StandardScaler()],
        [MinMaxScaler(), PCA(5)],
        [Normalizer()],
        [Normalizer(), StandardScaler()],
        [RobustScaler(), "passthrough"],
    ],
    ids=str,
)
def test_what_is_affine_in_front_goes_into_the_index(steps, metric):
    model = make_pipeline(*steps, KNNClassifier(MoveLabeled())).fit(train, labels)
    assert overlap(to_faiss(model, metric=metric), model) >= 0.995


def test_an_index_survives_its_file(tmp_path):
    model = make_pipeline(StandardScaler(), KNNClassifier(MoveLabeled())).fit(train, labels)
    path = str(tmp_path / "moved.faiss")
    faiss.write_index(to_faiss(model, metric="cosine"), path)
    assert overlap(faiss.read_index(path), model) >= 0.999


def test_with_move_labeled_and_l2_it_is_a_plain_index():
    index = KNNClassifier(MoveLabeled()).fit(train, labels).to_faiss()
    assert isinstance(index, faiss.IndexFlat)


def test_embedded_queries_search_the_bare_index():
    model = KNNClassifier(RCA(euclid_share=0.0)).fit(train, labels)
    index = model.to_faiss(metric="ip", queries="embedded")
    asked = model.distance_.folded("ip").embed_queries(queries)
    np.testing.assert_array_equal(
        index.search(asked, 3)[1], model.to_faiss(metric="ip").search(queries, 3)[1]
    )


def test_additive_hub_corrections_go_along():
    model = KNNClassifier(MoveLabeled(), hubs=HubCorrection("csls", 5)).fit(train, labels)
    for metric in ("l2", "ip", "cosine"):
        assert overlap(model.to_faiss(metric=metric), model) >= 0.999


def test_standardised_references_are_pointed_out():
    X, y = load_wine(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), KNNClassifier(MoveLabeled())).fit(X, y)
    with pytest.warns(UserWarning, match=r"nearkin\.to_faiss\(pipeline\)"):
        pipeline[-1].to_faiss()
    assert pipeline[-1].to_faiss(queries="embedded").ntotal == 178


def test_what_no_index_can_do_is_refused_with_the_reason():
    bent = make_pipeline(QuantileTransformer(n_quantiles=50), KNNClassifier()).fit(train, labels)
    with pytest.raises(
        TypeError, match=r"'quantiletransformer' \(QuantileTransformer\) is not an affine map"
    ):
        to_faiss(bent)
    clipped = make_pipeline(MinMaxScaler(clip=True), KNNClassifier()).fit(train, labels)
    with pytest.raises(TypeError, match="not an affine map"):
        to_faiss(clipped)
    with pytest.raises(TypeError, match=r"ChainedEmbedding"):
        KNNClassifier(LFDA(kernel="rbf", euclid_share=0.0)).fit(train, labels).to_faiss()
    with pytest.raises(TypeError, match="not an embedding"):
        KNNClassifier(MoveLabeled(kernel="rbf", alpha=1.0)).fit(train, labels).to_faiss()
    with pytest.raises(TypeError, match="no references"):
        to_faiss(make_pipeline(StandardScaler(), LogisticRegression()).fit(train, labels))
    with pytest.raises(ValueError, match="queries='cooked'"):
        KNNClassifier().fit(train, labels).to_faiss(queries="cooked")


def test_regressors_hand_over_too():
    model = KNNRegressor().fit(train, train[:, 0])
    assert overlap(model.to_faiss(metric="cosine"), model) >= 0.999
