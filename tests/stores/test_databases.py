"""Every store keeps the same promises, whatever it is made of."""

import numpy as np
import pytest

from nearkin import MoveLabeled
from nearkin.stores import Mover, StoreError, check_moved, fit_labelled, move_rows

N = 300


def moved_table(store):
    keys = [key for block in store.blocks() for key in block.keys]
    found = store.moved_vectors(keys)
    return {key: vector.tobytes() for key, vector in found.items()}


def nearest_by_hand(queries, references, k=10):
    squared = ((queries[:, None, :].astype(np.float64) - references[None]) ** 2).sum(axis=2)
    return np.argsort(squared, axis=1, kind="stable")[:, :k]


def overlap(store, queries, expected, key_of, **options):
    shares = [
        len({key_of(int(at)) for at in row} & set(store.search(query, 10, **options))) / 10
        for query, row in zip(queries, expected)
    ]
    return np.mean(shares)


def test_a_move_is_found_by_raw_queries_and_leaves_raw_rows_alone(filled, rows, learner):
    X, _ = rows
    before = filled.raw()
    with filled.open() as store:
        report = move_rows(store, learner, rows=64)
        assert (report.moved, report.total, store.count(pending=True)) == (N, N, 0)
        expected = nearest_by_hand(X[N:], Mover(learner)(X[:N]))
        assert overlap(store, X[N:], expected, filled.key_of, exact=True) == 1.0
        assert (
            overlap(store, X[N:], nearest_by_hand(X[N:], X[:N]), filled.key_of, exact=True, which="raw")
            == 1.0
        )
        store.build_index()
        assert overlap(store, X[N:], expected, filled.key_of) >= 0.99
    assert filled.raw() == before


def test_a_second_run_moves_nothing_and_nothing_twice(filled, learner):
    with filled.open() as store:
        move_rows(store, learner)
        once = moved_table(store)
        assert move_rows(store, learner).moved == 0
        assert move_rows(store).moved == 0
        assert moved_table(store) == once


def test_a_move_stopped_in_the_middle_goes_on_to_the_same_table(filled, learner, monkeypatch):
    with filled.open() as store:
        move_rows(store, learner)
        whole = moved_table(store)
        store.forget()
        write, written = store.write, []

        def write_until_killed(keys, vectors):
            if len(written) == 3:
                raise KeyboardInterrupt
            write(keys, vectors)
            written.append(len(keys))

        monkeypatch.setattr(store, "write", write_until_killed)
        with pytest.raises(KeyboardInterrupt):
            move_rows(store, learner, rows=50)
        assert store.count(pending=True) == N - sum(written)
    with filled.open() as again:
        # The model is not given: the store has it.
        assert move_rows(again, rows=37).moved == N - sum(written)
        assert moved_table(again) == whole


def test_rows_that_come_later_are_missed_until_they_are_moved(filled, rows, learner):
    X, y = rows
    with filled.open() as store:
        move_rows(store, learner)
        store.use("moved")
        assert store.current == "moved"
        filled.add(N, X[N:], y[N:])
    with filled.open() as store:
        assert store.count(pending=True) == len(X) - N
        late = [filled.key_of(at) for at in range(N, len(X))]
        assert sorted(check_moved(store).missing) == late
        with pytest.raises(StoreError, match=f"{len(X) - N} rows .* not moved yet"):
            store.use("moved")
        assert move_rows(store).moved == len(X) - N
        assert check_moved(store).is_sound
        found = store.moved_vectors(late[:1])[late[0]]
        np.testing.assert_array_equal(found, Mover(learner)(X[N : N + 1])[0])
        store.use("moved")
        store.use("raw")
        assert store.current == "raw"


def test_a_replaced_raw_vector_is_found_by_the_check(filled, rows, learner):
    X, _ = rows
    with filled.open() as store:
        move_rows(store, learner)
        filled.replace_vector(7, -X[7])
    with filled.open() as store:
        assert check_moved(store).changed == [filled.key_of(7)]


def test_another_model_is_refused(filled, rows, learner):
    X, y = rows
    other = MoveLabeled(n_targets=5, alpha=1.0).fit(X[:N], y[:N])
    with filled.open() as store:
        move_rows(store, learner)
        with pytest.raises(StoreError, match="moved by another model"):
            move_rows(store, other)
        store.forget()
        assert store.remembered() is None
        assert move_rows(store, other).moved == N


def test_without_a_model_one_is_fitted_on_the_labels(filled, rows):
    X, y = rows
    expected = Mover(MoveLabeled().fit(X[:N], y[:N]))
    with filled.open() as store:
        report = move_rows(store)
        assert report.record.learner == "MoveLabeled"
        key = filled.key_of(0)
        np.testing.assert_allclose(store.moved_vectors([key])[key], expected(X[:1])[0], rtol=1e-4, atol=1e-5)
        assert fit_labelled(store, max_rows=60).n_features_in_ == X.shape[1]


def test_without_model_and_labels_nothing_can_be_done(filled):
    with filled.open(label=None) as store, pytest.raises(StoreError, match="--label"):
        move_rows(store)


def test_a_model_of_another_width_is_refused_before_anything_is_written(filled, rows):
    X, y = rows
    narrow = MoveLabeled(alpha=1.0).fit(X[:N, :5], y[:N])
    with filled.open() as store:
        with pytest.raises(StoreError, match="have 12 values, but the model was fitted on 5"):
            move_rows(store, narrow)
        assert store.remembered() is None


def test_a_deleted_row_is_not_found_any_more(filled, rows, learner):
    X, _ = rows
    with filled.open() as store:
        move_rows(store, learner)
        filled.delete(3)
    with filled.open() as store:
        move_rows(store)
        assert filled.key_of(3) not in store.search(X[3], 50, exact=True)


def test_moving_in_place_is_refused(filled):
    with pytest.raises(StoreError, match="raw vectors themselves"):
        filled.open(into="embedding")


def test_a_place_that_holds_something_else_is_refused(filled, learner):
    with filled.open() as store:
        move_rows(store, learner)
        # As if another program had made it: what nearkin remembers is gone.
        record = store.remembered()
        assert record is not None
        store.remembered = lambda: None
        with pytest.raises(StoreError, match="did not make"):
            move_rows(store, learner)
