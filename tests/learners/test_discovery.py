"""Discovery finds every public learner, and names are forgiving."""

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid

import nearkin
from nearkin import LFDA, KNNClassifier, MoveLabeled
from nearkin.learners import Learner, all_learners, find_learner


def test_every_exported_learner_is_discovered_and_the_other_way_round():
    exported = {
        name
        for name in nearkin.__all__
        if isinstance(getattr(nearkin, name), type) and issubclass(getattr(nearkin, name), Learner)
    }
    # A composition of one's own is nothing to list before it is composed.
    assert exported - {"MetricLearner"} == set(all_learners())


@pytest.mark.parametrize("name", ["move-labeled", "MOVE_LABELED", "movelabeled", "MoveLabeled"])
def test_names_may_be_written_in_any_case(name):
    assert find_learner(name) is nearkin.MoveLabeled


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="MoveLabeled"):
        find_learner("gradient-boosting")


@pytest.mark.parametrize("name", all_learners())
def test_learners_describe_themselves(name):
    learner = all_learners()[name]
    assert learner.summary[0].isupper()
    assert learner.summary.endswith(".")
    assert learner.cost
    assert set(learner.tasks) <= {"classification", "regression"}
    assert "References" in learner.__doc__
    assert ">>>" in learner.__doc__
    grid = learner.tuning_grid(500, 20, 3)
    assert set(grid) <= set(learner().get_params())


# What is not tried with its default, and why.
WITHOUT_DEFAULT = {
    "LMCA": "its default is a number of dimensions that the grid names",
}


@pytest.mark.parametrize("name", all_learners())
@pytest.mark.parametrize("shape", [(500, 20, 3), (60, 4, 2), (20_000, 300, 10)], ids=str)
def test_tuning_grids_are_small_and_hold_the_default(name, shape):
    learner = all_learners()[name]
    grid = learner.tuning_grid(*shape)
    assert len(ParameterGrid(grid)) <= 6
    defaults = learner().get_params()
    missing = [key for key, values in grid.items() if defaults[key] not in values]
    if name in WITHOUT_DEFAULT:
        assert missing, f"{name} need not be an exception any more"
    else:
        assert not missing
    for values in grid.values():
        assert len(values) == len(set(map(str, values)))


def test_learners_say_whether_they_weigh_rows():
    X, y = (
        np.repeat([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]], 4, axis=0) + np.arange(12)[:, None] / 50,
        [0, 1] * 6,
    )
    assert MoveLabeled.accepts_sample_weight
    MoveLabeled(1).fit(X, y, sample_weight=np.ones(12))
    assert not LFDA.accepts_sample_weight
    with pytest.warns(UserWarning, match="LFDA does not weigh rows while it learns"):
        KNNClassifier(LFDA()).fit(X, y, sample_weight=np.ones(12))
