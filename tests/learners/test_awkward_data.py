"""Awkward data and awkward constraints: every learner found gives a right answer or a clear error."""

import warnings

import numpy as np
import pytest

import nearkin
from nearkin import KNNClassifier
from nearkin.learners import all_learners

RNG = np.random.default_rng(0)
#: Three classes far apart along the first feature; the rest is noise.
LABELS = np.arange(24) % 3
ROWS = np.c_[10.0 * LABELS, np.zeros((24, 2))] + RNG.normal(size=(24, 3))
WIDE = np.c_[ROWS[:12], 0.1 * RNG.normal(size=(12, 30))]

CLASSIFIERS = {name: kind for name, kind in all_learners().items() if "classification" in kind.tasks}
#: Name: rows, labels, and whether a learner may refuse them.
TABLES = {
    "one class": (ROWS, np.zeros(24, dtype=int), True),
    "a row for each class": (ROWS[:8], np.arange(8), True),
    "lone rows of classes": (np.r_[ROWS, 100 + np.eye(3)], np.r_[LABELS, 3, 4, 5], False),
    "rows in two classes": (np.r_[ROWS, ROWS[:2]], np.r_[LABELS, 2, 0], False),
    "every row in two classes": (np.repeat(ROWS, 2, axis=0), np.tile([0, 1], 24), True),
    "every row twice": (np.repeat(ROWS, 2, axis=0), np.repeat(LABELS, 2), False),
    "more features than rows": (WIDE, LABELS[:12], False),
    "one feature": (ROWS[:, :1], LABELS, False),
    "a constant feature": (np.c_[ROWS, np.ones(24)], LABELS, False),
    "far from the origin": (ROWS + 1e5, LABELS, False),
    "two rows of a class": (ROWS[:7], np.array([0, 1, 2, 0, 1, 2, 0]), False),
}


def quick(kind):
    """The learner with few steps where it takes any: what is asked here is no matter of precision."""
    settings = {"max_iter": 30, "max_epochs": 30, "random_state": 0, "euclid_share": 0.0}
    if kind is nearkin.MoLMNN:
        settings |= {"max_iter": 3, "steps_per_round": 5}
    known = kind().get_params()
    return kind(**{name: value for name, value in settings.items() if name in known})


def fitted(learner, *data, **given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learner.fit(*data, **given)


def refusal(learner, rows, labels):
    """The error with which a learner refuses data, None where it takes them."""
    try:
        fitted(learner, rows, labels)
    except ValueError as error:
        return error
    return None


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_tables(name, table):
    rows, labels, may_refuse = TABLES[table]
    learner = quick(CLASSIFIERS[name])
    error = refusal(learner, rows, labels)
    if error is not None:
        assert may_refuse, f"{name} refuses {table}: {error}"
        assert any(word in str(error) for word in ("class", "row", "sample", "pair")), f"unclear: {error}"
        return
    D = learner.distance_.pairwise(rows, rows)
    assert np.isfinite(D).all()
    if not may_refuse:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = KNNClassifier(quick(CLASSIFIERS[name]), n_neighbors=1).fit(rows, labels)
        right = model.predict(rows[:7]) == labels[:7]
        # A row that is in two classes may be given either.
        assert right.mean() > (0.7 if table == "rows in two classes" else 0.99)


# What metric-learn's users have reported, as far as it concerns learners of nearkin.


@pytest.mark.parametrize("name", ["ITML", "LSML", "SDML"])
def test_a_covariance_prior_of_fewer_rows_than_features_is_no_trouble(name):
    """metric-learn 175, 202 and 276: singular priors."""
    kind = getattr(nearkin, name)
    if "prior" in kind().get_params():
        learner = fitted(kind(prior="covariance"), WIDE, LABELS[:12])
        assert np.isfinite(learner.components_).all()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_refits_agree(name):
    """metric-learn 179 and 211: results that change from call to call, and signs that turn."""
    learner = quick(CLASSIFIERS[name])
    first, second = (fitted(learner, ROWS, LABELS).distance_.pairwise(ROWS, ROWS) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    "name", [n for n, kind in CLASSIFIERS.items() if "n_components" in kind().get_params()]
)
def test_fewer_dimensions_can_be_asked_for(name):
    """metric-learn 167."""
    learner = quick(CLASSIFIERS[name]).set_params(n_components=1)
    learner = fitted(learner, ROWS, LABELS)
    if hasattr(learner, "components_"):
        assert learner.components_.shape[0] == 1


def test_discriminants_of_negative_scatter_are_numbers():
    """metric-learn 107: square roots of negative eigenvalues; 54 and 72: more features than rows."""
    for kind in (nearkin.LFDA, nearkin.RCA):
        for rows, labels in ((ROWS, LABELS), (WIDE, LABELS[:12])):
            assert np.isfinite(fitted(kind(), rows, labels).components_).all()


def test_comparisons_are_weighed():
    """metric-learn 83: a gradient of LSML without the weights."""
    triplets = [[0, 1, 2], [0, 2, 1]]
    for weight, nearer in (([1.0, 1e-6], 1), ([1e-6, 1.0], 2)):
        learner = nearkin.LSML(strength=1e4).fit(ROWS[[0, 1, 3]], triplets=triplets, constraint_weight=weight)
        lengths = learner.pair_distances(ROWS[[0, 1, 3]], [[0, 1], [0, 2]])
        other = 3 - nearer
        assert lengths[nearer - 1] <= 1.05 * lengths[other - 1]


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_values_too_large_to_square_are_refused(name):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="too large to square"):
        all_learners()[name]().fit(1e160 * rng.normal(size=(30, 3)), np.arange(30) % 2)
