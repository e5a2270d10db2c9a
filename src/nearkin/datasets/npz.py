"""npz files of plain arrays: dense or sparse features, one labelling or many targets, splits."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from nearkin.datasets.dataset import CLASSIFICATION, Dataset
from nearkin.datasets.errors import DataError, close_matches, shortened
from nearkin.datasets.sources import existing_file
from nearkin.datasets.tables import table_features
from nearkin.datasets.targets import ASKED_FOR, check_task, choose_targets, task_of_array

_SPLIT_KEYS = ("X_train", "X_test")
_CSR_KEYS = ("X_data", "X_indices", "X_indptr", "X_shape")
_NAMING_KEYS = ("feature_names", "target_names", "class_names", "vocab", "n_train", "train_mask")
_LAYOUT_KEYS = {
    "X",
    "y",
    "Y",
    "y_train",
    "y_test",
    "Y_train",
    "Y_test",
    *_SPLIT_KEYS,
    *_CSR_KEYS,
    *_NAMING_KEYS,
}


def read_npz(
    path: str | Path,
    name: str | None = None,
    *,
    target: str | Sequence[str] | None = None,
    task: str | None = None,
    impute: str | None = None,
) -> Dataset:
    """A `Dataset` from an npz file; pickled objects inside are refused, never loaded.

    Understood keys: ``X`` with ``y`` (labels or one real target) or ``Y`` (many targets);
    ``X_train, y_train, X_test, y_test`` for a published split; CSR parts ``X_data, X_indices,
    X_indptr, X_shape``, with ``n_train`` if the first rows are the training part; ``train_mask``;
    ``feature_names`` (or ``vocab``), ``class_names``, ``target_names``. Every other array is kept
    in `Dataset.extras`, and one with a value per row may be chosen with `target`.
    """
    path = existing_file(path)
    name = name or path.stem
    arrays = load_arrays(path)
    X = features_of(arrays, path.name)
    check_task(task)
    y, target_names = _chosen_target(arrays, X.shape[0], path.name, target)
    task, reason = (task, ASKED_FOR) if task else task_of_array(y, target_names[0] if target_names else "y")
    names = _names(arrays, X.shape[1])
    X, encoder = (X, None) if sp.issparse(X) else _with_encoder(X, names, impute, path.name)
    train, test = _split(arrays, X.shape[0], path.name)
    classes = _class_names(arrays, y, task, target)
    return Dataset(
        name=name,
        X=X,
        y=y,
        task=task,
        task_reason=reason,
        feature_names=names,
        target_names=target_names,
        class_names=classes,
        train_indices=train,
        test_indices=test,
        source=f"file {path.name}",
        encoder=encoder,
        extras={key: value for key, value in arrays.items() if key not in _LAYOUT_KEYS},
    )


def load_arrays(path: Path) -> dict[str, np.ndarray]:
    """All arrays of an npz file, refusing Python objects and damaged archives."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if isinstance(archive, np.ndarray):
                raise DataError(
                    f"{path.name} is a single array, not an npz file; save X and y with np.savez."
                )
            return {key: archive[key] for key in archive.files}
    except (
        ValueError,
        OSError,
        EOFError,
        KeyError,
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
    ) as error:
        if isinstance(error, DataError):
            raise
        if "pickle" in str(error).lower():
            raise DataError(
                f"{path.name} holds pickled Python objects, which could run code when loaded; they are "
                "refused. Save plain number and text arrays instead."
            ) from error
        raise DataError(f"{path.name} is not a sound npz file (damaged or cut short): {error}") from error


def features_of(arrays: dict[str, np.ndarray], file: str) -> np.ndarray | sp.csr_matrix:
    """The feature matrix of an npz file; small integers become float32, other non-floats float64."""
    if all(key in arrays for key in _SPLIT_KEYS):
        parts = [_checked_matrix(arrays[key], key, file) for key in _SPLIT_KEYS]
        if parts[0].shape[1] != parts[1].shape[1]:
            raise DataError(f"{file}: X_train has {parts[0].shape[1]} columns, X_test {parts[1].shape[1]}.")
        return np.vstack(parts)
    if all(key in arrays for key in _CSR_KEYS):
        try:
            shape = tuple(int(size) for size in arrays["X_shape"])
            X = sp.csr_matrix((arrays["X_data"], arrays["X_indices"], arrays["X_indptr"]), shape=shape)
            X.check_format(full_check=True)
        except (ValueError, TypeError) as error:
            raise DataError(f"{file}: the sparse parts do not fit together: {error}") from error
        return X
    if "X" in arrays:
        return _checked_matrix(arrays["X"], "X", file)
    raise DataError(
        f"{file} has no features: there is no array X, nor X_train and X_test, nor X_data, X_indices, "
        f"X_indptr and X_shape. It holds {shortened(arrays) or 'nothing'}."
    )


def _checked_matrix(X: np.ndarray, key: str, file: str) -> np.ndarray:
    if X.ndim != 2:
        raise DataError(f"{file}: {key} must be a table (2-d), but it has shape {X.shape}.")
    if X.dtype.kind not in "fiub":
        raise DataError(f"{file}: {key} must hold numbers, but it holds {X.dtype}.")
    if X.dtype in (np.float32, np.float64):
        return X
    return X.astype(np.float32 if X.dtype.itemsize <= 2 else np.float64)


def _chosen_target(arrays, n_rows: int, file: str, target) -> tuple[np.ndarray, tuple[str, ...]]:
    """Values and names: the file's own target, other columns of Y, or another array."""
    own = _own_target(arrays, file)
    names: tuple[str, ...] = ()
    if own is not None and own.ndim == 2:
        given = arrays.get("target_names")
        names = (
            tuple(map(str, given)) if given is not None else tuple(f"y{i + 1}" for i in range(own.shape[1]))
        )
    per_row = {k: v for k, v in arrays.items() if k not in _LAYOUT_KEYS and v.shape == (n_rows,)}
    if isinstance(target, str) and target in per_row:
        own, names = per_row[target], (target,)
    elif target is not None and own is not None and names:
        wanted = choose_targets(names, target)
        own, names = own[:, [names.index(name) for name in wanted]], tuple(wanted)
        own = own[:, 0] if len(names) == 1 else own
    elif target not in (None, "y"):
        known = [*(["y"] if own is not None else []), *per_row]
        raise DataError(
            f"{file} has no target {target!r}.{close_matches(str(target), known)} It has {shortened(known)}."
        )
    if own is None:
        raise DataError(f"{file} has no target: there is no array y or Y. It holds {shortened(arrays)}.")
    _refuse_bad_target(own, n_rows, file)
    return own, names


def _own_target(arrays, file: str) -> np.ndarray | None:
    for letter in "yY":
        parts = (f"{letter}_train", f"{letter}_test")
        if all(key in arrays for key in parts) and all(key in arrays for key in _SPLIT_KEYS):
            for key, X_key in zip(parts, _SPLIT_KEYS):
                if len(arrays[key]) != len(arrays[X_key]):
                    raise DataError(
                        f"{file}: {X_key} has {len(arrays[X_key])} rows but {key} {len(arrays[key])}."
                    )
            return np.concatenate([arrays[key] for key in parts])
        if letter in arrays:
            return arrays[letter]
    return None


def _refuse_bad_target(y: np.ndarray, n_rows: int, file: str) -> None:
    if y.ndim not in (1, 2) or y.shape[0] != n_rows:
        raise DataError(f"{file}: X has {n_rows} rows but the target has shape {y.shape}.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise DataError(f"{file}: the target has missing or infinite values; remove those rows.")


def _names(arrays, n_features: int) -> tuple[str, ...]:
    for key in ("feature_names", "vocab"):
        if key in arrays and arrays[key].shape == (n_features,):
            return tuple(map(str, arrays[key]))
    return tuple(f"x{i + 1}" for i in range(n_features))


def _with_encoder(X: np.ndarray, names, impute, file: str):
    """X itself and no encoder or, if missing cells are to be filled, a table and its encoder."""
    import pandas as pd

    if impute is None and np.isfinite(X).all():
        return X, None
    try:
        return table_features(pd.DataFrame(X, columns=list(names)), impute=impute)
    except DataError as error:
        raise DataError(f"{file}: {error}") from error


def _split(arrays, n_rows: int, file: str):
    rows = np.arange(n_rows)
    if all(key in arrays for key in _SPLIT_KEYS):
        n_train = len(arrays["X_train"])
    elif "n_train" in arrays:
        n_train = int(arrays["n_train"])
    elif "train_mask" in arrays:
        mask = arrays["train_mask"].astype(bool)
        if mask.shape != (n_rows,):
            raise DataError(f"{file}: train_mask has shape {mask.shape} for {n_rows} rows.")
        return rows[mask], rows[~mask]
    else:
        return None, None
    if not 0 < n_train < n_rows:
        raise DataError(f"{file}: a training part of {n_train} out of {n_rows} rows makes no sense.")
    return rows[:n_train], rows[n_train:]


def _class_names(arrays, y: np.ndarray, task: str, target) -> tuple[str, ...]:
    """The file's class names, when its labels are their positions 0..C-1."""
    given = arrays.get("class_names")
    if task != CLASSIFICATION or given is None or target not in (None, "y") or y.dtype.kind not in "iu":
        return ()
    return tuple(map(str, given)) if np.array_equal(np.unique(y), np.arange(len(given))) else ()
