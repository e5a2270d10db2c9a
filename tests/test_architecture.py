"""The house keeps its rules: one-way imports, and an import that loads nothing heavy."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_rooms_import_only_downwards():
    lint_imports = Path(sys.executable).with_name("lint-imports")
    if not lint_imports.exists():
        pytest.fail("import-linter is not installed; install the dev extra")
    done = subprocess.run([lint_imports, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_and_functions_stay_small():
    for path in (ROOT / "src").rglob("*.py"):
        source = path.read_text(encoding="utf-8")
        assert source.count("\n") <= 400, path
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                assert not body or body[-1].end_lineno - body[0].lineno < 50, f"{path}: {node.name}"


def modules_added_to_scikit_learn() -> set[str]:
    script = (
        "import sys, sklearn.neighbors; before = set(sys.modules); import nearkin; "
        "print(' '.join(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_nearkin_loads_nothing_heavy():
    added = modules_added_to_scikit_learn()
    heavy = {"numba", "faiss", "plotly", "matplotlib", "dask", "pandas", "typer", "rich", "skops", "pyarrow"}
    assert heavy.isdisjoint(name.partition(".")[0] for name in added)
    # Not seconds, which depend on the machine, but what they are spent on.
    assert sum(not name.startswith("nearkin") for name in added) < 120


def test_every_public_name_is_there():
    import nearkin

    assert all(hasattr(nearkin, name) for name in nearkin.__all__)
    assert dir(nearkin) == nearkin.__all__
    assert {"LMNN", "MetricLearner", "KNNClassifier", "load"} <= set(nearkin.__all__)
    assert callable(nearkin.datasets.load_dataset)
    with pytest.raises(AttributeError, match=r"no attribute 'LMMN'"):
        _ = nearkin.LMMN


@pytest.mark.parametrize("name", ["load", "KNNClassifier", "datasets"])
def test_a_name_of_a_known_home_loads_no_learner(name):
    script = f"import sys, nearkin; nearkin.{name}; print([m for m in sys.modules if '.learners' in m])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("room", ["losses", "maps", "solvers", "distances", "learners.closed_form"])
def test_every_name_of_a_room_is_found_by_walking_it(room):
    module = importlib.import_module(f"nearkin.{room}")
    assert dir(module) == module.__all__
    for name in module.__all__:
        assert getattr(module, name).__module__.startswith(f"nearkin.{room}.")
    with pytest.raises(AttributeError, match=rf"module 'nearkin\.{room}' has no attribute 'Nothing'"):
        _ = module.Nothing
    with pytest.raises(ImportError):
        exec(f"from nearkin.{room} import Nothing")


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["compare", "--help"], ["compare", "--jobs", "0"]]
)
def test_help_does_not_wait_for_scikit_learn(arguments):
    script = (
        "import sys\n"
        "from nearkin.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print({'sklearn', 'scipy', 'numpy', 'pandas'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "set()"
    assert "Traceback" not in done.stderr
