import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nearkin import RCA, KNNClassifier, MoveLabeled
from nearkin.stores import Mover, StoreError


def test_moves_as_the_learner_does_however_rows_are_cut(rows, learner):
    X, _ = rows
    mover = Mover(learner)
    whole = mover(X)
    np.testing.assert_allclose(whole, learner.distance_.embed_references(X), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(np.vstack([mover(X[:1]), mover(X[1:200]), mover(X[200:])]), whole)


def test_the_same_move_has_the_same_fingerprint_in_any_wrapping(rows, learner):
    X, y = rows
    model = KNNClassifier(MoveLabeled(n_targets=5, alpha=10.0)).fit(X[:300], y[:300])
    piped = make_pipeline("passthrough", KNNClassifier(MoveLabeled(n_targets=5, alpha=10.0))).fit(
        X[:300], y[:300]
    )
    prints = {Mover(found).fingerprint for found in (learner, model, piped)}
    assert prints == {Mover.from_bytes(Mover(learner).to_bytes()).fingerprint}
    assert Mover(MoveLabeled(n_targets=5, alpha=9.0).fit(X[:300], y[:300])).fingerprint not in prints


def test_models_that_change_queries_are_refused(rows):
    X, y = rows
    scaled = make_pipeline(StandardScaler(), KNNClassifier(MoveLabeled(alpha=1.0))).fit(X, y)
    with pytest.raises(StoreError, match="--scale none"):
        Mover(scaled)
    with pytest.raises(StoreError, match="RCA changes queries too"):
        Mover(RCA().fit(X, y))
    with pytest.raises(StoreError, match="not fitted or learns no move"):
        Mover(MoveLabeled())
