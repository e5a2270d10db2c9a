"""Folded vectors rank as the distance does, by inner product and by cosine."""

import numpy as np
import pytest
from scipy import sparse

from nearkin import RCA, KNNClassifier, MoveLabeled
from nearkin.distances import AffineEmbedding, EmbeddedDistance

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 12)).astype(np.float32)
y = np.arange(400) % 8
X[:, :3] += np.eye(8)[y][:, :3] * 2
Q = rng.normal(size=(60, 12)).astype(np.float32)


def ranked(folding, queries, references):
    stored, asked = folding.embed_references(references), folding.embed_queries(queries)
    if folding.metric == "l2":
        scores = -((asked[:, None] - stored[None]) ** 2).sum(axis=2)
    else:
        if folding.metric == "cosine":
            stored = stored / np.linalg.norm(stored, axis=1, keepdims=True)
            asked = asked / np.linalg.norm(asked, axis=1, keepdims=True)
        scores = asked @ stored.T
    return np.argsort(-scores, axis=1, kind="stable")[:, :10]


def overlap(a, b):
    return np.mean([len(np.intersect1d(one, other)) / len(one) for one, other in zip(a, b)])


@pytest.mark.parametrize("metric", ["l2", "ip", "cosine"])
@pytest.mark.parametrize("learner", [None, MoveLabeled(), RCA()], ids=["euclid", "moved", "rca"])
def test_neighbours_are_those_of_the_distance(learner, metric):
    model = KNNClassifier(learner, n_neighbors=10).fit(X, y)
    found = ranked(model.distance_.folded(metric, X), Q, X)
    assert overlap(found, model.kneighbors(Q, return_distance=False)) >= 0.999


def test_the_coordinates_are_those_of_the_formulas():
    m, q = EmbeddedDistance(), Q.astype(np.float64)
    norms = (q**2).sum(axis=1)
    ip = m.folded("ip")
    np.testing.assert_allclose(ip.embed_references(q), np.column_stack([q, -norms / 2]))
    np.testing.assert_allclose(ip.embed_queries(q), np.column_stack([q, np.ones(60)]))
    cosine = m.folded("cosine", q)
    np.testing.assert_allclose(
        np.linalg.norm(cosine.embed_references(q), axis=1), np.sqrt(cosine.squared_radius)
    )
    np.testing.assert_allclose(cosine.embed_queries(q)[:, -2:], np.tile([1.0, 0.0], (60, 1)))


def test_the_query_map_makes_queries_of_raw_rows():
    distance = EmbeddedDistance.symmetric(
        AffineEmbedding(rng.normal(size=(5, 12)), origin=rng.normal(size=12))
    )
    for metric in ("l2", "ip", "cosine"):
        folding = distance.folded(metric, X)
        matrix, constant = folding.query_map(12)
        np.testing.assert_allclose(Q @ matrix.T + constant, folding.embed_queries(Q), atol=1e-5)


def test_sparse_rows_stay_sparse():
    stored = EmbeddedDistance().folded("ip").embed_references(sparse.csr_array(X))
    assert sparse.issparse(stored)
    np.testing.assert_allclose(
        stored.toarray(), EmbeddedDistance().folded("ip").embed_references(X), rtol=1e-6
    )


def test_references_that_fit_no_longer_are_refused():
    folding = EmbeddedDistance().folded("cosine", X)
    folding.embed_references(X * 1.01)
    with pytest.raises(ValueError, match="row 1 is longer"):
        folding.embed_references(np.stack([X[0], 100 * X[1]]))
    with pytest.raises(ValueError, match="pass the references"):
        EmbeddedDistance().folded("cosine")
    with pytest.raises(ValueError, match="metric='dot'"):
        EmbeddedDistance().folded("dot")


def test_bent_queries_have_no_query_map():
    class Bent:
        def __call__(self, rows):
            return rows**2

    with pytest.raises(TypeError, match="Bent, which is not an affine map"):
        EmbeddedDistance.symmetric(Bent()).folded("ip").query_map(12)


def test_duplicate_rows_differ_from_l2_only_among_equals():
    """Ranked by row number equal rows may change places; by distance nothing is lost."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 16)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[200:] = rows[100:200]
    queries = rng.normal(size=(40, 16)).astype(np.float32)
    distance = EmbeddedDistance(
        references=AffineEmbedding(0.5 * rng.normal(size=(16, 16)).astype(np.float32))
    )
    D = distance.pairwise(queries.astype(np.float64), rows.astype(np.float64))
    tenth = np.sort(D, axis=1)[:, 9:10]
    for metric in ("ip", "cosine"):
        folding = distance.folded(metric, rows)
        there, asked = folding.embed_references(rows), folding.embed_queries(queries)
        scores = asked @ there.T
        if metric == "cosine":
            scores /= np.linalg.norm(there, axis=1)
        found = np.argsort(-scores, axis=1)[:, :10]
        assert (np.take_along_axis(D, found, axis=1) <= tenth * (1 + 1e-5)).mean() >= 0.999
