import os
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from nearkin.datasets import DataError, load_dataset, load_features

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])


def save(tmp_path, **arrays):
    path = tmp_path / "t.npz"
    np.savez(path, **arrays)
    return path


def test_plain_arrays_with_names_and_a_second_labelling(tmp_path):
    path = save(tmp_path, X=X, y=Y, feature_names=["a", "b"], class_names=["no", "yes"], y3=np.arange(6) % 3)
    data = load_dataset(path)
    assert data.feature_names == ("a", "b")
    assert data.class_names == ("no", "yes")
    assert data.encoder is None
    other = load_dataset(path, target="y3")
    assert other.n_classes == 3
    assert other.class_names == ("0", "1", "2")
    with pytest.raises(DataError, match=r"no target 'y4'.*'y', 'y3'"):
        load_dataset(path, target="y4")


def test_published_split(tmp_path):
    data = load_dataset(save(tmp_path, X_train=X[:4], y_train=Y[:4], X_test=X[4:], y_test=Y[4:]))
    assert data.train().n_samples == 4
    np.testing.assert_array_equal(data.test().X, X[4:])


def test_split_by_mask(tmp_path):
    mask = np.array([True, False, True, True, False, True])
    data = load_dataset(save(tmp_path, X=X, y=Y, train_mask=mask))
    np.testing.assert_array_equal(data.train_indices, np.flatnonzero(mask))


def test_many_targets_and_some_of_them(tmp_path):
    path = save(tmp_path, X=X, Y=np.column_stack([X, X[:, 0]]), target_names=["u", "v1", "v2"])
    data = load_dataset(path)
    assert (data.task, data.n_targets, data.target_names) == ("regression", 3, ("u", "v1", "v2"))
    assert load_dataset(path, target="v*").target_names == ("v1", "v2")
    assert load_dataset(path, target="u").y.ndim == 1


def csr_parts(matrix):
    return dict(X_data=matrix.data, X_indices=matrix.indices, X_indptr=matrix.indptr, X_shape=matrix.shape)


def test_sparse_parts(tmp_path):
    matrix = sp.random(6, 5, density=0.5, format="csr", random_state=0, dtype=np.float32)
    path = save(tmp_path, **csr_parts(matrix), y=Y, n_train=4, vocab=list("abcde"))
    data = load_dataset(path)
    assert data.is_sparse
    assert data.X.dtype == np.float32
    assert data.feature_names == tuple("abcde")
    assert (matrix != data.X).nnz == 0
    assert data.test().n_samples == 2
    assert (next(load_features(path)) != matrix).nnz == 0


def test_sparse_parts_that_point_outside_are_refused(tmp_path):
    matrix = sp.eye(6, format="csr")
    parts = csr_parts(matrix) | {"X_indices": np.full(6, 99)}
    with pytest.raises(DataError, match=r"do not fit together"):
        load_dataset(save(tmp_path, **parts, y=Y))


def test_small_integers_become_float32(tmp_path):
    assert load_dataset(save(tmp_path, X=X.astype(np.uint8), y=Y)).X.dtype == np.float32
    assert load_dataset(save(tmp_path, X=X.astype(np.int64), y=Y)).X.dtype == np.float64


def test_real_labels_are_regression_and_whole_ones_classes(tmp_path):
    assert load_dataset(save(tmp_path, X=X, y=Y + 0.5)).task == "regression"
    assert load_dataset(save(tmp_path, X=X, y=Y.astype(float))).task == "classification"
    assert (
        load_dataset(
            save(
                tmp_path,
                X=X,
                y=Y,
            ),
            task="regression",
        ).task
        == "regression"
    )


def test_missing_values_need_impute(tmp_path):
    holed = X.copy()
    holed[1, 0] = np.nan
    path = save(tmp_path, X=holed, y=Y)
    with pytest.raises(DataError, match=r"missing values in column\(s\) 'x1' \(1\).*impute"):
        load_dataset(path)
    data = load_dataset(path, impute="median")
    assert np.isnan(data.X.to_numpy()[1, 0])
    assert data.encoded().X[1, 0] == np.median(np.delete(X[:, 0], 1))


class Evil:
    def __reduce__(self):
        return os.system, ("touch evil-was-here",)


def test_pickled_objects_are_refused_and_never_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = save(tmp_path, X=X, y=np.array([Evil()] * 6, dtype=object))
    with pytest.raises(DataError, match=r"pickled Python objects"):
        load_dataset(path)
    path.write_bytes(pickle.dumps(Evil()))
    with pytest.raises(DataError, match=r"pickled Python objects"):
        load_dataset(path)
    assert not (tmp_path / "evil-was-here").exists()


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_cut_short_file(tmp_path, keep):
    path = save(tmp_path, X=X, y=Y)
    raw = path.read_bytes()
    path.write_bytes(raw[: int(len(raw) * keep)])
    with pytest.raises(DataError, match=r"damaged or cut short"):
        load_dataset(path)


def test_flipped_bytes_are_noticed(tmp_path):
    path = tmp_path / "t.npz"
    np.savez_compressed(path, X=np.random.default_rng(0).normal(size=(50, 4)), y=np.arange(50) % 2)
    raw = bytearray(path.read_bytes())
    for at in range(200, 260):
        raw[at] ^= 0xFF
    path.write_bytes(bytes(raw))
    with pytest.raises(DataError, match=r"damaged or cut short"):
        load_dataset(path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (dict(y=Y), "no features"),
        (dict(X=X), "no target"),
        (dict(X=X[0], y=Y), "2-d"),
        (dict(X=X.astype(str), y=Y), "must hold numbers"),
        (dict(X=X, y=Y[:3]), "6 rows"),
        (dict(X=np.where(X == 3, np.inf, X), y=Y), "'x2' holds 1 infinite value"),
        (dict(X=X, y=np.where(Y == 1, np.nan, 0.5)), "target has missing"),
        (dict(X=X, y=Y, train_mask=np.ones(3, bool)), "train_mask"),
        (dict(X=X, y=Y, n_train=99), "99 out of 6"),
        (dict(X_train=X, y_train=Y, X_test=X[:, :1], y_test=Y), "X_test 1"),
        (dict(X_train=X, y_train=Y[:2], X_test=X, y_test=Y), "y_train 2"),
        (dict(X=np.zeros((0, 2)), y=np.zeros(0)), "0 rows"),
    ],
)
def test_files_that_cannot_be_used_are_explained(tmp_path, arrays, message):
    with pytest.raises(DataError, match=message):
        load_dataset(save(tmp_path, **arrays))
