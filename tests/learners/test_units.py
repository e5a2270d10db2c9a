"""Learners do not depend on the units of the features."""

import warnings

import numpy as np
import pytest

from nearkin.learners.discovery import all_learners

#: About a million; a power of two, so that nothing is rounded differently.
FACTOR = 2.0**20


def rows(task: str):
    rng = np.random.RandomState(0)
    y = np.arange(90) % 3
    X = rng.standard_normal((90, 4)) * [1.0, 2.0, 0.5, 1.0] + 1.5 * rng.standard_normal((3, 4))[y]
    return X[:60], (y if task == "classification" else X[:, 0] + 0.1 * rng.standard_normal(90))[:60], X[60:]


@pytest.mark.parametrize("factor", [FACTOR, 1 / FACTOR], ids=["large", "small"])
@pytest.mark.parametrize("name", sorted(all_learners()))
def test_neighbours_do_not_depend_on_the_unit(name, factor):
    learner = all_learners()[name]
    X, y, queries = rows("classification" if "classification" in learner.tasks else "regression")

    def nearest(scale):
        fitted = learner()
        if "random_state" in fitted.get_params():
            fitted.set_params(random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted.fit(scale * X, y)
        return fitted.distance_.bind(scale * X)(scale * queries).argmin(axis=1)

    same = np.mean(nearest(1.0) == nearest(factor))
    assert same == 1.0, f"{same:.0%} of the nearest rows are the same"
