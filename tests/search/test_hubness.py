from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from sklearn.neighbors import NearestNeighbors

from nearkin.search.hubness import Hubness, hubness_skewness, k_occurrence


@given(arrays(np.int64, st.tuples(st.integers(1, 30), st.integers(1, 5)), elements=st.integers(0, 19)))
def test_counts_and_skewness_match_naive_ones(indices):
    counts = [int(np.sum(indices == reference)) for reference in range(20)]
    assert k_occurrence(indices, 20).tolist() == counts
    expected = stats.skew(counts, bias=True) if len(set(counts)) > 1 else 0.0
    assert hubness_skewness(indices, 20) == pytest.approx(expected, abs=1e-9)


def test_evenly_used_references_have_no_skewness():
    assert hubness_skewness([[0, 1], [2, 3]], 4) == 0.0


def test_high_dimensions_have_more_hubs_than_low_ones():
    rng = np.random.default_rng(0)
    skewness = {}
    for d in (2, 100):
        search = NearestNeighbors(n_neighbors=10).fit(rng.normal(size=(400, d)))
        skewness[d] = hubness_skewness(
            search.kneighbors(rng.normal(size=(400, d)), return_distance=False), 400
        )
    assert skewness[100] > skewness[2] + 1


@pytest.mark.parametrize(
    ("indices", "n_references", "message"),
    [
        ([[0, 5]], 5, "allows 0 to 4"),
        ([[0, -1]], 5, "allows 0 to 4"),
        ([0, 1], 5, "2-D"),
        ([[0.5]], 5, "row numbers"),
        (np.empty((0, 3), int), 0, "at least one reference"),
    ],
)
def test_wrong_neighbour_lists_are_refused(indices, n_references, message):
    with pytest.raises(ValueError, match=message):
        hubness_skewness(indices, n_references)


@pytest.fixture
def one_hub_lists():
    """Twenty queries that all have reference 7 first and, in turn, references 0 to 4 second."""
    return np.column_stack([np.full(20, 7), np.arange(20) % 5])


def test_report_names_hubs_and_anti_hubs(one_hub_lists):
    report = Hubness.of(one_hub_lists, 100)
    assert report.hubs.tolist() == [7]
    assert report.anti_hub_share == 0.94
    assert 50 in report.anti_hubs
    assert 7 not in report.anti_hubs
    assert report.top_share == 0.5  # reference 7 alone is the top 1 %: 20 of 40 slots
    with pytest.raises(ValueError, match="labels"):
        report.bad_hubs()


def test_a_hub_of_the_wrong_class_is_a_bad_hub(one_hub_lists):
    references = np.array(["a"] * 100)
    queries = np.array(["b"] * 15 + ["a"] * 5)
    report = Hubness.of(one_hub_lists, 100, queries, references)
    assert report.bad_occurrences[7] == 15
    assert report.bad_hubs().tolist() == [7]
    assert report.bad_share == 0.75
    good = Hubness.of(one_hub_lists, 100, np.array(["a"] * 20), references)
    assert good.bad_hubs().size == 0


def test_labels_must_fit(one_hub_lists):
    with pytest.raises(ValueError, match="both"):
        Hubness.of(one_hub_lists, 100, query_labels=["a"] * 20)
    with pytest.raises(ValueError, match="do not fit"):
        Hubness.of(one_hub_lists, 100, ["a"] * 20, ["a"] * 99)


def test_report_is_ready_for_json(one_hub_lists):
    labels = np.array(list("ab") * 50)
    found = Hubness.of(one_hub_lists, 100, labels[:20], labels)
    restored = Hubness.from_dict(json.loads(json.dumps(found.to_dict())))
    assert restored.hubs.tolist() == [7]
    assert restored.bad_hubs().tolist() == found.bad_hubs().tolist()
    assert restored.largest(2) == found.largest(2)
    assert Hubness.from_dict(Hubness.of(one_hub_lists, 100).to_dict()).bad_share is None


def test_the_largest_are_named_with_their_bad_votes():
    labels = np.array(["a", "a", "b", "b"])
    found = Hubness.of(np.array([[1, 2], [0, 2], [3, 0], [2, 0]]), 4, labels, labels)
    assert found.largest(2) == [
        {"row": 0, "occurrences": 3, "label": "a", "bad_occurrences": 2},
        {"row": 2, "occurrences": 3, "label": "b", "bad_occurrences": 2},
    ]
    assert Hubness.of([[1], [0]], 2).largest(1) == [{"row": 0, "occurrences": 1}]


def test_the_keys_of_the_first_release_answer_with_a_warning():
    hub = Hubness.of([[0], [0], [1]], 2, list("aab"), list("bb")).largest(1)[0]
    for old, new in (("count", "occurrences"), ("bad", "bad_occurrences")):
        with pytest.warns(FutureWarning, match=f"now {new!r}"):
            assert hub[old] == hub[new]
    with pytest.raises(KeyError, match="nonsense"):
        hub["nonsense"]
    with pytest.raises(KeyError, match="bad"):
        Hubness.of([[1], [0]], 2).largest(1)[0]["bad"]
