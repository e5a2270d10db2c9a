"""Retrieval scores against loops that follow their definitions, and scikit-learn's nDCG."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import ndcg_score

from nearkin.evaluation.retrieval import (
    Relevance,
    hit_rate_at_k,
    map_at_r,
    mean_reciprocal_rank,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    retrieval_scores,
)


def looped(indices, relevant, k):
    """Every score of one query after the other."""
    rows = []
    for ranked, good in zip(indices, relevant):
        if not len(good):
            continue
        hits = [r in good for r in ranked]
        first = next((1 / (place + 1) for place, hit in enumerate(hits) if hit), 0.0)
        R = len(good)
        average = sum(sum(hits[: i + 1]) / (i + 1) for i in range(R) if hits[i]) / R
        rows.append([sum(hits[:k]) / R, sum(hits[:k]) / k, float(any(hits[:k])), first, average])
    return np.mean(rows, axis=0)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 6))
def test_scores_follow_their_definitions(seed, n_references, n_queries):
    rng = np.random.RandomState(seed)
    indices = np.stack([rng.permutation(n_references) for _ in range(n_queries)])
    relevant = [np.flatnonzero(rng.random_sample(n_references) < 0.4) for _ in range(n_queries)]
    relevant[0] = np.array([0])
    truth, k = Relevance.of_lists(relevant, n_references), rng.randint(1, n_references + 1)
    found = [
        recall_at_k(indices, truth, k),
        precision_at_k(indices, truth, k),
        hit_rate_at_k(indices, truth, k),
        mean_reciprocal_rank(indices, truth),
        map_at_r(indices, truth),
    ]
    np.testing.assert_allclose(found, looped(indices, relevant, k))


def test_labels_are_lists_of_the_same_label():
    rng = np.random.RandomState(0)
    queries, references = rng.randint(3, size=20), rng.randint(3, size=30)
    indices = np.stack([rng.permutation(30) for _ in range(20)])
    lists = [np.flatnonzero(references == label) for label in queries]
    by_labels = retrieval_scores(indices, Relevance.of_labels(queries, references))
    assert by_labels == pytest.approx(retrieval_scores(indices, Relevance.of_lists(lists, 30)))
    assert "MAP@R" in by_labels


def test_graded_ndcg_agrees_with_scikit_learn():
    rng = np.random.RandomState(0)
    gains, scores = rng.randint(0, 4, (15, 12)).astype(float), rng.standard_normal((15, 12))
    truth = Relevance.of_lists(sparse.csr_array(gains), 12)
    found = ndcg_at_k(np.argsort(-scores, axis=1), truth, 5)
    assert found == pytest.approx(ndcg_score(gains, scores, k=5))


def test_queries_without_answers_are_left_out():
    truth = Relevance.of_lists([[0], []], 2)
    assert recall_at_k(np.array([[0, 1], [0, 1]]), truth, 1) == 1.0
    with pytest.raises(ValueError, match="nothing to score"):
        recall_at_k(np.array([[0]]), Relevance.of_lists([[]], 2), 1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Relevance.of_lists([[5]], 3), "0 to 2"),
        (lambda: Relevance.of_lists(sparse.eye_array(3), 4), "3 columns"),
        (lambda: Relevance.of_lists(-sparse.eye_array(3), 3), "negative"),
        (lambda: recall_at_k(np.zeros((2, 3), int), Relevance.of_lists([[0]], 3)), "more neighbours"),
        (lambda: recall_at_k(np.zeros((2, 3), int), Relevance.of_lists([[0]], 3), 2), "1 queries"),
        (lambda: map_at_r(np.zeros((1, 1), int), Relevance.of_lists([[0, 1]], 3)), "MAP@R needs"),
    ],
)
def test_clear_errors(call, said):
    with pytest.raises(ValueError, match=said):
        call()
