import numpy as np
import pytest

from nearkin.numerics.blocks import ENTRIES_AT_ONCE, blocks


@pytest.mark.parametrize(("n_rows", "per_row", "at_once"), [(0, 3, 9), (7, 3, 9), (7, 0, 9), (5, 100, 1)])
def test_every_row_is_in_one_block_and_blocks_keep_to_their_size(n_rows, per_row, at_once):
    parts = list(blocks(n_rows, per_row, at_once))
    rows = np.concatenate([np.arange(n_rows)[part] for part in parts] or [[]])
    np.testing.assert_array_equal(rows, np.arange(n_rows))
    assert all((part.stop - part.start) * per_row <= max(at_once, per_row) for part in parts)


def test_few_rows_are_one_block():
    assert list(blocks(10, ENTRIES_AT_ONCE // 10)) == [slice(0, 10)]
