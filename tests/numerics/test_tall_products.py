import numpy as np
import pytest

from nearkin.numerics import tall_products


@pytest.mark.parametrize("n", [1, 2, 101])
def test_tall_products_do_not_depend_on_the_workers(monkeypatch, n):
    rng = np.random.RandomState(0)
    X, Y, B = rng.standard_normal((n, 5)), rng.standard_normal((n, 3)), rng.standard_normal((5, 4))
    monkeypatch.setattr(tall_products, "worker_count", lambda _: 2)
    np.testing.assert_allclose(tall_products.tall_product(X, B), X @ B)
    np.testing.assert_allclose(tall_products.tall_inner_product(X, Y), X.T @ Y)
