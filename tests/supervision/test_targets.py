import numpy as np
import pytest
from scipy.spatial.distance import cdist

from nearkin.supervision.targets import target_neighbours


def test_targets_are_the_nearest_of_the_class():
    rng = np.random.RandomState(0)
    X, codes = rng.standard_normal((60, 3)), rng.randint(3, size=60)
    targets = target_neighbours(X, codes, 4)
    D = cdist(X, X)
    D[codes[:, None] != codes] = np.inf
    np.fill_diagonal(D, np.inf)
    np.testing.assert_array_equal(targets, np.argsort(D, axis=1)[:, :4])


def test_columns_no_class_can_fill_are_not_made():
    assert target_neighbours(np.arange(5.0)[:, None], np.array([0, 0, 0, 1, 1]), 10).shape == (5, 2)


@pytest.mark.parametrize("n_targets", [0, -1, 1.5, "3"])
def test_impossible_numbers_are_refused(n_targets):
    with pytest.raises(ValueError, match="n_targets"):
        target_neighbours(np.zeros((4, 1)), np.array([0, 0, 1, 1]), n_targets)
