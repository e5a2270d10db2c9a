import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from nearkin.datasets import DataError, Dataset


def toy(**changes):
    settings = dict(
        name="toy", X=np.arange(8.0).reshape(4, 2), y=np.array([0, 1, 0, 1]), task="classification"
    )
    return Dataset(**(settings | changes))


def test_arrays_cannot_be_written_and_fields_cannot_be_set():
    X = np.zeros((4, 2))
    data = toy(X=X)
    with pytest.raises(ValueError, match=r"read-only"):
        data.X[0, 0] = 1.0
    with pytest.raises(AttributeError):
        data.name = "other"
    X[0, 0] = 1.0  # the caller's own array stays writable


def test_copies_and_pickles_are_whole_and_read_only():
    data = toy(extras={"day": np.arange(4)}, train_indices=[0, 1], test_indices=[2, 3])
    again = pickle.loads(pickle.dumps(data))
    np.testing.assert_array_equal(again.X, data.X)
    assert again.extras["day"].tolist() == [0, 1, 2, 3]
    assert not again.X.flags.writeable
    assert again.has_split


def test_float32_is_kept_and_other_numbers_become_float64():
    assert toy(X=np.zeros((4, 2), dtype=np.float32)).X.dtype == np.float32
    assert toy(X=np.zeros((4, 2), dtype=int)).X.dtype == np.float64


def test_sparse_stays_csr_and_canonical():
    X = sp.coo_matrix(([1.0, 2.0, 3.0], ([0, 0, 3], [1, 1, 0])), shape=(4, 2))
    data = toy(X=X)
    assert data.is_sparse
    assert data.X.format == "csr"
    assert data.X.has_canonical_format
    assert data.X[0, 1] == 3.0


def test_published_split_is_taken_apart_in_order():
    data = toy(train_indices=[0, 1, 2], test_indices=[3], extras={"day": np.arange(4)})
    assert data.has_split
    assert data.train().n_samples == 3
    assert data.test().X.tolist() == [[6.0, 7.0]]
    assert data.test().extras["day"].tolist() == [3]
    assert not data.test().has_split
    with pytest.raises(DataError, match=r"no published train/test split"):
        toy().train()


def test_names_are_made_up_where_there_are_none():
    data = toy()
    assert data.feature_names == ("x1", "x2")
    assert data.class_names == ("0", "1")
    many = toy(y=np.zeros((4, 3)), task="regression")
    assert many.target_names == ("y1", "y2", "y3")
    assert (many.n_targets, many.n_classes) == (3, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(X=np.zeros((0, 2)), y=np.zeros(0)), "0 rows"),
        (dict(X=np.zeros((4, 0))), "0 features"),
        (dict(X=np.zeros(4)), "2-d"),
        (dict(X=np.full((4, 2), np.nan)), "missing or infinite"),
        (dict(X=np.full((4, 2), np.inf)), "missing or infinite"),
        (dict(X=np.array([[1, 2], [3, 1e200], [0, 0], [1, 1]])), r"'x2' holds values up to 1e\+200"),
        (dict(X=sp.csr_matrix([[0, 1e200], [0, 0], [1, 0], [1, 1]])), r"'x2' holds values up to 1e\+200"),
        (dict(X=np.array([[1, 2], [-1e200, 1], [0, 0], [1, 1]])), r"'x1' holds values up to 1e\+200"),
        (dict(X=np.full((4, 2), 1e30, dtype=np.float32)), "too large to square in float32"),
        (dict(y=np.zeros(3)), "4 rows"),
        (dict(y=np.zeros((4, 2))), "one target column"),
        (dict(task="ranking"), "'ranking'"),
        (dict(feature_names=("a",)), "1 names were given for 2"),
    ],
)
def test_nonsense_is_refused(changes, message):
    with pytest.raises(DataError, match=message):
        toy(**changes)


def test_a_table_keeps_its_encoder_until_it_is_encoded():
    import pandas as pd

    from nearkin.datasets import TableEncoder

    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["u", "v", "u"]}, index=[5, 6, 7])
    data = Dataset("t", table, np.array([0, 1, 0]), "classification", ("a", "b"), encoder=TableEncoder())
    part = data.take([2, 0])
    assert part.X["a"].tolist() == [3.0, 1.0]
    assert part.encoded().feature_names == ("a", "b=u")
    assert part.encoded().encoder is None
    assert data.encoded().encoded() is not data
    assert not hasattr(data.encoder, "kinds_")
    np.testing.assert_array_equal(data.take(np.array([True, False, True])).y, [0, 0])
    with pytest.raises(DataError, match=r"for data frames"):
        Dataset("t", np.eye(3), np.array([0, 1, 0]), "classification", encoder=TableEncoder())
