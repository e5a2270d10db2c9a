import pytest

from nearkin.pairwise import search


@pytest.fixture
def searches(monkeypatch):
    """How often pairs were searched for."""
    count = []
    original = search.near_pairs

    def counted(*args, **kwargs):
        count.append(1)
        return original(*args, **kwargs)

    monkeypatch.setattr(search, "near_pairs", counted)
    return count
