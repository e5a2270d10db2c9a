"""The engine room: near pairs of rows are searched, listed, kept and weighed here; see README.md."""

from nearkin.pairwise.impostors import Impostors
from nearkin.pairwise.policy import ListPolicy, SoftPolicy
from nearkin.pairwise.row_blocks import row_block_gradient
from nearkin.pairwise.soft_neighbours import SoftNeighbours

__all__ = [
    "Impostors",
    "ListPolicy",
    "SoftNeighbours",
    "SoftPolicy",
    "row_block_gradient",
]
