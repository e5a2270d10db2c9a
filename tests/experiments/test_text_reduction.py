"""Documents reduced once per training part."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from nearkin.experiments import text_reduction
from nearkin.experiments.text_reduction import TextReduction


@pytest.fixture
def counts():
    return sparse.random(80, 60, density=0.2, format="csr", random_state=0)


@parametrize_with_checks([TextReduction(2)])
def test_estimator(estimator, check):
    check(estimator)


def test_keeps_inner_products_when_nothing_is_cut_off(counts):
    Z = TextReduction(59).fit(counts).transform(counts)
    assert Z.dtype == np.float32
    full = (counts @ counts.T).toarray()
    assert np.abs(Z @ Z.T - full).max() < 0.05 * full.max()


def test_equal_rows_are_decomposed_once(counts, monkeypatch):
    monkeypatch.setattr(text_reduction, "_fits", type(text_reduction._fits)())
    calls = []
    decompose = TextReduction._decompose
    monkeypatch.setattr(TextReduction, "_decompose", lambda self, X: calls.append(1) or decompose(self, X))
    first = TextReduction(5).fit(counts)
    second = TextReduction(5).fit(counts.copy())
    assert len(calls) == 1
    assert np.array_equal(first.transform(counts), second.transform(counts))
    TextReduction(5).fit(counts[:50])
    TextReduction(6).fit(counts)
    TextReduction(5, weigh_terms=True).fit(counts)
    assert len(calls) == 4


def test_memory_is_bounded(counts, monkeypatch):
    monkeypatch.setattr(text_reduction, "_fits", type(text_reduction._fits)())
    for n_rows in range(20, 40):
        TextReduction(3).fit(counts[:n_rows])
    assert len(text_reduction._fits) == text_reduction.REMEMBERED
