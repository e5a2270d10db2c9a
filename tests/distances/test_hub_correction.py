"""Corrections against their formulas on all distances at once, and what they do to hubs."""

import numpy as np
import pytest
from scipy import sparse, stats

from nearkin import LMDL, KNNClassifier, KNNRegressor, MoveLabeled, load, save
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.distances.hub_correction import CORRECTIONS, HubCorrection, ShiftedDistance
from nearkin.search.hubness import hubness_skewness

MOVED = EmbeddedDistance(
    references=AffineEmbedding(np.array([[0.8, 0.1, 0.0], [0.0, 0.9, 0.2], [0.1, 0.0, 0.7]]))
)


@pytest.fixture
def rows():
    return np.random.RandomState(0).standard_normal((40, 3))


@pytest.fixture
def queries():
    return np.random.RandomState(1).standard_normal((7, 3))


def naive(kind, D, columns, rows, moved, k):
    """The formulas, from the full tables of query and of training distances (self removed)."""
    near = np.sort(columns, axis=0)[:k]
    if kind == "csls":
        return D - near.mean(axis=0) / 2
    if kind == "dissim-local":
        centroids = np.stack([rows[np.argsort(column)[:k]].mean(axis=0) for column in columns.T])
        return D - ((moved - centroids) ** 2).sum(axis=1)
    if kind == "local-scaling":
        return D / np.sqrt(near[-1])
    if kind == "nicdm":
        return D / np.sqrt(near).mean(axis=0)
    d, others = np.sqrt(D), [np.sqrt(column[np.isfinite(column)]) for column in columns.T]
    of_query = stats.norm.sf(d, d.mean(axis=1)[:, None], d.std(axis=1)[:, None])
    means, deviations = [np.mean(o) for o in others], [np.std(o) for o in others]
    return 1 - of_query * stats.norm.sf(d, means, deviations)


@pytest.mark.parametrize("inner", [EmbeddedDistance(), MOVED], ids=["symmetric", "moved"])
@pytest.mark.parametrize("kind", CORRECTIONS)
def test_corrected_distances_are_the_formula_up_to_a_constant(kind, inner, rows, queries):
    corrected = HubCorrection(kind, n_neighbors=5).around(inner, rows)
    columns = inner.pairwise(rows, rows)
    np.fill_diagonal(columns, np.inf)
    expected = naive(kind, inner.pairwise(queries, rows), columns, rows, inner.embed_references(rows), 5)
    shift = corrected.pairwise(queries, rows) - expected
    np.testing.assert_allclose(shift, shift[0, 0], atol=1e-9)


@pytest.mark.parametrize("kind", ["csls", "mutual-proximity"])
def test_many_rows_are_looked_at_in_blocks_with_the_same_answer(kind, queries):
    many = np.random.RandomState(2).standard_normal((2100, 3))
    columns = MOVED.pairwise(many, many)
    np.fill_diagonal(columns, np.inf)
    expected = naive(kind, MOVED.pairwise(queries, many), columns, many, MOVED.embed_references(many), 4)
    shift = HubCorrection(kind, 4).around(MOVED, many).pairwise(queries, many) - expected
    np.testing.assert_allclose(shift, shift[0, 0], atol=1e-9)


# Mutual proximity also looks at all distances of the query, which other references change.
@pytest.mark.parametrize("kind", [kind for kind in CORRECTIONS if kind != "mutual-proximity"])
def test_known_references_keep_their_number_and_new_ones_get_one(kind, rows, queries):
    corrected = HubCorrection(kind, 4).around(EmbeddedDistance(), rows)
    whole = corrected.pairwise(queries, rows)
    np.testing.assert_allclose(corrected.pairwise(queries, rows[5:9]), whole[:, 5:9])
    mixed = np.vstack([rows[3], [[0.1, 0.2, 0.3]], rows[7]])
    D = corrected.pairwise(queries, mixed)
    np.testing.assert_allclose(D[:, [0, 2]], whole[:, [3, 7]])
    assert np.isfinite(D).all()


def test_distances_without_embedding_are_shifted_alike(rows, queries):
    class Plain(EmbeddedDistance):
        pass

    embedded = HubCorrection("csls", 4).around(EmbeddedDistance(), rows)
    statistic = embedded.references.statistic
    shifted = ShiftedDistance(Plain(), statistic)
    np.testing.assert_allclose(shifted.pairwise(queries, rows), embedded.pairwise(queries, rows))


@pytest.mark.parametrize("kind", CORRECTIONS)
def test_hubs_are_cut_in_high_dimensions(kind):
    rng = np.random.RandomState(0)
    references, queries = rng.standard_normal((400, 100)), rng.standard_normal((400, 100))
    y = np.arange(400) % 2

    def skewness(hubs):
        model = KNNClassifier(hubs=hubs).fit(references, y)
        return hubness_skewness(model.kneighbors(queries, 10, return_distance=False), 400)

    assert skewness(kind) < 0.6 * skewness(None)


def test_every_reference_alike_changes_no_ranking():
    # On a circle all references have the same surroundings.
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    circle = np.c_[np.cos(angles), np.sin(angles)]
    query = np.array([[0.3, 0.11]])
    plain = np.argsort(EmbeddedDistance().pairwise(query, circle))
    for kind in CORRECTIONS:
        corrected = HubCorrection(kind, 4).around(EmbeddedDistance(), circle)
        assert np.array_equal(np.argsort(corrected.pairwise(query, circle)), plain)


@pytest.mark.parametrize("kind", CORRECTIONS)
def test_models_survive_a_file(kind, rows, tmp_path):
    y = np.arange(40) % 3
    model = KNNClassifier(MoveLabeled(), hubs=HubCorrection(kind, 4)).fit(rows, y)
    save(model, tmp_path / "model.nearkin")
    again = load(tmp_path / "model.nearkin")
    assert np.array_equal(again.predict(rows + 0.1), model.predict(rows + 0.1))


def test_additive_corrections_fit_every_index(rows):
    y = np.arange(40) % 3
    exact = KNNClassifier(hubs="csls").fit(rows, y).kneighbors(rows + 0.1)
    faiss = KNNClassifier(hubs="csls", index="faiss").fit(rows, y).kneighbors(rows + 0.1)
    np.testing.assert_allclose(exact[0], faiss[0], rtol=1e-3)
    with pytest.raises(ValueError, match="cannot hold"):
        KNNClassifier(hubs="nicdm", index="faiss").fit(rows, y)


def test_sparse_rows_and_duplicates_are_taken(rows):
    X = sparse.csr_array(np.vstack([rows, rows[:5]]) * (np.arange(45)[:, None] % 4 > 0))
    for kind in CORRECTIONS:
        dense = KNNRegressor(hubs=kind).fit(X.toarray(), np.arange(45.0)).predict(rows)
        np.testing.assert_allclose(KNNRegressor(hubs=kind).fit(X, np.arange(45.0)).predict(rows), dense)


def test_clear_errors(rows):
    y = np.arange(40) % 2
    with pytest.raises(ValueError, match="csls"):
        KNNClassifier(hubs="magic").fit(rows, y)
    with pytest.raises(TypeError, match="take csls"):
        KNNClassifier(LMDL(tol=1.0), hubs="dissim-local").fit(rows, y)
    with pytest.raises(ValueError, match="at least two"):
        HubCorrection("csls").around(EmbeddedDistance(), rows[:1])
