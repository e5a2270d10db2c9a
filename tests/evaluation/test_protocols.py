from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkin.evaluation import FiveByTwo, Folds, GivenSplit, RandomSplits, StratifiedFolds
from nearkin.evaluation.fingerprints import describe
from nearkin.evaluation.protocols import stratified_fold_numbers, stratified_holdout

PROTOCOLS = {
    "10-fold": StratifiedFolds(10),
    "5x5-fold": StratifiedFolds(5, n_repeats=5),
    "40x2-fold": StratifiedFolds(2, n_repeats=40),
    "5x2-held-out": FiveByTwo(),
    "70-30": RandomSplits(n_splits=4),
    "5-fold-regression": Folds(5),
}
LABELS = np.repeat(["a", "b", "c"], [40, 25, 10])


def labels():
    return st.lists(st.integers(0, 6), min_size=4, max_size=60).map(np.array)


@pytest.mark.parametrize("name", sorted(PROTOCOLS))
def test_protocols_are_decided_by_the_seed(name):
    protocol = PROTOCOLS[name]
    y = np.linspace(0, 1, 75) if "regression" in name else LABELS
    first, again, other = (protocol.splits(y, seed) for seed in (7, 7, 8))
    for one, two in zip(first, again, strict=True):
        assert np.array_equal(one.train, two.train)
        assert np.array_equal(one.test, two.test)
    assert any(not np.array_equal(one.test, two.test) for one, two in zip(first, other, strict=True))
    assert len({(split.repeat, split.fold) for split in first}) == len(first)


@pytest.mark.parametrize("name", sorted(PROTOCOLS))
def test_train_and_test_rows_never_overlap(name):
    y = np.linspace(0, 1, 75) if "regression" in name else LABELS
    for split in PROTOCOLS[name].splits(y, 0):
        parts = [split.train, split.test] + ([split.validation] if split.validation is not None else [])
        together = np.concatenate(parts)
        assert len(np.unique(together)) == len(together)
        assert len(together) == len(y)


@given(labels(), st.integers(2, 4))
def test_every_class_is_dealt_evenly(y, n_folds):
    numbers = stratified_fold_numbers(y, n_folds, np.random.default_rng(0))
    sizes = np.bincount(numbers, minlength=n_folds)
    assert sizes.max() - sizes.min() <= 1
    for label in np.unique(y):
        counts = np.bincount(numbers[y == label], minlength=n_folds)
        assert counts.max() - counts.min() <= 1


@given(labels())
def test_holdout_keeps_the_shares_and_trains_on_lone_rows(y):
    test = stratified_holdout(y, 0.3, np.random.default_rng(0))
    for label in np.unique(y):
        members = test[y == label]
        assert abs(members.sum() - 0.3 * len(members)) <= 1
        if len(members) == 1:
            assert not members[0]


def test_repeats_differ_and_each_tests_every_row_once():
    splits = StratifiedFolds(n_folds=5, n_repeats=2).splits(LABELS, 0)
    for repeat in range(2):
        tested = np.concatenate([split.test for split in splits if split.repeat == repeat])
        assert sorted(tested) == list(range(75))
    assert not np.array_equal(splits[0].test, splits[5].test)


def test_small_classes_are_warned_about_and_do_not_crash():
    y = np.array(["a"] * 20 + ["b"] * 3 + ["c"])
    with pytest.warns(UserWarning, match=r"2 class\(es\).*1 of them have a single row"):
        splits = StratifiedFolds(10).splits(y, 0)
    assert len(splits) == 10
    with pytest.warns(UserWarning, match="single row"):
        FiveByTwo().splits(y, 0)


def test_large_classes_bring_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(StratifiedFolds(10).splits(LABELS, 0)) == 10


def test_more_folds_than_rows_are_limited():
    with pytest.warns(UserWarning, match="using 4 folds instead of 10"):
        assert len(Folds(10).splits(np.arange(4.0), 0)) == 4
    with pytest.raises(ValueError, match="at least 2 folds"):
        Folds(1).splits(np.arange(4.0), 0)
    with pytest.raises(ValueError, match="1 row"):
        Folds(2).splits(np.arange(1.0), 0)


def test_five_by_two_validates_on_the_other_half_and_tests_on_the_held_out_third():
    splits = FiveByTwo().splits(LABELS, 0)
    assert len(splits) == 10
    assert all(np.array_equal(split.test, splits[0].test) for split in splits)
    assert len(splits[0].test) == 25
    assert np.array_equal(splits[0].train, splits[1].validation)


def test_random_splits_of_a_subsample():
    (split,) = RandomSplits(1, max_rows=30).splits(LABELS, 0)
    assert len(split.train) + len(split.test) == 30
    assert set(LABELS[split.train]) == {"a", "b", "c"}
    (plain,) = RandomSplits(1, stratified=False).splits(np.linspace(0, 1, 100), 0)
    assert len(plain.test) == 30
    with pytest.raises(ValueError, match="test_share"):
        RandomSplits(test_share=1.0).splits(LABELS, 0)


def test_all_lone_classes_still_have_a_test_row():
    (split,) = RandomSplits(1).splits(np.arange(5), 0)
    assert len(split.test) == 1


def test_given_split_is_checked():
    (split,) = GivenSplit(np.arange(5), np.arange(5, 8)).splits(np.zeros(8), 0)
    assert split.test.tolist() == [5, 6, 7]
    with pytest.raises(ValueError, match="both"):
        GivenSplit(np.arange(5), np.arange(4, 8)).splits(np.zeros(8), 0)
    with pytest.raises(ValueError, match="does not fit"):
        GivenSplit(np.arange(5), np.arange(5, 9)).splits(np.zeros(8), 0)


def test_descriptions_tell_protocols_apart():
    described = [str(protocol.describe()) for protocol in PROTOCOLS.values()]
    assert len(set(described)) == len(described)
    one, two = (GivenSplit(np.arange(5), np.array([last])) for last in (5, 6))
    assert describe(one.describe()) != describe(two.describe())


def test_several_targets_cannot_be_stratified():
    with pytest.raises(ValueError, match="use Folds"):
        StratifiedFolds(2).splits(np.zeros((10, 2)), 0)
