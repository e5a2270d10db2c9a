import numpy as np
import pytest

from nearkin.numerics import tall_products
from nearkin.numerics.threads import allowed_workers


@pytest.mark.parametrize("n", [1, 2, 101])
def test_tall_products_do_not_depend_on_the_workers(n):
    rng = np.random.RandomState(0)
    X, Y, B = rng.standard_normal((n, 5)), rng.standard_normal((n, 3)), rng.standard_normal((5, 4))
    with allowed_workers(2, always=True):
        np.testing.assert_allclose(tall_products.tall_product(X, B), X @ B)
        np.testing.assert_allclose(tall_products.tall_inner_product(X, Y), X.T @ Y)
