"""Finding nearest references: an index has two methods, `build` and `query`."""

from nearkin.search.base import Index
from nearkin.search.bound import BoundIndex
from nearkin.search.exact import ExactIndex
from nearkin.search.faiss import FaissIndex
from nearkin.search.hubness import Hubness, hubness_skewness, k_occurrence
from nearkin.search.neighbours import NeighbourSearch, SearchedOnce, choose_index
from nearkin.search.tree import TreeIndex

__all__ = [
    "BoundIndex",
    "ExactIndex",
    "FaissIndex",
    "Hubness",
    "Index",
    "NeighbourSearch",
    "SearchedOnce",
    "TreeIndex",
    "choose_index",
    "hubness_skewness",
    "k_occurrence",
]
