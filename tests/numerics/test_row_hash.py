import numpy as np

from nearkin.numerics.row_hash import lowest_per_class, row_hash


def test_hashes_look_random_and_never_collide():
    hashes = row_hash(np.arange(100_000))
    assert len(np.unique(hashes)) == 100_000
    bits = np.unpackbits(hashes.view(np.uint8)).reshape(-1, 64)
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.01
    assert abs(np.corrcoef(hashes[:-1].astype(float), hashes[1:].astype(float))[0, 1]) < 0.02
    assert not np.array_equal(hashes, row_hash(np.arange(100_000), seed=1))


def test_hashes_are_the_same_for_ever():
    # Models are refitted by later versions: their candidates should stay the same rows. splitmix64, seed 0.
    assert [hex(int(h)) for h in row_hash(np.array([0, 1]))] == ["0xe220a8397b1dcdaf", "0x910a2dec89025cc1"]


def test_lowest_of_each_class():
    rng = np.random.default_rng(0)
    codes, hashes = rng.integers(0, 4, 300), row_hash(np.arange(300))
    quotas = np.array([3, 0, 500, 10])
    chosen = lowest_per_class(codes, hashes, quotas)
    for code, quota in enumerate(quotas):
        mine = np.flatnonzero(codes == code)
        expected = mine[np.argsort(hashes[mine])[:quota]]
        np.testing.assert_array_equal(np.sort(expected), chosen[codes[chosen] == code])
    assert lowest_per_class(codes[:0], hashes[:0], 3).size == 0
