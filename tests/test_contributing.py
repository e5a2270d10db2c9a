"""What CONTRIBUTING shows is enough: put into a copy of the repository, its files are found by everything."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHOWN = re.compile(
    r"^```(?:python\n# |markdown\n<!-- )([\w/]+\.(?:py|md))(?: -->)?\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
FILES = dict(SHOWN.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")))
#: What Python and `make docs` leave behind.
NOT_COPIED = shutil.ignore_patterns("__pycache__", "_build", "_generated", "gallery", "reference")
#: Besides the files shown: a line under Unreleased.
CHANGE_LOG = ["CHANGELOG.md"]
SETS_OF_THE_PAPER = "src/nearkin/datasets/known/classification.toml"
PAGE_OF_THE_PAPER = "docs/results/toy2026-quick.md"

LOSS_AND_ESTIMATOR = [path for path in FILES if "scatter_ratio" in path] + CHANGE_LOG
CLOSED_FORM = [path for path in FILES if "within_class_scaler" in path] + CHANGE_LOG
PAPER = [path for path in FILES if "toy2026" in path] + [SETS_OF_THE_PAPER, PAGE_OF_THE_PAPER] + CHANGE_LOG


@pytest.mark.parametrize(
    ("addition", "at_least"), [(LOSS_AND_ESTIMATOR, 6), (CLOSED_FORM, 4), (PAPER, 4)], ids=lambda item: ""
)
def test_an_addition_is_at_most_six_files(addition, at_least):
    """Counting sources, tests, the page and the change log; what is generated is not written by hand."""
    assert at_least <= len(addition) <= 6


def test_every_file_shown_belongs_to_an_addition():
    assert set(FILES) <= {*LOSS_AND_ESTIMATOR, *CLOSED_FORM, *PAPER}
    assert not any((ROOT / path).exists() for path in FILES)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the repository with the files shown, and nothing else done."""
    folder = tmp_path_factory.mktemp("contributed")
    for name in ("src", "tests", "docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=NOT_COPIED)
    for path in (*ROOT.glob("*.md"), ROOT / "pyproject.toml"):
        shutil.copy(path, folder)
    (folder / "benchmarks").mkdir()
    shutil.copy(ROOT / "benchmarks" / "README.md", folder / "benchmarks")
    for path, text in FILES.items():
        (folder / path).write_text(text, encoding="utf-8")
    registry = folder / SETS_OF_THE_PAPER
    text = registry.read_text(encoding="utf-8")
    for name in ("iris", "wine"):
        text = re.sub(rf"(?s)(\[{name}\].*?papers = \[)", r'\1"toy2026", ', text, count=1)
    registry.write_text(text, encoding="utf-8")
    return folder


def run(copy, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "NEARKIN_DATA": ""}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_names_are_public_and_commands_know_them(copy):
    script = f"""
import json
from typer.testing import CliRunner
from nearkin import ScatterRatio, WithinClassScaler, __all__
from nearkin.cli.app import app
from nearkin.learners.closed_form import WithinClassScaler as again
from nearkin.losses import ScatterRatioLoss

assert again is WithinClassScaler and "ScatterRatio" in __all__
listed = json.loads(CliRunner().invoke(app, ["learners", "--json"]).stdout)
assert {{"ScatterRatio", "WithinClassScaler"}} <= {{learner["name"] for learner in listed}}
again = CliRunner().invoke(
    app, ["reproduce", "toy2026", "--quick", "--jobs", "1", "--markdown", "{PAGE_OF_THE_PAPER}"]
)
assert again.exit_code == 0, again.output
"""
    run(copy, "-c", script)
    assert "1 of 1 claims of the paper hold" in (copy / PAGE_OF_THE_PAPER).read_text(encoding="utf-8")


#: Tests that are there already and must find what was added, by what their names contain.
FOUND_BY = [
    r"test_objective\.py::test_gradient_matches_finite_differences\[.*ScatterRatioLoss.*LinearMap",
    r"test_estimator_checks\.py::.*\[ScatterRatio\(\)-check_estimators_dtypes",
    r"test_estimator_checks\.py::.*\[WithinClassScaler\(\)-check_estimators_dtypes",
    r"test_discovery\.py::test_learners_describe_themselves\[ScatterRatio\]",
    r"test_discovery\.py::test_learners_describe_themselves\[WithinClassScaler\]",
    r"test_papers\.py::test_every_claim_can_come_out_either_way\[toy2026",
    r"test_papers\.py::test_sets_are_registered_for_the_paper_and_named_once\[toy2026\]",
    r"test_docs\.py::test_every_learner_has_a_method_page_and_a_place_in_the_guide\[ScatterRatio\]",
    r"test_docs\.py::test_links_lead_somewhere\[docs/methods/within_class_scaler\.md\]",
    r"test_docs\.py::test_generated_files_are_up_to_date\[build_stubs\]",
    r"gradient/scatter_ratio\.py::nearkin\.learners\.gradient\.scatter_ratio\.ScatterRatio",
]
SEARCHED = (
    "tests/test_objective.py",
    "tests/test_estimator_checks.py",
    "tests/learners/test_discovery.py",
    "tests/experiments/test_papers.py",
    "tests/test_docs.py",
)


@pytest.mark.slow
def test_one_command_writes_the_rest_and_all_tests_find_them(copy):
    run(copy, "docs/build.py")
    for path in ("README.md", "docs/methods/index.md", "docs/which-learner.md", "docs/api.md"):
        text = (copy / path).read_text(encoding="utf-8")
        assert "ScatterRatio" in text
        assert "WithinClassScaler" in text
    own = [path for path in FILES if path.endswith(".py")]
    chosen = "scatterratio or scatter_ratio or withinclassscaler or within_class_scaler or toy or generated"
    printed = run(copy, "-m", "pytest", "-vv", "-n0", "-pno:cacheprovider", *own, *SEARCHED, "-k", chosen)
    for name in FOUND_BY:
        assert re.search(rf"{name}.* PASSED", printed), f"{name} did not run:\n{printed}"
