"""Files of vectors are moved whole or not at all, and a stopped move goes on."""

import numpy as np
import pytest

from nearkin.stores import FilePolicy, Mover, StoreError, move_file

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def parquet_file(path, X, **options):
    column = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(X.ravel()), X.shape[1])
    table = pyarrow.table({"id": list(range(len(X))), "v": column})
    parquet.write_table(table, path, row_group_size=64, **options)
    return table


def test_npy_to_npy_in_blocks(tmp_path, rows, learner):
    X, _ = rows
    np.save(tmp_path / "v.npy", X)
    seen = []
    done = move_file(
        tmp_path / "v.npy",
        tmp_path / "moved.npy",
        learner,
        policy=FilePolicy(rows=50),
        progress=lambda now, total: seen.append((now, total)),
    )
    np.testing.assert_array_equal(np.load(tmp_path / "moved.npy"), Mover(learner)(X))
    assert (done.rows, done.resumed, seen[-1]) == (len(X), 0, (X.nbytes, X.nbytes))
    assert len(seen) == 7
    assert sorted(path.name for path in tmp_path.iterdir()) == ["moved.npy", "v.npy"]


def test_parquet_keeps_its_columns_and_row_groups(tmp_path, rows, learner):
    X, _ = rows
    table = parquet_file(tmp_path / "v.parquet", X)
    move_file(tmp_path / "v.parquet", tmp_path / "moved.parquet", learner)
    found = parquet.ParquetFile(tmp_path / "moved.parquet")
    assert found.metadata.num_row_groups == 6
    assert found.read().select(["id", "v"]).equals(table)
    moved = np.array(found.read().column("v_moved").to_pylist(), dtype=np.float32)
    np.testing.assert_array_equal(moved, Mover(learner)(X))


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_a_stopped_move_goes_on(tmp_path, rows, learner, suffix):
    X, _ = rows
    source, out, policy = tmp_path / "v.parquet", tmp_path / f"moved{suffix}", FilePolicy(rows=50)
    parquet_file(source, X)
    move_file(source, out, learner, policy=policy)
    whole = out.read_bytes()
    out.unlink()

    def stop(done, total):
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move_file(source, out, learner, policy=policy, progress=stop)
    assert not out.exists()
    done = move_file(source, out, learner, policy=policy)
    assert done.resumed == 178  # row groups of 64 rows, in blocks of 50 and 14
    assert out.read_bytes() == whole


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_what_a_kill_leaves_behind_is_used_or_written_anew(tmp_path, rows, learner, suffix):
    X, _ = rows
    np.save(tmp_path / "v.npy", X)
    out, policy = tmp_path / f"moved{suffix}", FilePolicy(rows=50)
    move_file(tmp_path / "v.npy", out, learner, policy=policy)
    whole = out.read_bytes()

    def stop(done, total):
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move_file(tmp_path / "v.npy", out, learner, policy=policy, progress=stop)
    # Killed while a block, or the whole, was being written.
    unfinished = tmp_path / f".moved{suffix}.unfinished"
    with open(unfinished / f"whole{suffix}", "ab") as file:
        file.write(b"half a row")
    seen = []
    done = move_file(
        tmp_path / "v.npy", out, learner, policy=policy, progress=lambda *bytes: seen.append(bytes)
    )
    assert done.resumed == 200
    assert seen[0] == (200 * X[0].nbytes, X.nbytes)
    assert out.read_bytes() == whole
    assert not unfinished.exists()


def test_a_large_row_group_is_never_whole_in_memory(tmp_path, learner):
    X = np.random.default_rng(0).normal(size=(100_000, 12)).astype(np.float32)
    column = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(X.ravel()), 12)
    parquet.write_table(
        pyarrow.table({"v": column}), tmp_path / "v.parquet", use_dictionary=False, data_page_size=2**13
    )
    most, before = [], pyarrow.total_allocated_bytes()
    move_file(
        tmp_path / "v.parquet",
        tmp_path / "m.npy",
        learner,
        policy=FilePolicy(rows=5_000),
        progress=lambda done, total: most.append(pyarrow.total_allocated_bytes() - before),
    )
    np.testing.assert_array_equal(np.load(tmp_path / "m.npy"), Mover(learner)(X))
    assert max(most) < X.nbytes / 2


def test_blocks_of_another_model_or_source_are_not_used(tmp_path, rows, learner):
    from nearkin import MoveLabeled

    X, y = rows
    np.save(tmp_path / "v.npy", X)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        move_file(tmp_path / "v.npy", tmp_path / "m.npy", learner, policy=FilePolicy(rows=50), progress=stop)
    other = MoveLabeled(alpha=1.0).fit(X, y)
    done = move_file(tmp_path / "v.npy", tmp_path / "m.npy", other, policy=FilePolicy(rows=50))
    assert done.resumed == 0
    np.testing.assert_array_equal(np.load(tmp_path / "m.npy"), Mover(other)(X))


def test_half_precision_stays_half(tmp_path, rows, learner):
    X, _ = rows
    np.save(tmp_path / "v.npy", X.astype(np.float16))
    move_file(tmp_path / "v.npy", tmp_path / "m.npy", learner)
    moved = np.load(tmp_path / "m.npy")
    assert moved.dtype == np.float16
    np.testing.assert_allclose(moved, Mover(learner)(X), atol=0.02)


def test_what_cannot_be_moved_is_said(tmp_path, rows, learner):
    X, _ = rows
    bad = X.copy()
    bad[123, 1] = np.inf
    np.save(tmp_path / "v.npy", bad)
    with pytest.raises(StoreError, match="row 124 holds missing or infinite"):
        move_file(tmp_path / "v.npy", tmp_path / "m.npy", learner, policy=FilePolicy(rows=50))
    with pytest.raises(StoreError, match="replace the raw ones"):
        move_file(tmp_path / "v.npy", tmp_path / "v.npy", learner)
    with pytest.raises(StoreError, match=r"written to \.npy or"):
        move_file(tmp_path / "v.npy", tmp_path / "m.csv", learner)
    np.save(tmp_path / "narrow.npy", X[:, :5])
    with pytest.raises(StoreError, match="have 5 values, but the model was fitted on 12"):
        move_file(tmp_path / "narrow.npy", tmp_path / "m.npy", learner)
