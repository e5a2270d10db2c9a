"""A `Dataset` from a file of vectors, with labels from the same file or from another."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from nearkin.datasets.dataset import Dataset
from nearkin.datasets.errors import DataError
from nearkin.datasets.formats import NPY_SUFFIX, VECS_DTYPES
from nearkin.datasets.targets import ASKED_FOR, check_task, task_of_array
from nearkin.datasets.vectors import as_floats, open_array, open_vectors

_TEXT_SUFFIXES = (".txt", ".csv", ".tsv")


def read_vector_set(
    path: str | Path,
    name: str | None = None,
    *,
    vectors: str | None = None,
    labels: str | Path | None = None,
    task: str | None = None,
) -> Dataset:
    """Vectors, and what to predict from them.

    Parameters
    ----------
    path : str or Path
        See `open_vectors`.
    name : str, optional
        Of the set; the stem of the file by default.
    vectors : str, optional
        The array, column or field of the vectors; needed where there are several.
    labels : str or Path
        A file (npy or any other that `open_array` reads, or text with a label on each line), or the
        array, column or field of `path` that holds them.
    task : {'classification', 'regression'}, optional

    Notes
    -----
    Narrow numbers become float32 in memory; float32 and float64 files of plain arrays stay on disk until
    their rows are used.
    """
    path = Path(path)
    check_task(task)
    X = as_floats(open_vectors(path, vectors), lambda at: f"{path.name}: row {at + 1}")
    if labels is None:
        raise DataError(
            f"{path.name} holds vectors, but what is to be predicted from them? Name a file of labels "
            "(labels=..., on the command line --labels) or the column that holds them."
        )
    y, where = read_labels(path, labels)
    if y.ndim not in (1, 2) or len(y) != len(X):
        raise DataError(f"{path.name} has {len(X)} vectors, but the labels of {where} have shape {y.shape}.")
    y = _without_gaps(y, where)
    task, reason = (task, ASKED_FOR) if task else task_of_array(y, "labels")
    return Dataset(
        name=name or path.stem,
        X=X,
        y=y,
        task=task,
        task_reason=reason,
        target_names=(str(labels) if where == path.name else "label",),
        source=f"file {path.name}",
    )


def read_labels(path: Path, labels: str | Path) -> tuple[np.ndarray, str]:
    """Labels of the vectors in `path` and the name of the file that they are in: another one, or the same."""
    other = Path(labels)
    if not other.suffix or not other.is_file():
        if path.suffix.lower() in (NPY_SUFFIX, *VECS_DTYPES):
            raise DataError(f"there is no file of labels {str(labels)!r}.")
        return _one_column(open_array(path, str(labels))), path.name
    if other.suffix.lower() in _TEXT_SUFFIXES:
        lines = other.read_text(encoding="utf-8-sig").splitlines()
        return np.array([line.strip() for line in lines if line.strip()]), other.name
    return _one_column(open_array(other)), other.name


def _one_column(found: np.ndarray) -> np.ndarray:
    """A column of one value per row is what ivecs and some arrays hold."""
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found


def _without_gaps(y: np.ndarray, where: str) -> np.ndarray:
    if y.dtype.kind == "S":  # as HDF5 keeps text of one length
        y = _decoded(y, where)
    if y.dtype.kind == "O":
        gaps = np.array([item is None or item != item for item in y])
        y = y.astype(str) if not gaps.any() else y
    else:
        gaps = (
            ~np.isfinite(y).reshape(len(y), -1).all(axis=1) if y.dtype.kind == "f" else np.zeros(len(y), bool)
        )
    if gaps.any():
        raise DataError(f"{where}: row {int(np.argmax(gaps)) + 1} has no label; take such rows out.")
    return np.array(y)


def _decoded(y: np.ndarray, where: str) -> np.ndarray:
    try:
        return np.char.decode(y, "utf-8")
    except UnicodeDecodeError as error:
        at = next(
            number for number, label in enumerate(y) if label.decode("utf-8", "replace").encode() != label
        )
        raise DataError(
            f"{where}: the label of row {at + 1} is not UTF-8 text ({bytes(y[at])!r}); re-encode it, for "
            "instance by np.char.decode(labels, 'latin-1')."
        ) from error
