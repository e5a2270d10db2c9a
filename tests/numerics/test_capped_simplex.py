"""Projection onto the capped simplex against its optimality conditions and against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nearkin.numerics.capped_simplex import lowest_mean, project_capped_simplex


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(1, 60),
    nu=st.floats(0.05, 1.0),
    spread=st.sampled_from([1e-9, 1e-3, 1.0, 1e6]),
)
def test_projection_meets_its_optimality_conditions(seed, size, nu, spread):
    v = spread * np.random.default_rng(seed).normal(size=size).round(2)
    cap = 1 / (nu * size)
    a, shift = project_capped_simplex(v, cap)
    assert a.sum() == pytest.approx(1, abs=1e-9 * max(1, spread))
    assert a.min() >= 0
    assert a.max() <= cap * (1 + 1e-12)
    # a is the clipped shift of v: exactly the condition for the nearest point.
    assert np.allclose(a, np.clip(v + shift, 0, cap), atol=1e-12 * max(1, spread))


def test_projection_is_nearest_among_feasible_points():
    random = np.random.default_rng(0)
    v, cap = random.normal(size=5), 0.4
    a, _ = project_capped_simplex(v, cap)
    others = random.dirichlet(np.ones(5), size=4000)
    others = others[others.max(axis=1) <= cap]
    assert len(others) > 100
    assert (((others - v) ** 2).sum(axis=1) >= ((a - v) ** 2).sum() - 1e-12).all()


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 40), nu=st.floats(0.01, 1.0))
def test_lowest_mean_is_the_least_over_the_capped_simplex(seed, size, nu):
    values = np.random.default_rng(seed).normal(size=size).round(1)
    cap = min(1.0, 1 / (nu * size))
    left, expected = 1.0, 0.0
    for value in np.sort(values):
        share = min(cap, left)
        expected += share * value
        left -= share
    assert lowest_mean(values, nu) == pytest.approx(expected, abs=1e-9)
