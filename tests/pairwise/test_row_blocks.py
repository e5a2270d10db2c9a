import numpy as np

from nearkin.numerics.threads import allowed_workers
from nearkin.pairwise import ListPolicy, row_block_gradient

SMALL_BLOCKS = ListPolicy(block_bytes=1)


def cubes(G, first, norms):
    """E = sum of D^3 / 3, so that the weights are D^2."""
    D = norms[first : first + len(G), None] + norms - 2 * G
    np.square(D, out=G)
    return float((D**3).sum() / 3)


def test_agrees_with_the_definition():
    Z = np.random.RandomState(0).standard_normal((90, 3))
    value, dZ = row_block_gradient(Z, cubes, policy=SMALL_BLOCKS)
    differences = Z[:, None] - Z[None]
    D = (differences**2).sum(axis=2)
    np.testing.assert_allclose(value, (D**3).sum() / 3)
    np.testing.assert_allclose(dZ, 4 * np.einsum("ij,ijc->ic", D**2, differences))


def test_several_workers_give_the_same():
    Z = np.random.RandomState(0).standard_normal((90, 3))
    alone = row_block_gradient(Z, cubes)
    # So few rows would be left to one worker.
    with allowed_workers(3, always=True):
        together = row_block_gradient(Z, cubes, policy=SMALL_BLOCKS)
    np.testing.assert_allclose(together[0], alone[0])
    np.testing.assert_allclose(together[1], alone[1], rtol=1e-10, atol=1e-10)
