"""Names that are written by hand, where importing what defines them would delay `--help`."""

import re
import typing

import numpy as np
import pytest

import nearkin
from nearkin.cli import options
from nearkin.cli.compare import compare as compare_command
from nearkin.cli.evaluate import RANKED
from nearkin.distances.hub_correction import CORRECTIONS
from nearkin.evaluation import METRICS, Relevance, metric_named, retrieval_scores
from nearkin.evaluation.metrics import CLASSIFICATION, NEIGHBOURS, PREDICTIONS, REGRESSION, metric_names
from nearkin.evaluation.running_scores import LabelScores, NumberScores

HELP = typing.get_type_hints(compare_command, include_extras=True)


def parameter(described, name: str) -> str:
    """What a numpydoc docstring says about a parameter."""
    found = re.search(rf"^    {name} : .*\n((?:        .*\n)+)", described.__doc__, flags=re.MULTILINE)
    return found[1]


def of_lists(k: str) -> set[str]:
    """Names of the metrics that judge ranked lists, with a number in place of K."""
    names = [name.replace("@K", f"@{k}") for name in metric_names(CLASSIFICATION)]
    return {name for name in names if metric_named(name).needs == NEIGHBOURS}


@pytest.mark.parametrize(
    "text", [HELP["metric"].__metadata__[0].help, parameter(nearkin.compare, "metric")], ids=["help", "doc"]
)
def test_metrics_to_choose_from(text):
    known = metric_names(CLASSIFICATION) + metric_names(REGRESSION)
    words = re.findall(r"[\w@-]+", text)
    assert [word for word in words if word in known] == known
    # Names that are no longer known have a hyphen or an @, or stand in the list of regression.
    listed = [word for word in words if "@" in word or "-" in word] + re.findall(r"\b(?:r2|mae)\b", text)
    assert set(listed) <= set(known)


@pytest.mark.parametrize(
    "text",
    [
        options.HubsOption.__metadata__[0].help,
        parameter(nearkin.compare, "hubs"),
        parameter(nearkin.KNNClassifier, "hubs"),
        parameter(nearkin.KNNRegressor, "hubs"),
    ],
    ids=["help", "compare", "classifier", "regressor"],
)
def test_hub_corrections_to_choose_from(text):
    assert [word for word in re.findall(r"[\w-]+", text) if word in CORRECTIONS] == list(CORRECTIONS)


def test_scores_of_given_lists():
    assert set(RANKED) == of_lists("10")
    scores = retrieval_scores(np.array([[0, 1]]), Relevance.of_lists([[0]], 2), ks=(1,))
    assert {metric_named(name).name for name in of_lists("1")} == set(scores)


def test_scores_that_are_added_up():
    labels, numbers = LabelScores(), NumberScores(1.5)
    labels.add(["a", "b"], ["a", "a"])
    numbers.add([1.0, 2.0], [1.0, 2.5])
    judged = {name for name, metric in METRICS.items() if metric.needs == PREDICTIONS}
    assert set(labels.scores()) | set(numbers.scores()) == judged
    assert {METRICS[name].task for name in labels.scores()} == {CLASSIFICATION}
