"""scikit-learn's own checks over every estimator that discovery finds."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from nearkin import KNNClassifier, KNNRegressor
from nearkin.learners import all_learners

REWEIGHTING = (
    "a repeated row becomes its own copy's nearest neighbour of the same class, so the targets of a row "
    "weighted twice and of a row present twice differ by definition"
)

#: check name -> reason, per estimator class name; every entry must still fail for its reason.
EXPECTED_FAILURES = {
    name: {
        "check_sample_weight_equivalence_on_dense_data": REWEIGHTING,
        "check_sample_weight_equivalence_on_sparse_data": REWEIGHTING,
    }
    for name in all_learners()
}

ESTIMATORS = [learner() for learner in all_learners().values()] + [
    KNNClassifier(),
    KNNRegressor(),
    KNNClassifier(learner=all_learners()["MoveLabeled"]()),
    KNNRegressor(learner=all_learners()["DMLMTP"]()),
]


def expected_failed_checks(estimator):
    return EXPECTED_FAILURES.get(type(estimator).__name__, {})


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failed_checks)
def test_scikit_learn_check_passes(estimator, check):
    check(estimator)
