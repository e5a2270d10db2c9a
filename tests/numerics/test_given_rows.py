"""Rows as people hold them are widened, checked, and refused with the place of what is wrong."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

from nearkin.numerics.given_rows import checked_rows, widened


class Tensor:
    """What NumPy sees of a tensor of another library: a dtype that is not its own, and `__array__`."""

    def __init__(self, values, dtype="torch.float32"):
        self.values, self.dtype = values, dtype

    def __array__(self, dtype=None, copy=None):
        if self.dtype == "torch.bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values

    def float(self):
        return Tensor(self.values.astype(np.float32))


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.uint8, np.int16, bool])
def test_narrow_numbers_become_float32(dtype):
    rows = np.array([[1, 0], [0, 1]], dtype=dtype)
    for given in (rows, sparse.csr_array(rows) if dtype != np.float16 else rows):
        found = checked_rows(given)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found.toarray() if sparse.issparse(found) else found, rows)


def test_floats_are_not_copied():
    for dtype in (np.float32, np.float64):
        rows = np.ones((3, 2), dtype=dtype)
        assert checked_rows(rows) is rows


def test_tensors_keep_their_precision():
    rows = np.ones((3, 2), dtype=np.float32)
    assert widened(Tensor(rows)).dtype == np.float32
    assert widened(Tensor(rows, "torch.bfloat16")).dtype == np.float32
    assert widened(Tensor(rows.astype(np.float64), "torch.float64")).dtype == np.float64


def test_wide_integers_and_lists_become_float64():
    assert checked_rows([[1, 2]]).dtype == np.float64
    assert checked_rows(np.array([[2**40]])).dtype == np.float64


def test_what_is_wrong_is_told_with_its_row():
    rows = np.zeros((9, 4))
    rows[7, 2] = np.inf
    with pytest.raises(ValueError, match="queries has an infinity in row 7, column 2"):
        checked_rows(rows, what="queries")
    rows[5, 1] = np.nan
    with pytest.raises(ValueError, match="NaN in row 5, column 1"):
        checked_rows(sparse.csr_array(rows))
    with pytest.raises(ValueError, match="4 columns, but the distance was learned on 3"):
        checked_rows(np.zeros((9, 4)), 3)
    with pytest.raises(ValueError, match=r"shape \(4,\)"):
        checked_rows(np.zeros(4))
    with pytest.raises(ValueError, match="must hold numbers"):
        checked_rows(np.array([["a"]]))


def test_large_but_finite_rows_are_fine():
    rows = np.full((4, 2), 1e308)
    assert checked_rows(rows) is rows


def test_public_calls_name_the_row_that_is_wrong():
    from nearkin import RCA, KNNClassifier, MoveLabeled
    from nearkin.stores import Mover

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)).astype(np.float32), np.arange(40) % 2
    holed, endless = X.copy(), X.copy()
    holed[7, 2], endless[5, 0] = np.nan, np.inf
    move, rca, knn = MoveLabeled().fit(X, y), RCA().fit(X, y), KNNClassifier().fit(X, y)
    calls = [move.move, rca.transform, knn.predict, knn.kneighbors, Mover(move), rca.distance_.embed_queries]
    calls += [partial(learner.fit, y=y) for learner in (RCA(), MoveLabeled(), KNNClassifier())]
    for call in calls:
        with pytest.raises(ValueError, match="a NaN in row 7, column 2"):
            call(holed)
        with pytest.raises(ValueError, match="an infinity in row 5, column 0"):
            call(endless)
    for call in calls[:6]:
        with pytest.raises(ValueError, match="2"):
            call(X[:, :2])
        with pytest.raises((ValueError, TypeError)):
            call(np.array([["a", "b", "c"]]))
