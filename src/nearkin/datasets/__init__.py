"""Data: known sets by name, files by path, and generators of artificial ones."""

from nearkin.datasets.dataset import Dataset
from nearkin.datasets.encoding import TableEncoder
from nearkin.datasets.errors import DataError, DataNotice, DatasetNotFoundError
from nearkin.datasets.load import DatasetStatus, list_datasets, load_dataset, load_features
from nearkin.datasets.rows import Rows, open_rows
from nearkin.datasets.tables import dataset_from_table

__all__ = [
    "DataError",
    "DataNotice",
    "Dataset",
    "DatasetNotFoundError",
    "DatasetStatus",
    "Rows",
    "TableEncoder",
    "dataset_from_table",
    "list_datasets",
    "load_dataset",
    "load_features",
    "open_rows",
]
