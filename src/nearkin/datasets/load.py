"""`load_dataset`: a name or a file into a `Dataset`; `list_datasets`: what there is."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nearkin.datasets import openml
from nearkin.datasets.blocks import BlockPolicy, read_blocks
from nearkin.datasets.bundled import bundled_source, load_bundled
from nearkin.datasets.dataset import Dataset
from nearkin.datasets.errors import DataError, DatasetNotFoundError, close_matches
from nearkin.datasets.formats import NPZ_SUFFIX, TABLE_SUFFIXES
from nearkin.datasets.npz import features_of, load_arrays, read_npz
from nearkin.datasets.readers import read_table
from nearkin.datasets.registry import KnownDataset, check_shape, find_known, known_datasets, suggestions
from nearkin.datasets.sources import PACKED_SUFFIXES, STANDARD_INPUT, existing_file, find_source
from nearkin.datasets.tables import dataset_from_table
from nearkin.datasets.vector_sets import read_vector_set
from nearkin.datasets.vectors import VECTOR_SUFFIXES, as_floats, is_vector_source, open_vectors

FOLDER_VARIABLE = "NEARKIN_DATA"
FILE_SUFFIXES = (*TABLE_SUFFIXES, NPZ_SUFFIX, *VECTOR_SUFFIXES, *PACKED_SUFFIXES)


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file: the options of `load_dataset`."""

    target: str | Sequence[str] | None = None
    task: str | None = None
    impute: str | None = None
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    encoding: str = "utf-8"
    header: bool | None = None
    vectors: str | None = None
    labels: str | Path | None = None


@dataclass(frozen=True)
class DatasetStatus:
    """One line of `list_datasets`.

    `available` says from where the set would be loaded: ``folder``, the name of an installed
    package, ``cache``, ``download`` (needs the network), or an empty string; then `how` tells how
    to get it. Sizes are 0 where they are not known.
    """

    name: str
    task: str
    n_samples: int
    n_features: int
    n_classes: int
    n_targets: int
    papers: tuple[str, ...]
    aliases: tuple[str, ...]
    available: str
    how: str
    note: str


def load_dataset(
    name_or_path: str | Path,
    *,
    target: str | Sequence[str] | None = None,
    task: str | None = None,
    impute: str | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    encoding: str = "utf-8",
    header: bool | None = None,
    vectors: str | None = None,
    labels: str | Path | None = None,
    data_dir: str | Path | None = None,
    download: bool = True,
    openml_url: str | None = None,
    cache_dir: str | Path | None = None,
) -> Dataset:
    """Load a known data set by name, or a file of a table or of vectors by path.

    Tables are CSV, JSON lines, Parquet, Feather and ARFF files; vectors are npy, npz, fvecs and HDF5 files
    and the list columns of Parquet, Arrow and JSON lines files (see `datasets.vectors.open_vectors`).

    A name is looked for in the data folder (``$NEARKIN_DATA``), then in installed packages, then
    on OpenML. A set found under a known name must have the known shape.

    Parameters
    ----------
    name_or_path : str or Path
        Known names are listed by `list_datasets`; anything with a file suffix or a slash is a path,
        and ``-`` is standard input. Tables may be packed (.gz, .bz2, .xz, .zip).
    target : str or list of str, optional
        Column(s) to predict: a name, a pattern such as ``Y*``, several separated by commas, or a
        list. Without it, a column called target, class, label or y, else the last one.
    task : {'classification', 'regression'}, optional
        Chosen by the target if not given: text and booleans are classes, fractions are regression,
        whole numbers are classes if they are few or numbered consecutively;
        ``Dataset.task_reason`` says why.
    impute : {'median', 'mean', 'most-frequent', 'knn'}, optional
        What fills missing cells, learnt from training rows (see `TableEncoder`); without it,
        missing cells are an error.
    drop : list of str
        Columns to leave out.
    categorical : list of str
        Numeric columns whose values are codes, to be one-hot like text.
    encoding : str
        Of text files.
    header : bool, optional
        Whether a CSV file begins with column names; detected if not given.
    vectors : str, optional
        The array or the column of lists that holds vectors, one for each row; the target is then the only
        other column that is used.
    labels : str or Path, optional
        A file of labels for vectors, or their array in the same file; `target` may name the latter too.
    data_dir : path, optional
        Instead of ``$NEARKIN_DATA``.
    download : bool
        Whether OpenML may be asked.
    openml_url, cache_dir : optional
        Instead of ``$NEARKIN_OPENML_URL`` and ``$NEARKIN_CACHE``.

    Returns
    -------
    Dataset

    Examples
    --------
    >>> print(load_dataset("iris", data_dir=""))
    iris: 150 rows, 4 features, 3 classes
    """
    options = ReadOptions(target, task, impute, drop, categorical, encoding, header, vectors, labels)
    if _is_path(name_or_path):
        return _load_file(Path(name_or_path), None, options)
    name = str(name_or_path)
    known = find_known(name)
    stored = _in_folder(known.name if known else name, data_dir)
    if stored is not None:
        if known is not None and target is None and task is None:
            options = replace(options, task=known.task)
        data = _load_file(stored, known.name if known else stored.stem, options)
        if known is None or target is not None or drop:
            return data
        return _with_known_names(check_shape(data, known), known)
    if known is None:
        raise DatasetNotFoundError(_unknown_name(name, data_dir))
    package = bundled_source(known)
    if package and (target is not None or drop or categorical or task not in (None, known.task)):
        raise DataError(
            f"{known.name} from {package} is a {known.task} set with fixed columns; leave out target, task, "
            "drop and categorical."
        )
    if package:
        return check_shape(load_bundled(known), known)
    return _load_openml(known, options, download, openml_url, cache_dir)


def _with_known_names(data: Dataset, known: KnownDataset) -> Dataset:
    """The set with the names of its classes, if its file only numbers them."""
    numbers = tuple(str(number) for number in range(1, len(known.class_names) + 1))
    return replace(data, class_names=known.class_names) if numbers and data.class_names == numbers else data


def load_features(
    path: str | Path,
    *,
    vectors: str | None = None,
    encoding: str = "utf-8",
    policy: BlockPolicy | None = None,
) -> Iterator[Any]:
    """Rows to predict for, in blocks: an unencoded table, vectors, or the X of an npz file.

    Parameters
    ----------
    path : path
    vectors : str, optional
        The array, column or field that holds vectors, where there are several or other columns too.
    encoding : str
        Of text files.
    policy : BlockPolicy, optional

    Yields
    ------
    DataFrame, ndarray or csr_matrix
        One, or several of a large table (see `read_blocks`).
    """
    if str(path) != STANDARD_INPUT and (vectors is not None or is_vector_source(Path(path))):
        source = Path(path) if is_vector_source(Path(path)) else existing_file(path)
        yield from _vector_blocks(source, vectors, policy or BlockPolicy())
    elif str(path) != STANDARD_INPUT and existing_file(path).suffix.lower() == NPZ_SUFFIX:
        yield features_of(load_arrays(Path(path)), Path(path).name)
    else:
        yield from read_blocks(path, encoding=encoding, policy=policy)


def _vector_blocks(path: Path, vectors: str | None, policy: BlockPolicy) -> Iterator[Any]:
    array = open_vectors(path, vectors)
    for first in range(0, len(array), policy.rows):
        rows = array[first : first + policy.rows]
        yield as_floats(rows, lambda at, first=first: f"{path.name}: row {first + at + 1}")  # type: ignore[misc]


def list_datasets(
    data_dir: str | Path | None = None, *, cache_dir: str | Path | None = None
) -> list[DatasetStatus]:
    """Every known set and every npz file of the data folder, and where each would come from."""
    lines = [_status(known, data_dir, cache_dir) for known in known_datasets().values()]
    for path in _folder_files(data_dir):
        if find_known(path.stem) is None:
            lines.append(DatasetStatus(path.stem, "", 0, 0, 0, 0, (), (), "folder", str(path), ""))
    return lines


def _status(known: KnownDataset, data_dir, cache_dir) -> DatasetStatus:
    if _in_folder(known.name, data_dir) is not None:
        available = "folder"
    elif bundled_source(known):
        available = str(bundled_source(known))
    elif known.openml is not None:
        available = "cache" if openml.is_cached(known.openml, cache_dir) else "download"
    else:
        available = ""
    return DatasetStatus(
        name=known.name,
        task=known.task,
        n_samples=known.n,
        n_features=known.d,
        n_classes=known.classes,
        n_targets=known.targets or 1,
        papers=known.papers,
        aliases=known.aliases,
        available=available,
        how=known.how_to_get,
        note=known.note,
    )


def _is_path(name_or_path: str | Path) -> bool:
    if isinstance(name_or_path, Path):
        return True
    text = str(name_or_path)
    suffix = Path(text).suffix.lower()
    return text == STANDARD_INPUT or "/" in text or os.sep in text or suffix in FILE_SUFFIXES


def _load_file(path: Path, name: str | None, options: ReadOptions) -> Dataset:
    if options.vectors is not None or options.labels is not None or is_vector_source(path):
        return _load_vectors(path, name, options)
    source = find_source(path)
    if source.suffix == NPZ_SUFFIX:
        if options.drop or options.categorical:
            raise DataError("drop and categorical are for tables with columns, not for npz files.")
        return read_npz(path, name, target=options.target, task=options.task, impute=options.impute)
    return dataset_from_table(
        read_table(path, encoding=options.encoding, header=options.header),
        name or _stem(source.name),
        target=options.target,
        task=options.task,
        impute=options.impute,
        drop=options.drop,
        categorical=options.categorical,
        source=source.name if path == Path(STANDARD_INPUT) else f"file {source.name}",
    )


def _load_vectors(path: Path, name: str | None, options: ReadOptions) -> Dataset:
    if options.drop or options.categorical or options.impute:
        raise DataError("drop, categorical and impute are for tables with columns, not for vectors.")
    if options.labels is not None and options.target is not None:
        raise DataError("give target or labels, not both: they mean the same.")
    target = options.target
    if target is not None and not isinstance(target, str):
        raise DataError(f"vectors are read with one target, not with {len(target)}.")
    return read_vector_set(
        path, name, vectors=options.vectors, labels=options.labels or target, task=options.task
    )


def _stem(name: str) -> str:
    """The file's name without the suffixes of format and packing."""
    path = Path(name)
    return Path(path.stem).stem if path.suffix.lower() in PACKED_SUFFIXES else path.stem


def _load_openml(known: KnownDataset, options: ReadOptions, download: bool, url, cache) -> Dataset:
    get_it = (
        f"To get {known.name}: {known.how_to_get}. Then put {known.name}.npz (arrays X and y) into a folder "
        f"and set {FOLDER_VARIABLE} to it, or give the path of your own copy."
    )
    if known.openml is None:
        raise DatasetNotFoundError(f"{known.name} is known but not on this machine, nor on OpenML. {get_it}")
    if not download and not openml.is_cached(known.openml, cache):
        raise DatasetNotFoundError(
            f"{known.name} is not on this machine and downloading is switched off. {get_it}"
        )
    try:
        table, default_targets = openml.fetch_openml_table(known.openml, url=url, cache=cache)
    except DataError as error:
        raise DatasetNotFoundError(f"{known.name} is not on this machine. {error} {get_it}") from error
    target = options.target or known.openml_target or default_targets or None
    expected = known.openml_shape or (known.n, known.d)
    if options.target is None and known.openml_missing == "drop":
        _check_raw_rows(table, expected, known)
        table = table.dropna(ignore_index=True)
    data = dataset_from_table(
        table,
        known.name,
        target=target,
        task=options.task or known.task,
        impute=options.impute or ("median" if known.openml_missing == "median" else None),
        drop=options.drop,
        categorical=options.categorical,
        source=f"OpenML {known.openml}",
    )
    if options.target is not None or options.drop:
        return data
    return _check_openml(data, expected, known)


def _check_raw_rows(table, expected: Sequence[int], known: KnownDataset) -> None:
    if expected[0] and len(table) != expected[0]:
        raise DataError(
            f"OpenML {known.openml} is not the expected version of {known.name}: expected {expected[0]} rows "
            f"but found {len(table)}."
        )


def _check_openml(data: Dataset, expected: Sequence[int], known: KnownDataset) -> Dataset:
    """Check the declared shape; if OpenML's table differs, its columns before one-hot encoding count."""
    if not known.openml_shape:
        return check_shape(data, known)
    if data.n_features != expected[1] or (known.openml_missing != "drop" and data.n_samples != expected[0]):
        raise DataError(
            f"OpenML {known.openml} is not the expected version of {known.name}: expected {expected[0]} rows "
            f"and {expected[1]} columns but found {data.n_samples} and {data.n_features}."
        )
    return data


def _folder(data_dir: str | Path | None) -> Path | None:
    given = os.environ.get(FOLDER_VARIABLE, "") if data_dir is None else str(data_dir)
    if not given:
        return None
    folder = Path(given).expanduser()
    if not folder.is_dir():
        raise DataError(f"the data folder {str(folder)!r} ({FOLDER_VARIABLE}) does not exist.")
    return folder


def _folder_files(data_dir: str | Path | None) -> list[Path]:
    folder = _folder(data_dir)
    return [] if folder is None else sorted(folder.glob("*" + NPZ_SUFFIX))


def _in_folder(name: str, data_dir: str | Path | None) -> Path | None:
    folder = _folder(data_dir)
    if folder is None or Path(name).name != name:
        return None
    candidates = [folder / (name + suffix) for suffix in (NPZ_SUFFIX, ".csv", ".parquet", ".arff")]
    return next((path for path in candidates if path.is_file()), None)


def _unknown_name(name: str, data_dir: str | Path | None) -> str:
    hint = suggestions(name) or close_matches(name, [path.stem for path in _folder_files(data_dir)])
    if Path(name).is_dir():
        hint += f" {name!r} is a folder here; name a file in it."
    elif Path(name).exists():
        hint += (
            f" The file {name!r} here has none of the suffixes {', '.join(FILE_SUFFIXES)}; save it as CSV."
        )
    return (
        f"no data set is called {name!r}.{hint} Known sets are listed by `nearkin datasets`; a file is "
        "given with its suffix, as in data.csv."
    )
