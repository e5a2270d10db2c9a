"""The per-prototype distance against its definition."""

import numpy as np
import pytest

from nearkin.distances.embeddings import CentredEmbedding, KernelValues
from nearkin.distances.per_prototype import PerPrototypeDistance
from nearkin.numerics.mercer import mercer_kernel
from nearkin.search import NeighbourSearch


def make_distance(shape, seed=0, P=4, d=3, e=3):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=d) if shape == "weights" else rng.normal(size=(e, d))
    embedding = CentredEmbedding(matrix, rng.normal(size=d))
    prototypes = rng.normal(size=(P, d))
    metrics = rng.normal(size=(P, e) if shape == "weights" else (P, 2, e))
    return PerPrototypeDistance(embedding, embedding(prototypes), metrics, prototypes)


@pytest.fixture(params=["weights", "factors"])
def distance(request):
    return make_distance(request.param)


@pytest.fixture
def points():
    return np.random.default_rng(1).normal(size=(2, 20, 3))


def test_binding_the_prototypes_reproduces_their_distances(distance, points):
    np.testing.assert_allclose(
        distance.pairwise(points[0], distance.prototypes), distance.to_prototypes(points[0]), rtol=1e-9
    )


def test_a_reference_carries_the_metric_of_its_nearest_prototype(distance, points):
    queries, references = points
    owners = distance.to_prototypes(references).argmin(axis=1)
    D = distance.pairwise(queries, references)
    for i, query in enumerate(queries):
        for j, reference in enumerate(references):
            metric = distance.metrics[owners[j]]
            factor = np.diag(metric) if metric.ndim == 1 else metric
            difference = distance.embedding(query[None]) - distance.embedding(reference[None])
            assert D[i, j] == pytest.approx(np.sum((difference @ factor.T) ** 2), rel=1e-8, abs=1e-10)


def test_coinciding_prototypes_keep_their_own_metrics(points):
    base = make_distance("factors")
    twice = np.concatenate([base.prototypes[:1], base.prototypes[:1]])
    distance = PerPrototypeDistance(base.embedding, base.embedding(twice), base.metrics[:2], twice)
    np.testing.assert_array_equal(distance.owners(twice), [0, 1])
    np.testing.assert_allclose(distance.pairwise(points[0], twice), distance.to_prototypes(points[0]))


def test_a_metric_with_a_null_space_does_not_steal_prototypes():
    ends = np.array([[0.0, 0.0], [5.0, 0.0]])
    blind = np.array([[[0.0, 1.0]], [[1.0, 0.0]]])
    distance = PerPrototypeDistance(CentredEmbedding(np.ones(2), np.zeros(2)), ends, blind, ends)
    np.testing.assert_array_equal(distance.owners(ends), [0, 1])


def test_blocks_do_not_change_the_distances(distance, points):
    class SmallBlocks(PerPrototypeDistance):
        block_elements = 16

    small = SmallBlocks(**vars(distance))
    np.testing.assert_allclose(small.to_prototypes(points[0]), distance.to_prototypes(points[0]))


def test_search_finds_the_nearest_references(distance, points):
    queries, references = points
    found, rows = NeighbourSearch(distance).build(references).query(queries, 3)
    D = distance.pairwise(queries, references)
    np.testing.assert_array_equal(rows, np.argsort(D, axis=1, kind="stable")[:, :3])
    np.testing.assert_allclose(found, np.sort(D, axis=1)[:, :3])


def test_float32_stays(distance, points):
    queries, references = points.astype(np.float32)
    assert distance.pairwise(queries, references).dtype == np.float32
    assert distance.to_prototypes(queries).dtype == np.float32


def test_a_far_origin_costs_no_digits():
    origin = np.full(2, 1e6, np.float32)
    centred = CentredEmbedding(np.eye(2, dtype=np.float32), origin)
    np.testing.assert_array_equal(centred(origin[None] + np.float32(0.5)), [[0.5, 0.5]])


def test_kernel_rows_are_kernel_values(points):
    queries, landmarks = points
    rows = KernelValues(landmarks, "polynomial", gamma=0.5, degree=2, coef0=1.0)
    expected = mercer_kernel(queries, landmarks, "polynomial", gamma=0.5, degree=2, coef0=1.0)
    np.testing.assert_allclose(rows(queries), expected)
    mean = expected.mean(axis=0)
    np.testing.assert_allclose(CentredEmbedding(np.ones(20), mean, rows)(queries), expected - mean)
