"""Small files on disk and a way to call the command line in this process."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from nearkin.cli.app import app


class Called:
    """What a command printed and how it ended."""

    def __init__(self, result):
        self.code, self.out, self.err = result.exit_code, result.stdout, result.stderr
        self.exception = None if isinstance(result.exception, SystemExit) else result.exception

    def json(self):
        return json.loads(self.out)


def call(*arguments) -> Called:
    called = Called(CliRunner().invoke(app, [str(argument) for argument in arguments]))
    if called.exception is not None:
        raise called.exception
    return called


@pytest.fixture(scope="session")
def nearkin():
    return call


@pytest.fixture(scope="session")
def iris_table():
    iris = load_iris(as_frame=True)
    table = iris.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    table["site"] = np.where(np.arange(len(table)) % 3 == 0, "north", "south")
    table["species"] = np.asarray(iris.target_names)[iris.target]
    return table


@pytest.fixture(scope="session")
def iris_csv(tmp_path_factory, iris_table):
    path = tmp_path_factory.mktemp("data") / "iris.csv"
    iris_table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def wave_csv(tmp_path_factory):
    """Two regression targets that depend on one of three columns."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (90, 3))
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    table["Y1"], table["Y2"] = np.sin(3 * X[:, 0]), 2 * X[:, 0] + 0.1 * rng.standard_normal(90)
    path = tmp_path_factory.mktemp("data") / "wave.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="session")
def iris_model(tmp_path_factory, iris_csv):
    path = tmp_path_factory.mktemp("model") / "iris.nearkin"
    called = call("fit", iris_csv, "--target", "species", "--learner", "rca", "--out", path)
    assert called.code == 0, called.err
    return path
