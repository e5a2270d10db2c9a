"""What distances say of themselves in a notebook."""

import numpy as np

from nearkin.distances.display import described


def test_numbers_are_short_whatever_their_type():
    assert described(np.float64(0.9486832980505138)) == described(0.9486832980505138) == "0.9487"
    assert described(np.zeros((2, 3))) == "2 × 3 float64"
    assert described("softmax") == "'softmax'"
