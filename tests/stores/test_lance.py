"""What only LanceDB has: keys that nobody checks and columns of lists."""

import numpy as np
import pytest

from nearkin.stores import LanceStore, StoreError, check_moved, move_rows

lancedb = pytest.importorskip("lancedb")
pyarrow = pytest.importorskip("pyarrow")


def database(folder, vectors, keys=None):
    opened = lancedb.connect(str(folder))
    keys = list(range(len(vectors))) if keys is None else keys
    kind = pyarrow.list_(pyarrow.float32())
    opened.create_table("items", pyarrow.table({"id": keys, "v": pyarrow.array(vectors, type=kind)}))
    return opened


def test_lists_of_any_length_are_read_if_they_are_all_alike(tmp_path, rows, learner):
    X, _ = rows
    opened = database(tmp_path, [*X[:30].tolist(), None])
    store = LanceStore(opened, "items", "v", into="moved")
    assert move_rows(store, learner).total == 30
    assert check_moved(store).is_sound


@pytest.mark.parametrize(
    ("bad", "said"), [([1.0, 2.0], "has 2 values, but 12"), ([float("nan")] * 12, "missing or infinite")]
)
def test_unsound_rows_are_named_by_their_key(tmp_path, rows, learner, bad, said):
    X, _ = rows
    opened = database(tmp_path, [*X[:9].tolist(), bad], keys=[f"k{at}" for at in range(10)])
    with pytest.raises(StoreError, match=f"id = 'k9' .*{said}"):
        move_rows(LanceStore(opened, "items", "v", into="moved"), learner)


def test_double_and_missing_keys_are_refused(tmp_path, rows):
    X, _ = rows
    with pytest.raises(StoreError, match="id' = 7 occurs more than once"):
        LanceStore(database(tmp_path / "a", X[:3].tolist(), keys=[7, 8, 7]), "items", "v", into="moved")
    with pytest.raises(StoreError, match="is empty in 1 rows"):
        LanceStore(database(tmp_path / "b", X[:3].tolist(), keys=[7, 8, None]), "items", "v", into="moved")
    with pytest.raises(StoreError, match=r"no table 'item'.*Did you mean 'items'"):
        LanceStore(tmp_path / "a", "item", "v", into="moved")


def test_a_move_outlives_the_connection(tmp_path, rows, learner):
    X, _ = rows
    database(tmp_path, X[:30].tolist())
    move_rows(LanceStore(tmp_path, "items", "v", into="moved"), learner)
    again = LanceStore(tmp_path, "items", "v", into="moved")
    assert again.remembered()[0].learner == "MoveLabeled"
    moved = np.array([again.moved_vectors([at])[at] for at in range(30)])
    assert moved.shape == (30, 12)
