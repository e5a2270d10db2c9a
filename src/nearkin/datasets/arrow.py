"""Parquet and Arrow (Feather) files as pandas tables; they need pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nearkin.datasets.errors import DataError, refuse_duplicates

if TYPE_CHECKING:
    import pandas as pd


def read_arrow(raw: bytes, name: str, *, parquet: bool) -> pd.DataFrame:
    """A table from the bytes of a Parquet file, or of an Arrow file or stream."""
    try:
        import pyarrow
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise DataError(
            f"reading {name} needs pyarrow: pip install 'nearkin[data]', or save the table as CSV."
        ) from error
    buffer = pyarrow.BufferReader(raw)
    try:
        if parquet:
            table = pyarrow.parquet.read_table(buffer)
        elif raw.startswith(b"ARROW1"):
            table = pyarrow.ipc.open_file(buffer).read_all()
        else:
            table = pyarrow.ipc.open_stream(buffer).read_all()
        refuse_duplicates([str(column) for column in table.column_names], name)
        frame = table.to_pandas()
    except (pyarrow.ArrowException, OSError) as error:
        kind = "Parquet" if parquet else "Arrow"
        raise DataError(f"{name} is not a sound {kind} file (damaged or cut short): {error}") from error
    frame.columns = [str(column) for column in frame.columns]
    return frame.reset_index(drop=True)
