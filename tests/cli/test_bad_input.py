"""What people get wrong is answered in one message, on stderr, with exit code 1 and no traceback."""

import os

import pytest


def assert_refused(called, *words):
    assert called.code == 1, called.out
    assert called.out == ""
    assert "Traceback" not in called.err
    text = " ".join(called.err.split())
    assert "error: " in text
    for word in words:
        assert word in text


def test_missing_file(nearkin, tmp_path):
    assert_refused(nearkin("compare", tmp_path / "nothing.csv"), "nothing.csv")
    assert_refused(
        nearkin("predict", tmp_path / "nothing.nearkin", tmp_path / "x.csv"),
        "nothing.nearkin",
        "no such file",
    )
    assert_refused(nearkin("report", tmp_path / "nothing.sqlite"), "no such file")


def test_unknown_dataset_and_learner_are_answered_with_near_names(nearkin, iris_csv, tmp_path):
    assert_refused(nearkin("compare", "whine"), "whine", "wine")
    assert_refused(
        nearkin("compare", iris_csv, "--target", "species", "--learners", "LMMN"), "LMMN", "'LMNN'"
    )
    assert_refused(
        nearkin("hubness", iris_csv, "--target", "species", "--learner", "moove-labeled"), "'MoveLabeled'"
    )
    out = tmp_path / "m.nearkin"
    assert_refused(
        nearkin("fit", iris_csv, "--learner", "xyz", "--out", out), "there is no learner 'xyz'", "RCA"
    )
    assert not out.exists()


def test_target_that_does_not_exist(nearkin, iris_csv):
    assert_refused(
        nearkin("compare", iris_csv, "--target", "specie"), "no target column 'specie'", "'species'"
    )


@pytest.mark.parametrize("text", ["", "a,b,c\n"])
def test_empty_csv(nearkin, tmp_path, text):
    path = tmp_path / "empty.csv"
    path.write_text(text)
    assert_refused(nearkin("compare", path), "empty.csv" if not text else "")


def test_identifiers_are_to_be_dropped(nearkin, iris_table, tmp_path):
    path = tmp_path / "named.csv"
    iris_table.assign(name=[f"plant {i}" for i in range(150)]).to_csv(path, index=False)
    options = ("--target", "species", "--learner", "euclid", "--out", tmp_path / "m.nearkin")
    assert_refused(nearkin("fit", path, *options), "--drop name")
    assert nearkin("fit", path, *options, "--drop", "name").code == 0


@pytest.mark.parametrize("command", ["compare", "hubness", "fit"])
@pytest.mark.parametrize(
    ("cells", "words"),
    [(["x"] * 4, "is 'x' in every row"), ([1.5] * 4, "the same in every row"), (["x"], "a single row")],
)
def test_nothing_to_predict(nearkin, tmp_path, command, cells, words):
    path = tmp_path / "same.csv"
    path.write_text("a,b,target\n" + "".join(f"{i},{i % 3},{cell}\n" for i, cell in enumerate(cells)))
    options = ("--learner", "euclid", "--out", tmp_path / "m.nearkin") if command == "fit" else ()
    assert_refused(nearkin(command, path, *options), words)


def test_one_of_several_targets_is_constant(nearkin, tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text("a,b,y1,y2\n" + "".join(f"{i},{i % 3},{i / 7},3.5\n" for i in range(40)))
    told = nearkin(
        "compare", path, "--target", "y1", "--target", "y2", "--learners", "euclid", "--folds", "2"
    )
    assert told.code == 0
    assert "y2 are the same in every row" in told.err


def test_values_too_large_to_square(nearkin, tmp_path):
    path = tmp_path / "huge.csv"
    path.write_text("a,b,target\n" + "".join(f"{i},{i}e200,{'xy'[i % 2]}\n" for i in range(9)))
    assert_refused(nearkin("compare", path), "column 'b' holds values up to 8e+200", "drop it")


@pytest.mark.parametrize("damage", ["cut", "text", "pickle"])
def test_damaged_model_file(nearkin, iris_model, iris_csv, tmp_path, damage):
    import pickle

    content = {
        "cut": iris_model.read_bytes()[:-200],
        "text": b"not a model",
        "pickle": pickle.dumps({"a": print}),
    }[damage]
    path = tmp_path / "bad.nearkin"
    path.write_bytes(content)
    assert_refused(nearkin("predict", path, iris_csv), "bad.nearkin")


def test_predict_with_missing_columns(nearkin, iris_model, iris_table, tmp_path):
    path = tmp_path / "short.csv"
    iris_table.drop(columns="petal length").to_csv(path, index=False)
    assert_refused(nearkin("predict", iris_model, path), "'petal length'")


def test_predict_of_no_rows(nearkin, iris_model, iris_table, tmp_path):
    path = tmp_path / "none.csv"
    iris_table.head(0).to_csv(path, index=False)
    assert_refused(nearkin("predict", iris_model, path), "none.csv")


def test_set_with_unknown_key_or_bad_value(nearkin, iris_csv, tmp_path):
    options = ("--target", "species", "--learner", "lmdl", "--out", tmp_path / "m.nearkin")
    assert_refused(nearkin("fit", iris_csv, *options, "--set", "n_prototype=2"), "'n_prototypes'")
    assert_refused(nearkin("fit", iris_csv, *options, "--set", "n_prototypes=many"), "n_prototypes='many'")
    assert_refused(nearkin("fit", iris_csv, *options, "--set", "beta"), "key=value")


@pytest.mark.parametrize(
    ("option", "value", "word"),
    [
        ("--time-budget", "soon", "duration"),
        ("--neighbors", "0", "--neighbors"),
        ("--neighbors", "5000", "fewer neighbours"),
        ("--scale", "big", "--scale"),
        ("--impute", "guess", "median"),
        ("--task", "guess", "classification"),
        ("--learners", "dmlmtp", "regression"),
        ("--learners", " ,", "--learners is empty"),
    ],
)
def test_nonsense_options(nearkin, iris_csv, option, value, word):
    assert_refused(nearkin("compare", iris_csv, "--target", "species", option, value), word)


def test_outputs_that_cannot_be_written_are_refused_before_any_work(nearkin, iris_csv, tmp_path):
    for option in ("--report", "--out", "--results"):
        called = nearkin("compare", iris_csv, "--target", "species", option, tmp_path / "no" / "file")
        assert_refused(called, "does not exist")
        assert_refused(nearkin("compare", iris_csv, "--target", "species", option, tmp_path), "is a folder")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_folder_without_permission(nearkin, iris_csv, tmp_path):
    tmp_path.chmod(0o500)
    assert_refused(
        nearkin("compare", iris_csv, "--target", "species", "--out", tmp_path / "m"), "permission denied"
    )


def test_results_file_of_another_program(nearkin, iris_csv, tmp_path):
    path = tmp_path / "other.sqlite"
    path.write_bytes(b"this is no database at all, only text" * 50)
    assert_refused(
        nearkin("compare", iris_csv, "--target", "species", "--results", path), "not a nearkin results file"
    )
    assert_refused(nearkin("report", path, "--out", tmp_path / "r.html"), "not a nearkin results file")


def test_probabilities_and_neighbours_where_there_are_none(nearkin, wave_csv, tmp_path):
    path = tmp_path / "wave.nearkin"
    assert nearkin("fit", wave_csv, "--target", "Y1", "--learner", "euclid", "--out", path).code == 0
    assert_refused(nearkin("predict", path, wave_csv, "--proba"), "--proba")


def test_reproduce_of_no_data_set(nearkin):
    assert_refused(nearkin("reproduce", "shigeto2017", "--quick", "--datasets", " , "), "--datasets is empty")


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ((), "Missing argument"),
        (("wine", "--seed", "-1"), "--seed"),
        (("wine", "--seed", "4294967296"), "--seed"),
        (("wine", "--jobs", "0"), "--jobs"),
        (("wine", "--folds", "1"), "--folds"),
    ],
)
def test_wrong_usage_has_its_own_exit_code(nearkin, arguments, word):
    called = nearkin("compare", *arguments)
    assert called.code == 2
    assert word in called.err
