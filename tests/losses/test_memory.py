"""No loss may hold anything of n x n: at 20,000 rows even one byte per pair would be 400 MB."""

import tracemalloc

import numpy as np
import pytest

from nearkin.losses import LargeMarginLoss, MEGMLoss, NCALoss

N = 40_000


def peak_of(function) -> int:
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("loss", "scale"),
    [
        pytest.param(NCALoss(), 200.0, id="NCA, near pairs"),
        pytest.param(LargeMarginLoss(), 200.0, id="large margin, near pairs"),
        pytest.param(MEGMLoss(2), 200.0, id="MEGM, near pairs"),
        # A start so small that everything is near everything.
        pytest.param(NCALoss(), 0.1, id="NCA, full blocks"),
        pytest.param(LargeMarginLoss(1), 0.1, id="large margin, full blocks"),
    ],
)
def test_memory_stays_far_below_a_byte_per_pair(loss, scale):
    rng = np.random.RandomState(0)
    Z = rng.standard_normal((N, 2)).astype(np.float32)
    state = loss.prepare(Z, np.arange(N) % 5, start=Z)
    assert peak_of(lambda: loss.value_and_grad(scale * Z, state)) < N * N / 4
