from __future__ import annotations

import numpy as np

from nearkin.evaluation import Problem
from nearkin.evaluation.scouting import WARM_UP_ROWS, rows_to_warm_up


def test_the_warm_up_has_several_rows_of_a_few_classes():
    y = np.repeat(np.arange(150), 10)
    labels, counts = np.unique(y[rows_to_warm_up(Problem("d", np.zeros((1500, 2)), y))], return_counts=True)
    assert (len(labels), set(counts)) == (6, {10})
    y = np.repeat([0, 1, 2, 3], [500, 3, 400, 90])
    found = y[rows_to_warm_up(Problem("d", np.zeros((993, 2)), y))]
    assert np.bincount(found, minlength=4).tolist() == [20, 0, 20, 20]
    targets = np.linspace(0, 1, 500)
    assert len(rows_to_warm_up(Problem("d", np.zeros((500, 2)), targets))) == WARM_UP_ROWS
