"""Vector databases and files: stored vectors moved beside the raw ones, for better answers to raw queries.

The only room that imports database clients, and each of them only when its store is opened.
"""

from nearkin.stores.base import Block, MoveRecord, StoreError, VectorStore
from nearkin.stores.databases import CheckReport, MoveReport, check_moved, fit_labelled, move_rows
from nearkin.stores.files import FilePolicy, move_file, radius_of
from nearkin.stores.lance import LanceStore
from nearkin.stores.mover import Mover
from nearkin.stores.pgvector import PgVectorStore
from nearkin.stores.qdrant import QdrantStore

__all__ = [
    "Block",
    "CheckReport",
    "FilePolicy",
    "LanceStore",
    "MoveRecord",
    "MoveReport",
    "Mover",
    "PgVectorStore",
    "QdrantStore",
    "StoreError",
    "VectorStore",
    "check_moved",
    "fit_labelled",
    "move_file",
    "move_rows",
    "radius_of",
]
