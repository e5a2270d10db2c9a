import numpy as np
import pytest

from nearkin.scale.sums import added_up


@pytest.mark.parametrize("n", range(1, 20))
def test_every_part_is_added_once_in_order(n):
    assert added_up((chr(97 + i) for i in range(n)), lambda a, b: a + b) == "".join(
        chr(97 + i) for i in range(n)
    )


def test_few_parts_are_held():
    alive = set()

    class Part:
        def __init__(self):
            alive.add(id(self))
            self.most = len(alive)

        def __del__(self):
            alive.discard(id(self))

    def parts():
        for _ in range(500):
            yield Part()
            assert len(alive) <= 12

    added_up(parts(), lambda a, b: Part())


def test_rounding_stays_small():
    values = np.full(2**16, 0.1, dtype=np.float32)
    assert added_up(iter(values), lambda a, b: a + b) == pytest.approx(6553.6, rel=1e-6)
    assert abs(np.add.accumulate(values)[-1] - 6553.6) > 1  # one after the other loses digits


def test_nothing_to_add_is_an_error():
    with pytest.raises(ValueError, match="no rows"):
        added_up([], max)
