"""pair_distances of every kind of learned distance, against its table of all distances."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from nearkin import DMLMTP, LMDL, NCA, RCA, KernelLMDL, MoveLabeled, MoveQuery
from nearkin.distances.base import PAIRS_AT_ONCE

X, y = load_iris(return_X_y=True)
# More than one block of the general way; each row with itself among them.
ROWS = np.r_[
    np.random.RandomState(0).randint(len(X), size=(3 * PAIRS_AT_ONCE + 7, 2)), np.arange(8)[:, None] * [1, 1]
]
LEARNERS = [
    NCA(2, tol=1e-2),
    NCA(2, kernel="rbf", tol=1e-2, random_state=0),
    RCA(),
    MoveLabeled(),
    MoveQuery(),
    MoveLabeled(kernel="rbf"),
    LMDL(n_prototypes=2, max_epochs=20, random_state=0),
    KernelLMDL(n_prototypes=2, max_epochs=20, random_state=0),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_they_are_entries_of_the_table(learner):
    fitted = learner.fit(X, y)
    table = np.sqrt(fitted.distance_.pairwise(X, X))
    distances = fitted.pair_distances(X, ROWS)
    # Distances near zero lose digits by cancellation in a product, not in a difference.
    np.testing.assert_allclose(distances, table[ROWS[:, 0], ROWS[:, 1]], rtol=1e-5, atol=1e-5)
    assert distances.dtype == X.dtype


def test_regression_has_them_too():
    fitted = DMLMTP().fit(X, X[:, 0])
    expected = np.linalg.norm(fitted.transform(X)[ROWS[:, 0]] - fitted.transform(X)[ROWS[:, 1]], axis=1)
    np.testing.assert_allclose(fitted.pair_distances(X, ROWS), expected, atol=1e-12)


def test_chunklets_teach_it():
    chunklets = np.where(np.arange(150) % 3 == 0, y, -1)
    fitted = RCA().fit(X, chunklets=chunklets)
    Z = fitted.transform(X)
    expected = np.linalg.norm(Z[ROWS[:, 0]] - Z[ROWS[:, 1]], axis=1)
    np.testing.assert_allclose(fitted.pair_distances(X, ROWS), expected)


def test_the_first_of_a_pair_is_the_query():
    fitted = MoveLabeled().fit(X, y)
    there, back = fitted.pair_distances(X, [[0, 100]]), fitted.pair_distances(X, [[100, 0]])
    assert there[0] != pytest.approx(back[0])
    moved = fitted.distance_.embed_references(X[[100]])
    np.testing.assert_allclose(there, np.linalg.norm(X[[0]] - moved, axis=1))


def test_float32_is_kept():
    fitted = RCA().fit(X.astype(np.float32), y)
    assert fitted.pair_distances(X.astype(np.float32), ROWS).dtype == np.float32


@pytest.mark.parametrize(
    ("rows", "words"), [([[0, 150]], "names row 150"), ([[0, 1, 2]], "shape"), ([[0.5, 1]], "whole")]
)
def test_bad_pairs_are_named(rows, words):
    with pytest.raises(ValueError, match=words):
        RCA().fit(X, y).pair_distances(X, rows)


def test_before_fitting():
    with pytest.raises(NotFittedError):
        RCA().pair_distances(X, ROWS)
