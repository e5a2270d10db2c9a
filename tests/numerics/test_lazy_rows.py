import numpy as np
import pytest

from nearkin.numerics.lazy_rows import is_lazy, refuse_lazy


def test_arrays_are_not_lazy():
    assert not is_lazy(np.ones((2, 2)))
    refuse_lazy([[1.0]], "NCA")


def test_dask_collections_are():
    da = pytest.importorskip("dask.array")
    assert is_lazy(da.ones((2, 2)))
    with pytest.raises(TypeError, match=r"NCA .*fit_sample"):
        refuse_lazy(da.ones((2, 2)), "NCA")
