"""The open classification sets that judge a default: how they are sampled, split and scaled."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler, normalize

#: Which rows of a large set are taken, and which rows a split tests, come from these seeds alone.
SAMPLE_SEED, SPLIT_SEED = 20_260, 7_000
TEST_PART = 0.3


@dataclass(frozen=True)
class OpenSet:
    """One set as it is used here.

    Parameters
    ----------
    name : str
        What the tables call it.
    file : str
        The npz file without its ending; the name by default.
    rows : int
        Rows drawn at random, class by class, where there are more.
    shots : int, optional
        Training rows of each class instead of 70 % of them.
    svd : int, optional
        Sparse rows are reduced to so many dimensions and brought to unit length.
    scaled : bool
        Whether features are standardised; rows of unit length are left as they are.
    """

    name: str
    file: str = ""
    rows: int = 2_000
    shots: int | None = None
    svd: int | None = None
    scaled: bool = True


# fmt: off
TABLES = [
    "hayes-roth-132", "iris", "hepatitis", "wine", "seeds", "sonar", "glass", "heart-statlog", "bupa",
    "ionosphere", "dermatology", "house-votes", "balance-scale", "transfusion", "monks1", "monks2",
    "monks3", "breast-cancer-wisconsin", "wdbc", "pima", "australian", "australian-onehot", "crx",
    "vehicle", "vowel", "german-numeric", "musk1", "yeast", "ctg", "segment", "steel-faults", "abalone",
    "letter", "pendigits", "optdigits", "splice-60",
]
# fmt: on
#: Above 200 features fewer rows: every fit costs d^2 and more.
WIDE = ["splice", "semeion", "usps", "isolet", "mnist"]
SETS = (
    *(OpenSet(name) for name in TABLES),
    *(OpenSet(name, rows=800) for name in WIDE),
    OpenSet("trec", "trec-minilm", rows=800, scaled=False),
    OpenSet("trec, 10 shots", "trec-minilm", rows=800, shots=10, scaled=False),
    OpenSet("banking77", "banking77-minilm", rows=1_000, scaled=False),
    OpenSet("banking77, 5 shots", "banking77-minilm", rows=1_000, shots=5, scaled=False),
    OpenSet("20 newsgroups", "20news-tfidf", rows=1_000, svd=100, scaled=False),
    OpenSet("tdt2", rows=1_000, svd=100, scaled=False),
)


def named(name: str) -> OpenSet:
    """The set of that name."""
    return next(known for known in SETS if known.name == name)


class Split(NamedTuple):
    """Training and test rows, scaled by what the training rows say."""

    X_train: np.ndarray
    y_train: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def data_folder() -> Path:
    """Where the npz files are: the environment variable NEARKIN_DATA."""
    folder = os.environ.get("NEARKIN_DATA")
    if not folder:
        raise SystemExit("NEARKIN_DATA must name the folder of the npz files.")
    return Path(folder)


def load(known: OpenSet) -> tuple[np.ndarray, np.ndarray]:
    """The sampled rows and their labels 0..C-1; classes of fewer than four rows are left out."""
    with np.load(data_folder() / f"{known.file or known.name}.npz") as stored:
        X, y = _rows_and_labels(stored)
    sizes = np.bincount(y)
    kept = np.flatnonzero(sizes[y] >= 4)
    rows = kept[_sampled(y[kept], known.rows)]
    X, y = X[rows], np.unique(y[rows], return_inverse=True)[1]
    if known.svd:
        # Labels are not looked at, so that test rows may take part.
        X = normalize(TruncatedSVD(known.svd, random_state=0).fit_transform(X))
    return np.asarray(X, dtype=np.float64), y


def _rows_and_labels(stored):
    if "X_data" in stored:
        parts = (stored["X_data"], stored["X_indices"], stored["X_indptr"])
        X = sparse.csr_array(parts, shape=tuple(stored["X_shape"]))
        return X, stored["y"].astype(int)
    if "X" in stored:
        return stored["X"], stored["y"].astype(int)
    X = np.concatenate([stored["X_train"], stored["X_test"]])
    return X, np.concatenate([stored["y_train"], stored["y_test"]]).astype(int)


def _sampled(y: np.ndarray, most: int) -> np.ndarray:
    if len(y) <= most:
        return np.arange(len(y))
    splitter = StratifiedShuffleSplit(1, train_size=most, random_state=SAMPLE_SEED)
    return np.sort(next(splitter.split(y, y))[0])


def split(known: OpenSet, X: np.ndarray, y: np.ndarray, number: int) -> Split:
    """Split `number` of the rows: 70/30 by class, or so many shots of each class and the rest."""
    if known.shots is None:
        splitter = StratifiedShuffleSplit(1, test_size=TEST_PART, random_state=SPLIT_SEED + number)
        train, test = next(splitter.split(X, y))
    else:
        order = np.random.RandomState(SPLIT_SEED + number).permutation(len(y))
        by_class = order[np.argsort(y[order], kind="stable")]
        place = np.concatenate([np.arange(size) for size in np.bincount(y)])
        train, test = np.sort(by_class[place < known.shots]), np.sort(by_class[place >= known.shots])
    if not known.scaled:
        return Split(X[train], y[train], X[test], y[test])
    scaler = StandardScaler().fit(X[train])
    return Split(scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test])
