import numpy as np
import pytest

import nearkin
from nearkin import LMDL, MLKR, RCA, KNNClassifier, KNNRegressor, MoveLabeled
from nearkin.rows_in_blocks import in_blocks, is_lazy, refuse_blocks


def test_arrays_are_not_lazy():
    assert not is_lazy(np.ones((2, 2)))
    assert not in_blocks(np.ones((2, 2)))
    refuse_blocks([[1.0]], "NCA")


def test_dask_collections_are():
    da = pytest.importorskip("dask.array")
    assert is_lazy(da.ones((2, 2)))
    assert in_blocks(da.ones((2, 2)))
    with pytest.raises(TypeError, match=r"NCA .*fit_sample"):
        refuse_blocks(da.ones((2, 2)), "NCA")


@pytest.fixture(scope="module")
def filed(tmp_path_factory):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 700)
    X = (rng.normal(size=(700, 5)) + 2 * y[:, None]).astype(np.float32)
    path = tmp_path_factory.mktemp("rows") / "x.npy"
    np.save(path, X)
    return X, y, nearkin.open_rows(path)


def test_files_are_told_apart_and_refused_by_who_cannot_take_them(filed):
    _, y, rows = filed
    assert in_blocks(rows)
    assert not is_lazy(rows)
    for learner in (nearkin.LFDA(), MLKR(), KNNClassifier(), KNNRegressor()):
        with pytest.raises(TypeError, match="fit_sample"):
            learner.fit(rows, y)


def test_paths_are_to_be_opened(filed, tmp_path):
    for learner in (RCA(), nearkin.NCA(), nearkin.LFDA(), LMDL(), MoveLabeled(), KNNClassifier()):
        for path in ("x.npy", tmp_path / "x.npy"):
            with pytest.raises(TypeError, match="open_rows"):
                learner.fit(path, filed[1])


def test_fitted_estimators_answer_for_files(filed, tmp_path):
    X, y, rows = filed
    rca, move = RCA().fit(X, y), MoveLabeled(n_targets=1, alpha=1.0).fit(X, y)
    np.testing.assert_array_equal(rca.transform(rows), rca.transform(X))
    np.testing.assert_array_equal(move.move(rows), move.move(X))
    for out, found in (
        (tmp_path / "t.npy", rca.transform(rows, out=tmp_path / "t.npy")),
        (tmp_path / "m.npy", move.move(X, out=tmp_path / "m.npy")),
    ):
        assert isinstance(found, np.memmap)
        np.testing.assert_array_equal(np.load(out), found)
    np.testing.assert_array_equal(np.load(tmp_path / "m.npy"), move.move(X))
    for model in (KNNClassifier(RCA()).fit(X, y), LMDL(n_prototypes=1, max_epochs=2, tol=1).fit(X, y)):
        np.testing.assert_array_equal(model.predict(rows), model.predict(X))
        np.testing.assert_array_equal(model.predict_proba(rows), model.predict_proba(X))
    regressor = KNNRegressor().fit(X, y)
    np.testing.assert_array_equal(regressor.predict(rows), regressor.predict(X))
