import pytest

from nearkin.numerics import near_pair_search


@pytest.fixture
def searches(monkeypatch):
    """How often pairs were searched for."""
    count = []
    search = near_pair_search.near_pairs

    def counted(*args, **kwargs):
        count.append(1)
        return search(*args, **kwargs)

    monkeypatch.setattr(near_pair_search, "near_pairs", counted)
    return count
