import numpy as np
import pytest
from numba import njit

from nearkin.numerics.fast_exp import exp


@njit(fastmath=True)
def exp_all(values):
    """The function inside compiled code, as the engine room calls it."""
    out = np.empty_like(values)
    for i in range(values.size):
        out[i] = exp(values[i])
    return out


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-5), (np.float64, 1e-14)])
def test_agrees_with_numpy(dtype, tolerance):
    x = -np.linspace(0, 80, 10_001).astype(dtype)
    np.testing.assert_allclose(exp_all(x), np.exp(x.astype(np.float64)), rtol=tolerance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_below_zero_is_tiny_and_never_garbage(dtype):
    values = exp_all(np.array([-1e3, -1e6, -1e30], dtype=dtype))
    assert (values >= 0).all()
    assert (values < 1e-37).all()
