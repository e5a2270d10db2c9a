"""The mean vote of several learned distances, selected by their votes on held-out rows."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from nearkin._types import ColumnLike, Estimator, MatrixLike
from nearkin.numerics.given_rows import naming_rows
from nearkin.predictors.classifier import KNNClassifier

#: The place of a learner in the list, and how many neighbours vote; None if it decides without neighbours.
Choice: TypeAlias = tuple[int, int | None]


class AverageVote(ClassifierMixin, BaseEstimator):
    """Classify by the mean vote of several learned distances: an ensemble is steadier than its best member.

    Each learner, with each number of neighbours, votes on held-out folds of the training rows. Members are
    then selected greedily: each time the one with which the mean vote of all members so far is most
    accurate. A member may be selected several times and then has several votes.

    Parameters
    ----------
    learners : list of estimators or None
        Learners for `KNNClassifier` (None is plain Euclid), or classifiers that decide without neighbours,
        such as the prototype learners. Fitted as clones.
    n_neighbors : sequence of int, default=(1, 3, 5, 9, 15, 25)
        Numbers of neighbours to choose from; those above the number of rows are left out.
    n_picks : int, default=15
        Number of votes. One gives the single best distance.
    cv : int, default=3
        Number of held-out folds.

    Attributes
    ----------
    classes_ : ndarray
    choices_ : list of (int, int or None)
        The options: the place of a learner in the list, and how many neighbours vote (None if it decides
        without neighbours).
    scores_ : ndarray
        Accuracy of each choice on the held-out folds.
    picks_ : list of int
        Places in `choices_`, in the order of selection; the first is the best single option.
    members_ : list of estimators
        Fitted to all rows, one per selected learner.
    n_features_in_ : int

    Notes
    -----
    Every learner is fitted ``cv`` times on folds, whatever the number of neighbours, and once more if it is
    selected. Memory and time of a prediction are those of all members together.

    References
    ----------
    R. Caruana, A. Niculescu-Mizil, G. Crew, A. Ksikes (2004). Ensemble selection from libraries of models.
    ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from nearkin import LFDA, RCA, AverageVote
    >>> X, y = load_wine(return_X_y=True)
    >>> model = AverageVote([None, RCA(), LFDA()]).fit(scale(X[::2]), y[::2])
    >>> model.predict_proba(scale(X[1::2])).shape
    (89, 3)
    """

    classes_: np.ndarray

    def __init__(
        self,
        learners: Sequence[Estimator | None],
        *,
        n_neighbors: Sequence[int] = (1, 3, 5, 9, 15, 25),
        n_picks: int = 15,
        cv: int = 3,
    ) -> None:
        self.learners = learners
        self.n_neighbors = n_neighbors
        self.n_picks = n_picks
        self.cv = cv

    def fit(self, X: MatrixLike, y: ColumnLike) -> Self:
        """Evaluate the learners on held-out folds, select members, and fit these to all rows."""
        with naming_rows(X):
            X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], ensure_min_samples=2)
        check_classification_targets(y)
        self._check_settings()
        self.classes_, codes = np.unique(y, return_inverse=True)
        votes = self._held_out_votes(X, codes)
        self.choices_ = list(votes)
        self.scores_ = np.array([np.mean(P.argmax(axis=1) == codes) for P in votes.values()])
        self.picks_ = picked(list(votes.values()), codes, self.n_picks)
        self._places = sorted({self.choices_[pick][0] for pick in self.picks_})
        self.members_ = [self._fitted(place, X, codes) for place in self._places]
        return self

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """The mean of the members' votes: rows x classes."""
        check_is_fitted(self)
        with naming_rows(X):
            X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        counts = Counter(self.choices_[pick] for pick in self.picks_)
        total = np.zeros((len(X), len(self.classes_)))
        for place, member in zip(self._places, self.members_, strict=True):
            asked = [choice for choice in counts if choice[0] == place]
            for choice, P in zip(asked, self._votes(member, X, asked), strict=True):
                total += counts[choice] * P
        return total / len(self.picks_)

    def predict(self, X: MatrixLike) -> np.ndarray:
        """The class with most of the votes."""
        winners = self.predict_proba(X).argmax(axis=1)
        return self.classes_[winners]

    def _check_settings(self) -> None:
        if not isinstance(self.learners, list | tuple) or not self.learners:
            raise ValueError("learners: give a list of at least one learner (None is plain Euclid).")
        for name in ("n_picks", "cv"):
            least, value = (2 if name == "cv" else 1), getattr(self, name)
            if not isinstance(value, int | np.integer) or value < least:
                raise ValueError(f"{name}={value!r}: expected an integer of at least {least}.")
        if not len(self.n_neighbors) or min(self.n_neighbors) < 1:
            raise ValueError(f"n_neighbors={self.n_neighbors!r}: expected numbers of at least 1.")

    def _fitted(self, place: int, X: np.ndarray, codes: np.ndarray) -> Estimator:
        learner = self.learners[place]
        alone = learner is not None and hasattr(learner, "predict")
        return (clone(learner) if alone else KNNClassifier(learner, n_neighbors=1)).fit(X, codes)

    def _held_out_votes(self, X: np.ndarray, codes: np.ndarray) -> dict[Choice, np.ndarray]:
        """Votes of every option on every row, by members fitted without that row."""
        folds = list(_folds(codes, self.cv))
        fewest = min((len(seen) for seen, _ in folds), default=0)
        counts = [k for k in dict.fromkeys(self.n_neighbors) if k <= fewest]
        found: dict[Choice, np.ndarray] = {}
        for place in range(len(self.learners)):
            for seen, unseen in folds:
                with warnings.catch_warnings():
                    # The fit to all rows will warn if there is anything to warn about.
                    warnings.simplefilter("ignore")
                    member = self._fitted(place, X[seen], codes[seen])
                alone = not hasattr(member, "kneighbors")
                asked: list[Choice] = [(place, k) for k in ([None] if alone else counts)]
                for choice, P in zip(asked, self._votes(member, X[unseen], asked), strict=True):
                    found.setdefault(choice, np.zeros((len(codes), len(self.classes_))))[unseen] = P
        return found

    def _votes(self, member: Any, X: np.ndarray, asked: Sequence[Choice]) -> list[np.ndarray]:
        """Shares of the votes for all classes, including those that the member has not seen."""

        def all_classes() -> np.ndarray:
            P = np.zeros((len(X), len(self.classes_)))
            P[:, member.classes_] = member.predict_proba(X)
            return P

        if not hasattr(member, "kneighbors"):
            return [all_classes() for _ in asked]
        found = []
        with member.searched_once(X, max(k or 1 for _, k in asked)):
            for _, k in asked:
                member.set_params(n_neighbors=k)
                found.append(all_classes())
        return found


def _folds(codes: np.ndarray, n_folds: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Training and held-out rows; a class with fewer rows than folds is missing from some."""
    most = int(np.bincount(codes).max())
    if most < 2:
        raise ValueError("every class has only one row, so nothing can be held out.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield from StratifiedKFold(min(n_folds, most), shuffle=True, random_state=0).split(codes, codes)


def picked(votes: Sequence[np.ndarray], codes: np.ndarray, n_picks: int) -> list[int]:
    """Greedily selected votes, with repetition, whose mean is most accurate; ties by smaller squared error.

    >>> first, second = np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([[0.4, 0.6], [0.1, 0.9]])
    >>> picked([first, second], np.array([0, 1]), 2)
    [0, 1]
    """
    total = np.zeros_like(votes[0])
    truth = np.eye(total.shape[1])[codes]
    found: list[int] = []
    for n_before in range(n_picks):
        means = [(total + P) / (n_before + 1) for P in votes]
        right = [float(np.mean(mean.argmax(axis=1) == codes)) for mean in means]
        errors = [float(np.square(mean - truth).sum()) for mean in means]
        best = max(range(len(votes)), key=list(zip(right, np.negative(errors), strict=True)).__getitem__)
        found.append(best)
        total += votes[best]
    return found
