"""`py.typed` is honest: mypy's strict mode passes a user's script and finds what is wrong in another."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src"
#: Each line with what is wrong in it.
WRONG = """
from nearkin import LMNN, KNNClassifier, Study, compare, load, no_such_name  # no attribute "no_such_name"
from nearkin.losses import NCALoss

study: Study = compare([[0.0]], [0], folds="two")  # "folds"
number: int = study.statement  # "str", variable has type "int"
LMNN(n_targets="three")  # "n_targets"
LMNN(kernel="rfb")  # "kernel"
study.statment  # "statment"; maybe "statement"
KNNClassifier(weights="distances")  # "weights"
indices: int = KNNClassifier().kneighbors([[0.0]], return_distance=False)  # "ndarray
NCALoss(temperature=1.0)  # "temperature"
load(3)  # "load"
"""


def mypy(path, folder):
    pytest.importorskip("mypy")
    # Errors inside an installed package are not shown to who uses it; here it is not installed.
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary"]
    return subprocess.run(
        [*command, f"--cache-dir={folder}/cache", str(path)],
        env={"MYPYPATH": str(SRC), "PATH": ""},
        capture_output=True,
        text=True,
        cwd=folder,
    ).stdout


@pytest.mark.slow
def test_a_users_script_passes(tmp_path):
    assert mypy(ROOT / "tests" / "typed_script.py", tmp_path) == ""


@pytest.mark.slow
def test_what_is_wrong_is_found(tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)
    said = mypy(path, tmp_path).splitlines()
    for number, line in enumerate(WRONG.splitlines(), 1):
        if "  # " in line:
            expected = line.partition("  # ")[2]
            assert any(f"wrong.py:{number}: error" in word and expected in word for word in said), (
                line,
                said,
            )


def public_names() -> list[str]:
    """Names on the API page, which a test keeps complete."""
    return re.findall(r"^   (nearkin\.[\w.]+)$", (ROOT / "docs" / "api.md").read_text(), re.MULTILINE)


def own_functions(name: str) -> Iterator:
    """The function, or the public methods and properties of the class and of its ancestors here."""
    module, _, attribute = name.rpartition(".")
    item = getattr(import_module(module), attribute)
    if inspect.isfunction(item):
        yield item
    for ancestor in inspect.getmro(item) if inspect.isclass(item) else ():
        for key, value in vars(ancestor).items():
            value = getattr(value, "fget", None) or getattr(value, "__func__", value)
            of_the_house = inspect.isfunction(value) and value.__module__.startswith("nearkin.")
            # What `dataclass` generates comes from no file; type checkers know it.
            if of_the_house and (key == "__init__" or not key.startswith("_")) and _is_written(value):
                yield value


def _is_written(function) -> bool:
    return not function.__code__.co_filename.startswith("<")


@pytest.mark.parametrize("name", public_names())
def test_what_is_public_has_types(name):
    for function in own_functions(name):
        signature = inspect.signature(function)
        taken = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
        bare = [p.name for p in taken if p.annotation is p.empty]
        assert not bare, f"{function.__qualname__}: {bare}"
        assert signature.return_annotation is not signature.empty, function.__qualname__


def test_the_marker_is_there():
    assert (SRC / "nearkin" / "py.typed").exists()
