"""A tiny paper on bundled data: everything `reproduce` does, in seconds."""

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.preprocessing import StandardScaler

from nearkin.evaluation import StratifiedFolds
from nearkin.experiments import reproduce
from nearkin.experiments.claims import NOT_TESTED, Claim, Verdict, lower
from nearkin.experiments.estimators import classifier, neighbours
from nearkin.experiments.paper import DatasetUse, Method, Paper
from nearkin.experiments.published import PublishedTable
from nearkin.experiments.statistics import friedman_with_finner, robustness, wilcoxon

TABLE = PublishedTable.by_dataset(
    "Table 1",
    "error",
    """
    Set    | NN      | Guess     | Oracle
    Iris   | 4.2±0.6 | 60.0±2.0  | 0
    Wine   | 2.5     | 55.0      | 0
    Sonar  | 13.5    | 50.0      | 0
    Faults | 1.0     | 50.0      | 0
    """,
)


class Broken(DummyClassifier):
    """Cannot learn from wine."""

    def fit(self, X, y):
        if X.shape[1] == 13:
            raise RuntimeError("thirteen is too many")
        return super().fit(X, y)


def tiny_paper(guess=None, **changes) -> Paper:
    guess = DummyClassifier() if guess is None else guess
    declared = {
        "key": "tiny",
        "citation": "Nobody, Nothing, Nowhere",
        "datasets": (
            DatasetUse("iris", "Iris", quick_rows=60),
            DatasetUse("wine", "Wine", in_quick=False),
            DatasetUse("arabidopsis", "Arabidopsis"),
        ),
        "methods": (
            Method("NN", lambda setup: neighbours("NN", [StandardScaler()], n_neighbors=1)),
            Method("Guess", lambda setup: classifier("Guess", [StandardScaler()], guess, None)),
        ),
        "protocol": StratifiedFolds(3),
        "quick_protocol": StratifiedFolds(2),
        "tables": (TABLE,),
        "claims": (
            Claim("NN is better than guessing", lower("error", "NN", "Guess")),
            Claim("Guessing is better than NN", lower("error", "Guess", "NN"), in_quick=False),
            Claim("It is fast", lambda values: Verdict(NOT_TESTED, detail="no clock")),
        ),
        "facts": "three-fold cross-validation",
        "statistics": (
            robustness("error", ("NN", "Guess")),
            friedman_with_finner("error", ("NN", "Guess"), ("NN",)),
            wilcoxon("error", [("NN", "Guess")]),
        ),
        "deviations": ("It is no real paper.",),
        "quick_deviations": ("Fewer rows.",),
    }
    return Paper(**(declared | changes))


@pytest.fixture(scope="session")
def make_paper():
    return tiny_paper


@pytest.fixture(scope="session")
def broken():
    return Broken()


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv("NEARKIN_DATA", raising=False)


@pytest.fixture(scope="session")
def tiny():
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NEARKIN_DATA", raising=False)
        yield reproduce(tiny_paper(), isolate=False)
