"""No loss may hold anything of n x n: at 20,000 rows even one byte per pair would be 400 MB."""

import tracemalloc

import numpy as np
import pytest

from nearkin.losses import LargeMarginLoss, MEGMLoss, NCALoss, soft_neighbours

N = 20_000


def peak_of(function) -> int:
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("sharp", [True, False], ids=["near pairs", "full blocks"])
@pytest.mark.parametrize(
    "loss", [NCALoss(), LargeMarginLoss(), MEGMLoss(2)], ids=lambda loss: type(loss).__name__
)
def test_memory_stays_far_below_a_byte_per_pair(loss, sharp, monkeypatch):
    rng = np.random.RandomState(0)
    y = np.arange(N) % 5
    Z = rng.standard_normal((N, 2)).astype(np.float32)
    scale = 200.0 if sharp else 0.5
    if not sharp:
        # A start so small that everything is near everything.
        monkeypatch.setattr(soft_neighbours, "LARGEST_LISTED", 1_000)
    state = loss.prepare(Z, y, start=Z)
    assert peak_of(lambda: loss.value_and_grad(scale * Z, state)) < N * N / 4
