"""`py.typed` is honest: a user's script passes mypy's strict mode, and a wrong one does not."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

SRC = Path(__file__).parents[1] / "src"
SCRIPT = """
import numpy as np
from nearkin import LMNN, NCA, KNNClassifier, KNNRegressor, MoveLabeled, Study, compare, load, save
from nearkin.datasets import load_dataset
from nearkin.evaluation import Hubness
from nearkin.losses import NCALoss
from nearkin.maps import LinearMap

X, y = np.eye(4), np.array([0, 0, 1, 1])
learner = LMNN(n_targets=1)
learner.fit(X, y)
model = KNNClassifier(MoveLabeled(), n_neighbors=1)
model.fit(X, y)
study: Study = compare(X, y, ["RCA"], folds=2, time_budget=None, progress=False)
winner: str | None = study.winner
statement: str = study.statement
save(model, "model.nearkin")
again = load("model.nearkin")
"""
WRONG = """
from nearkin import Study, compare, no_such_name

study: Study = compare([[0.0]], [0], folds="two")
number: int = study.statement
"""


def mypy(script, folder):
    path = folder / "script.py"
    path.write_text(script)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    # Calls of functions without annotations are the package's choice; what is annotated must hold.
    command += ["--allow-untyped-calls", "--ignore-missing-imports", f"--cache-dir={folder}/cache", str(path)]
    return subprocess.run(
        command, env={"MYPYPATH": str(SRC), "PATH": ""}, capture_output=True, text=True, cwd=folder
    ).stdout


@pytest.mark.slow
def test_a_users_script_passes(tmp_path):
    assert mypy(SCRIPT, tmp_path) == ""


@pytest.mark.slow
def test_what_is_wrong_is_found(tmp_path):
    said = mypy(WRONG, tmp_path)
    assert 'no attribute "no_such_name"' in said
    assert '"folds"' in said
    assert '"str", variable has type "int"' in said


def test_the_marker_is_there():
    assert (SRC / "nearkin" / "py.typed").exists()
