"""Fits from blocks equal the fits that see everything at once."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import nearkin
from nearkin import ANMM, DMLMJ, GMML, LFDA, LMNN, MLEV, RCA, KNNClassifier, MoveLabeled, MoveQuery
from nearkin.scale import fit_blocks
from nearkin.scale.fit import sample_quotas

spec = importlib.util.spec_from_file_location("scale_data", Path(__file__).with_name("data.py"))
data = importlib.util.module_from_spec(spec)
spec.loader.exec_module(data)

LEARNERS = [
    RCA(euclid_share=0.0),
    RCA(n_components=3, euclid_share=0.0),
    RCA(shrinkage=0.2, euclid_share=0.0),
    MoveLabeled(n_targets=1, alpha=3.0),
    MoveLabeled(n_targets=4, alpha=3.0),
    MoveLabeled(n_targets=2),
    MoveLabeled(),
    MoveLabeled(aim="lists"),
    MoveQuery(n_targets=2, alpha=3.0),
    MoveQuery(),
    GMML(t=0.4, euclid_share=0.0),
    GMML(euclid_share=0.0),
    GMML(pairs_from="nearest", t=0.3, euclid_share=0.0),
    GMML(equivariant=True, t=0.3, euclid_share=0.0),
    DMLMJ(n_components=3, euclid_share=0.0),
    DMLMJ(euclid_share=0.0),
    MLEV(euclid_share=0.0),
    MLEV(view="local", euclid_share=0.0),
    ANMM(euclid_share=0.0),
]


def metric(learner):
    L = learner.components_.astype(np.float64)
    return L if isinstance(learner, MoveLabeled | MoveQuery) else L.T @ L


def assert_same(one, other, rtol):
    a, b = metric(one), metric(other)
    np.testing.assert_allclose(b, a, rtol=0, atol=rtol * np.abs(a).max())


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_all_candidates_give_the_fit_of_everything_at_once(learner):
    X, y = data.classes()
    whole = clone(learner).fit(X, y)
    blocks = fit_blocks(clone(learner), X, y, max_candidates=len(X), rows_per_block=130)
    assert_same(whole, blocks, 1e-6)
    assert blocks.objective_ == pytest.approx(whole.objective_, rel=1e-6)
    assert {name for name in vars(whole) if name.endswith("_")} <= set(vars(blocks))
    np.testing.assert_array_equal(blocks.classes_, whole.classes_)
    assert blocks.n_features_in_ == whole.n_features_in_
    for name in ("alpha_", "t_", "shrinkage_", "n_components_"):
        if hasattr(whole, name):
            assert getattr(blocks, name) == pytest.approx(getattr(whole, name), rel=1e-6)


@pytest.mark.parametrize(
    "learner",
    [RCA(euclid_share=0.0), MoveLabeled(n_targets=2, alpha=1.0), DMLMJ(n_components=2, euclid_share=0.0)],
    ids=str,
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_do_not_change_the_answer(learner, dtype):
    X, y = data.classes(dtype=dtype)
    one = fit_blocks(clone(learner), X, y, max_candidates=40)
    for size in (1, 97, 450):
        other = fit_blocks(clone(learner), X, y, max_candidates=40, rows_per_block=size)
        assert_same(one, other, 1e-6)
        assert other.components_.dtype == dtype


def test_few_candidates_give_another_answer_than_all():
    # Otherwise the tests above would not show that candidates are looked at.
    X, y = data.classes()
    few, many = (
        fit_blocks(MoveLabeled(n_targets=1, alpha=1.0), X, y, max_candidates=m) for m in (20, len(X))
    )
    assert np.abs(few.components_ - many.components_).max() > 1e-3


def test_settings_are_chosen_on_the_sample_and_scaled_to_all_rows():
    X, y = data.classes(n=2_000)
    blocks = fit_blocks(MoveLabeled(n_targets=1), X, y, max_candidates=len(X), settings_rows=500)
    whole = MoveLabeled(n_targets=1).fit(X, y)
    # The grid has a step of 3.2 and the choice may differ by one, but not by the ratio of the rows.
    assert 0.3 < blocks.alpha_ / whole.alpha_ < 3.3


def test_a_file_gives_what_the_array_gives(tmp_path):
    X, y = data.classes(dtype=np.float32)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", y)
    seen = []
    learner = fit_blocks(
        RCA(euclid_share=0.0),
        tmp_path / "x.npy",
        tmp_path / "y.npy",
        rows_per_block=400,
        progress=lambda done, all_of_them, stage: seen.append((done, all_of_them, stage)),
    )
    assert_same(RCA(euclid_share=0.0).fit(X, y), learner, 1e-5)
    assert seen == [(done, 900, stage) for stage in ("classes", "moments") for done in (400, 800, 900)]


def test_the_result_is_an_ordinary_learner(tmp_path):
    X, y = data.classes()
    learner = fit_blocks(MoveLabeled(n_targets=1, alpha=1.0), X, y)
    nearkin.save(learner, tmp_path / "m.nearkin")
    again = nearkin.load(tmp_path / "m.nearkin")
    np.testing.assert_array_equal(again.components_, learner.components_)
    pairs = [[0, 1], [5, 2]]
    np.testing.assert_array_equal(again.pair_distances(X, pairs), learner.pair_distances(X, pairs))
    assert learner.n_iter_ == 1


@pytest.mark.parametrize(
    "learner",
    [LMNN(euclid_share=0.0), LFDA(euclid_share=0.0), KNNClassifier(), MoveLabeled(kernel="rbf")],
    ids=str,
)
def test_what_is_no_sum_over_rows_is_refused_with_a_remedy(learner):
    with pytest.raises(TypeError, match="fit_sample"):
        fit_blocks(learner, "there is no such file.npy", None)


def test_what_teaches_nothing_is_refused():
    X, y = data.classes()
    with pytest.raises(ValueError, match="two rows"):
        fit_blocks(RCA(euclid_share=0.0), X, np.arange(len(X)))
    with pytest.raises(ValueError, match="at least 2 classes"):
        fit_blocks(GMML(euclid_share=0.0), X, np.zeros(len(X), dtype=int))
    with pytest.raises(ValueError, match="more rows than features"):
        fit_blocks(RCA(euclid_share=0.0), X[:6], y[:6])
    with pytest.raises(ValueError, match="labels have shape"):
        fit_blocks(RCA(euclid_share=0.0), X, y[:-1])
    with pytest.raises(ValueError, match="max_candidates=0"):
        fit_blocks(MoveLabeled(), X, y, max_candidates=0)
    with pytest.raises(ValueError, match="shrinkage"):
        fit_blocks(RCA(shrinkage=2, euclid_share=0.0), X, y)
    X[123, 4] = np.nan
    with pytest.raises(ValueError, match="row 123"):
        fit_blocks(RCA(euclid_share=0.0), X, y)


def test_too_many_candidates_are_refused_before_anything_is_read():
    X = np.broadcast_to(np.float32(0), (600_000, 600))
    with pytest.raises(ValueError, match="set max_candidates to"):
        fit_blocks(DMLMJ(n_components=2, euclid_share=0.0), X, np.arange(600_000) // 2)


@pytest.mark.parametrize(
    "learner",
    [MoveLabeled(1, 1.0), MoveQuery(2, 3.0), MoveLabeled(2), MoveLabeled("all", 1.0), MoveLabeled()],
    ids=str,
)
@pytest.mark.parametrize("most", [None, 3])
def test_rows_are_shuffled_by_class_where_there_are_very_many(learner, most):
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(1_200) // 5)
    X = rng.normal(size=(1_200, 6)) + rng.normal(size=(240, 6))[y]
    settings = {"max_candidates": most, "rows_per_block": 170}
    held = fit_blocks(clone(learner), X, y, **settings)
    shuffled = fit_blocks(clone(learner), X, y, candidate_bytes=30_000, **settings)
    assert_same(held, shuffled, 1e-6)
    assert shuffled.objective_ == pytest.approx(held.objective_, rel=1e-6)


def test_shuffled_chunks_give_the_bits_of_shuffled_blocks():
    da = pytest.importorskip("dask.array")
    X, y = data.classes()
    learner, settings = MoveLabeled(n_targets=1, alpha=1.0), {"candidate_bytes": 10_000}
    plain = fit_blocks(clone(learner), X, y, rows_per_block=200, **settings).components_
    chunked = fit_blocks(clone(learner), da.from_array(X, chunks=(300, 8)), y, **settings).components_
    np.testing.assert_allclose(chunked, plain, rtol=0, atol=1e-9)


def test_quotas_are_shares_of_the_classes():
    quotas = sample_quotas(np.array([10_000, 1_000, 3, 1]), 110)
    assert quotas.tolist() == [100, 10, 2, 1]
    assert sample_quotas(np.array([5, 6]), 1_000).tolist() == [5, 6]
    many = sample_quotas(np.full(10_000, 7), 700)
    assert many.sum() == 700
    assert set(many) == {0, 7}
