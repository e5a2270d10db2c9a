"""Items moved into the space of their queries: against a naive regression, and by mean reciprocal rank."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from nearkin import MoveItems, MoveLabeled, load, save
from nearkin.evaluation.retrieval import Relevance, mean_reciprocal_rank
from nearkin.learners.closed_form.two_sided import reciprocal_ranks


def naive(queries, items, pairs, weights, alpha):
    """W and the two means, by stacking every pair."""
    Z, Q = items[pairs[:, 1]], queries[pairs[:, 0]]
    mean_z, mean_q = weights @ Z / weights.sum(), weights @ Q / weights.sum()
    Z, Q = Z - mean_z, Q - mean_q
    normal = Z.T @ (weights[:, None] * Z) + alpha * np.eye(Z.shape[1])
    return np.linalg.solve(normal, Z.T @ (weights[:, None] * Q)).T, mean_z, mean_q


def two_encoders(n=500, width=20, item_width=30, noise=0.3, seed=0):
    rng = np.random.default_rng(seed)
    queries = rng.normal(size=(n, width))
    items = queries @ rng.normal(size=(width, item_width)) + noise * rng.normal(size=(n, item_width))
    return queries, items, np.stack([np.arange(n), np.arange(n)], axis=1)


def mrr(model, queries, items):
    found = model.kneighbors(queries, items, len(items))[1]
    return mean_reciprocal_rank(found, Relevance.of_lists([[i] for i in range(len(items))], len(items)))


@pytest.mark.parametrize("item_width", [5, 60], ids=["primal", "dual"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_matches_the_naive_regression(item_width, kind):
    rng = np.random.default_rng(0)
    queries, items = rng.normal(size=(30, 7)) + 2, rng.normal(size=(25, item_width)) - 1
    pairs = np.stack([rng.integers(30, size=80), rng.integers(25, size=80)], axis=1)
    weights = rng.uniform(0.1, 2, size=80)
    W, mean_z, mean_q = naive(queries, items, pairs, weights, 3.0)
    model = MoveItems(alpha=3.0).fit(kind(queries), kind(items), pairs, weights)
    np.testing.assert_allclose(model.move(kind(items)), (items - mean_z) @ W.T + mean_q, atol=1e-8)
    half = MoveItems(alpha=3.0, share=1.0).fit(queries, items, pairs, weights)
    np.testing.assert_allclose(half.move(items), model.move(items), atol=1e-8)


def test_a_table_of_clicks_is_the_same_as_weighted_pairs():
    queries, items, pairs = two_encoders(40)
    clicks = sparse.coo_array((np.arange(1.0, 41), (pairs[:, 0], pairs[:, 1]))).tocsr()
    by_table = MoveItems(alpha=1.0).fit(queries, items, clicks)
    by_pairs = MoveItems(alpha=1.0).fit(queries, items, pairs, np.arange(1.0, 41))
    by_repeats = MoveItems(alpha=1.0).fit(queries, items, np.repeat(pairs, np.arange(1, 41), axis=0))
    for other in (by_pairs, by_repeats):
        np.testing.assert_allclose(by_table.move(items), other.move(items), atol=1e-8)


def test_new_items_of_another_encoder_are_found():
    queries, items, pairs = two_encoders()
    model = MoveItems().fit(queries[:300], items[:300], pairs[:300])
    assert model.score_ > 0.9
    assert mrr(model, queries[300:], items[300:]) > 0.9


def test_with_equal_widths_labels_alone_do_far_less():
    queries, items, pairs = two_encoders(item_width=20)
    model = MoveItems().fit(queries[:300], items[:300], pairs[:300])
    topics = (queries[:, 0] > 0).astype(int)
    by_labels = MoveLabeled(n_targets=5, alpha=1.0).fit(items[:300], topics[:300]).distance_
    order = np.argsort(by_labels.pairwise(queries[300:], items[300:]), axis=1)
    by_labels_mrr = mean_reciprocal_rank(order, Relevance.of_lists([[i] for i in range(200)], 200))
    assert mrr(model, queries[300:], items[300:]) > 0.9 > by_labels_mrr + 0.5
    assert model.share_ == 1.0


def test_items_that_are_well_placed_may_stay():
    rng = np.random.default_rng(0)
    queries = rng.normal(size=(60, 40))
    items = queries + 0.1 * rng.normal(size=queries.shape)
    pairs = np.stack([np.arange(60), np.arange(60)], axis=1)
    model = MoveItems().fit(queries, items, pairs)
    assert model.score_ == 1.0
    stays = MoveItems(share=0.0, alpha=1.0).fit(queries, items, pairs)
    np.testing.assert_array_equal(stays.move(items), items)


def test_skipped_items_teach_what_does_not_count():
    """Half of an item's features is what the log's own ranking went by: clicked and skipped agree in it."""
    rng = np.random.default_rng(0)
    queries = rng.normal(size=(400, 10))
    shown_by = queries + 0.3 * rng.normal(size=(400, 10))
    clicked = np.hstack([queries + 0.8 * rng.normal(size=(400, 10)), shown_by])
    skipped = np.hstack([rng.normal(size=(400, 10)), queries + 0.3 * rng.normal(size=(400, 10))])
    items = np.vstack([clicked, skipped])
    triplets = np.stack([np.arange(400), np.arange(400), np.arange(400, 800)], axis=1)

    def right(model):
        D = model.distance_.pairwise(queries[300:], items)
        rows = triplets[300:]
        return np.mean(D[rows[:, 0] - 300, rows[:, 1]] < D[rows[:, 0] - 300, rows[:, 2]])

    plain = MoveItems(alpha=1.0, skip_weight=0.0).fit(queries, items, triplets=triplets[:300])
    pairs = MoveItems(alpha=1.0).fit(queries, items, triplets[:300, :2])
    np.testing.assert_allclose(plain.move(items), pairs.move(items), atol=1e-9)
    taught = MoveItems(alpha=1.0, skip_weight=0.5).fit(queries, items, triplets=triplets[:300])
    assert right(taught) > right(plain) + 0.1
    chosen = MoveItems().fit(queries, items, triplets=triplets[:300])
    for skip_weight in (0.0, 0.5):
        given = MoveItems(skip_weight=skip_weight).fit(queries, items, triplets=triplets[:300])
        assert chosen.score_ >= given.score_ - 1e-9


def test_reciprocal_ranks_are_those_of_the_sorted_lists():
    rng = np.random.default_rng(0)
    queries, items = rng.normal(size=(20, 4)), rng.normal(size=(15, 4))
    wanted = sparse.random_array((20, 15), density=0.2, random_state=0).tocsr()
    D = ((queries[:, None] - items[None]) ** 2).sum(axis=2)
    relevance = Relevance.of_lists(wanted, 15)
    known = relevance.counts > 0
    expected = mean_reciprocal_rank(np.argsort(D, axis=1), relevance)
    assert reciprocal_ranks(queries, items, wanted)[known].mean() == pytest.approx(expected)


def test_float32_stays_float32_and_the_model_survives_its_file(tmp_path):
    queries, items, pairs = two_encoders(80)
    model = MoveItems().fit(queries.astype(np.float32), items.astype(np.float32), pairs)
    moved = model.move(items.astype(np.float32))
    assert moved.dtype == np.float32
    save(model, tmp_path / "items.nearkin")
    np.testing.assert_array_equal(load(tmp_path / "items.nearkin").move(items.astype(np.float32)), moved)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pairs": None}, "pairs or from triplets"),
        ({"pairs": [[0, 99]]}, "row 99 of the items"),
        ({"pairs": [[99, 0]]}, "row 99 of the queries"),
        ({"pairs": [[0.5, 1.0]]}, "row numbers"),
        ({"pairs": [[0, 1]], "weight": [-1.0]}, "weight must be finite and not negative"),
        ({"pairs": sparse.csr_array((9, 9))}, r"expected \(n_queries, n_items\)"),
        ({"pairs": [[0, 0]]}, "at least two queries"),
    ],
)
def test_bad_input_is_refused_with_the_reason(change, message):
    queries, items, pairs = two_encoders(10)
    with pytest.raises(ValueError, match=message):
        MoveItems().fit(queries, items, **{"pairs": pairs, **change})


def test_bad_settings_and_rows_are_refused():
    queries, items, pairs = two_encoders(10)
    for settings in ({"alpha": -1}, {"share": 2.0}, {"skip_weight": "much"}):
        with pytest.raises(ValueError, match=next(iter(settings))):
            MoveItems(**settings).fit(queries, items, pairs)
    with pytest.raises(ValueError, match=r"share=0\.5 mixes"):
        MoveItems(share=0.5).fit(queries, items, pairs)
    items[3, 2] = np.nan
    with pytest.raises(ValueError, match="items has a NaN in row 3"):
        MoveItems().fit(queries, items, pairs)
    model = MoveItems(alpha=1.0).fit(queries, np.nan_to_num(items), pairs)
    with pytest.raises(ValueError, match="columns"):
        model.move(queries)
