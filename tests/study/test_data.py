import numpy as np
import pandas as pd
import polars as pl
import pytest

from nearkin.study.data import as_dataset, default_folds

ROWS = np.arange(24.0).reshape(12, 2)


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (list("ab") * 6, "classification"),
        ([True, False] * 6, "classification"),
        (np.arange(12) % 3, "classification"),
        ((np.arange(12) % 3).astype(float), "classification"),
        (np.arange(12) / 7, "regression"),
        (ROWS / 7, "regression"),
    ],
)
def test_targets_ask_for_their_task(y, task):
    data = as_dataset(ROWS, y)
    assert data.task == task
    assert as_dataset(pd.DataFrame(ROWS, columns=["a", "b"]), y).task == task


def test_the_task_may_be_given():
    assert as_dataset(ROWS, np.arange(12), task="regression").task == "regression"


def test_frames_keep_their_names():
    frame = pd.DataFrame(ROWS, columns=["size", "kind"], index=np.arange(12)[::-1])
    data = as_dataset(frame, pd.Series(list("ab") * 6, name="kind", index=frame.index))
    assert data.feature_names == ("size", "kind")
    assert data.target_names == ("kind (target)",)
    # By position, as everywhere in scikit-learn, not by index.
    assert data.y.tolist() == list("ab") * 6
    assert as_dataset(frame, list("ab") * 6).target_names == ("target",)
    several = as_dataset(frame, pd.DataFrame({"p": ROWS[:, 0] / 3, "q": ROWS[:, 1] / 3}))
    assert several.target_names == ("p", "q")


def test_polars_frames():
    data = as_dataset(pl.DataFrame({"a": ROWS[:, 0], "b": ["x", "y"] * 6}), pl.Series("kind", ["u", "v"] * 6))
    assert data.target_names == ("kind",)
    assert data.n_samples == 12


def test_missing_cells_are_filled_on_request():
    frame = pd.DataFrame({"a": [1.0, None, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(ValueError, match="missing"):
        as_dataset(frame, list("uvuv"))
    for rows in (frame, frame.to_numpy()):
        filled = as_dataset(rows, list("uvuv"), impute="median").encoded()
        assert filled.X.tolist() == [[1, 1], [3, 2], [3, 3], [4, 4]]


@pytest.mark.parametrize("given", [{"task": "regression"}, {"impute": "mean"}])
def test_a_dataset_keeps_its_own_task_and_encoder(given):
    data = as_dataset(ROWS, list("ab") * 6)
    assert as_dataset(data) is data
    with pytest.raises(TypeError, match="leave out y, task and impute"):
        as_dataset(data, **given)


def test_constant_targets_among_several_are_told():
    with pytest.warns(UserWarning, match="target 2 are the same"):
        as_dataset(pd.DataFrame(ROWS), np.column_stack([ROWS[:, 0] / 7, np.full(12, 2.5)]))


@pytest.mark.parametrize(
    ("counts", "folds"), [([175, 3], 3), ([99, 1], 2), ([90, 30, 2], 10), ([2500, 40], 5), ([2500, 4], 4)]
)
def test_no_fold_tests_a_single_class(counts, folds):
    y = np.repeat(np.arange(len(counts)), counts)
    assert default_folds(as_dataset(np.zeros((len(y), 1)), y)) == folds
    assert default_folds(as_dataset(np.zeros((len(y), 1)), np.linspace(0, 0.5, len(y)))) == (
        10 if len(y) <= 2000 else 5
    )


def test_several_columns_of_labels_are_learned_together():
    y = pd.DataFrame({"colour": ["red", "blue"] * 6, "size": ["s", "s", "l", "l"] * 3})
    for given in (y, y.to_numpy()):
        data = as_dataset(np.arange(24.0).reshape(12, 2), given)
        assert (data.task, data.class_names) == (
            "classification",
            ("blue & l", "blue & s", "red & l", "red & s"),
        )
    data = as_dataset(np.eye(12), np.array([[0, 1], [1, 1]] * 6), task="classification")
    assert data.class_names == ("0 & 1", "1 & 1")
    assert data.target_names == ("y1", "y2")
