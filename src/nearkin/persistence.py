"""Fitted models on disk, in a file that cannot run code when it is read.

A model file is a zip archive of two members: ``nearkin.json`` says what the model is, which versions
wrote it and which features it expects; ``estimator.skops`` holds the estimator as arrays and JSON in
the format of skops. Reading it creates only nearkin's own classes and those of scikit-learn, NumPy
and SciPy that skops vouches for; anything else in the file is refused before it is touched.
"""

from __future__ import annotations

import importlib
import inspect
import io
import json
import platform
import warnings
import zipfile
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.base import BaseEstimator

from nearkin._types import Estimator, FilePath
from nearkin.files import replacing

FORMAT = 1
DESCRIPTION = "nearkin.json"
ESTIMATOR = "estimator.skops"

# Rooms whose classes may be part of a fitted model; none of them touches files or runs programs.
MODEL_ROOMS = (
    "distances",
    "search",
    "maps",
    "losses",
    "pairwise",
    "solvers",
    "learners",
    "predictors",
    "datasets",
)

# Harmless containers and dtypes that skops leaves to the caller to trust.
ARRAY_TYPES = ("scipy.sparse._csr.csr_array", "scipy.sparse._csr.csr_matrix", "numpy.dtype")


class ModelFileError(ValueError):
    """The file is not a model that nearkin can read, or the model cannot be written safely."""


def save(estimator: Estimator, path: FilePath, metadata: dict | None = None) -> None:
    """Write a fitted estimator to a file that `load` can read.

    Parameters
    ----------
    estimator : estimator
        A learner, a predictor, or a scikit-learn pipeline or search that contains them.
    path : str or Path
        Where to; an existing file is replaced only once the new one is complete.
    metadata : dict or None
        Anything JSON can hold, to be found again by `read_metadata`.

    Raises
    ------
    ModelFileError
        If the estimator holds something that could not be read back safely, such as a function.

    Examples
    --------
    >>> import tempfile, os
    >>> from sklearn.datasets import load_iris
    >>> from nearkin import KNNClassifier, MoveLabeled, load, save
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNNClassifier(MoveLabeled()).fit(X, y)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.nearkin")
    >>> save(model, path)
    >>> bool((load(path).predict(X) == model.predict(X)).all())
    True
    """
    import skops.io

    dumped = skops.io.dumps(estimator)
    _trusted_types(dumped, what=f"this {type(estimator).__name__}", verb="saved")
    names = getattr(estimator, "feature_names_in_", None)
    description = {
        "format": FORMAT,
        "estimator": f"{type(estimator).__module__}.{type(estimator).__qualname__}",
        "n_features_in": getattr(estimator, "n_features_in_", None),
        "feature_names": None if names is None else [str(name) for name in names],
        "versions": installed_versions(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "metadata": metadata or {},
    }
    with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(DESCRIPTION, json.dumps(description, indent=1))
        archive.writestr(ESTIMATOR, dumped)


def load(path: FilePath) -> Estimator:
    """Read an estimator written by `save`; never runs code from the file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ModelFileError
        If the file is damaged, is something else, or holds types that are not trusted.
    """
    import skops.io

    description, dumped = _read(path)
    trusted = _trusted_types(dumped, what=f"{path}", verb="loaded")
    _warn_of_other_versions(path, description)
    try:
        estimator = skops.io.loads(dumped, trusted=trusted)
    except Exception as error:
        raise ModelFileError(f"{path} is damaged: its estimator cannot be rebuilt ({error}).") from error
    _give_new_settings_their_defaults(estimator)
    return estimator


def read_metadata(path: FilePath) -> dict:
    """What a model file says about itself: estimator, feature names, versions, and your own metadata."""
    return _read(path)[0]


def installed_versions() -> dict[str, str]:
    """Versions of the packages that a result depends on."""
    from nearkin import __version__

    return {
        "nearkin": __version__,
        "scikit-learn": sklearn.__version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "python": platform.python_version(),
    }


def _read(path: FilePath) -> tuple[dict, bytes]:
    data = Path(path).read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            # Reading a member checks its checksum.
            description = json.loads(archive.read(DESCRIPTION))
            dumped = archive.read(ESTIMATOR)
    except KeyError:
        raise ModelFileError(f"{path} is a zip archive but not a nearkin model.") from None
    except (zipfile.BadZipFile, ValueError, EOFError, zlib.error) as error:
        raise ModelFileError(
            f"{path} is not a nearkin model, or is cut short or damaged ({error})."
        ) from None
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise ModelFileError(
            f"{path} is of a format that this version of nearkin does not know; upgrade nearkin to read it."
        )
    return description, dumped


def _trusted_types(dumped: bytes, what: str, verb: str) -> list[str]:
    """Types of the dump that skops does not trust by itself but we do; raises if there are others."""
    import skops.io

    try:
        names = skops.io.get_untrusted_types(data=dumped)
    except Exception as error:
        raise ModelFileError(f"{what} is damaged: its estimator cannot be read ({error}).") from error
    foreign = [name for name in names if not _is_model_class(name)]
    if foreign:
        raise ModelFileError(
            f"{what} cannot be {verb}: it holds {', '.join(foreign)}, which could run code. "
            "Functions of your own (a callable kernel or weights) are among the things that cannot be stored."
        )
    return names


def _is_model_class(name: str) -> bool:
    if name in ARRAY_TYPES:
        return True
    module_name, _, class_name = name.rpartition(".")
    if not module_name.startswith(tuple(f"nearkin.{room}." for room in MODEL_ROOMS)):
        return False
    try:
        return inspect.isclass(getattr(importlib.import_module(module_name), class_name, None))
    except ImportError:
        return False


def _give_new_settings_their_defaults(item: Any) -> None:
    """An estimator written before one of its settings existed gets the default, and so do its parts."""
    if isinstance(item, list | tuple):
        for part in item:
            _give_new_settings_their_defaults(part)
    elif isinstance(item, BaseEstimator):
        for name, setting in inspect.signature(type(item).__init__).parameters.items():
            if setting.default is not inspect.Parameter.empty and not hasattr(item, name):
                setattr(item, name, setting.default)
        for part in list(vars(item).values()):
            _give_new_settings_their_defaults(part)


def _warn_of_other_versions(path: FilePath, description: dict) -> None:
    written, here = description.get("versions", {}), installed_versions()
    # A patch release reads what another wrote; anything else may not.
    other = [
        f"{name} {written[name]} (here {here[name]})"
        for name in ("nearkin", "scikit-learn")
        if name in written and written[name].split(".")[:2] != here[name].split(".")[:2]
    ]
    if other:
        warnings.warn(f"{path} was written by {', '.join(other)}; check its predictions.", stacklevel=3)
