"""The documentation says what is true: its code runs, its links lead somewhere, nothing is left out."""

import ast
import importlib
import os
import re
import shlex
from pathlib import Path

import pytest

import nearkin
from nearkin.distances import EmbeddedDistance
from nearkin.learners import all_learners

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    *(path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
#: Printed fractions may differ by this much, absolutely or as a share, between versions and machines.
TOLERANCE = 0.05
#: Signatures, a tour whose data is the reader's own, and files that test_contributing.py runs.
NOT_RUN = ("api.md", "README.md", "CONTRIBUTING.md")


def page_ids(paths):
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


def blocks_of(path):
    """(language, text) of every fenced block of a page."""
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def built_by(script):
    """The module of a script in docs/, which is not a package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        return importlib.import_module(script)


def assert_prints(printed, expected, where):
    """Same words and whole numbers; fractions within the tolerance."""
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", expected).split(), f"{where}:\n{printed}"
    for found, wanted in zip(NUMBER.findall(printed), NUMBER.findall(expected)):
        near = pytest.approx(float(wanted), rel=TOLERANCE, abs=TOLERANCE)
        assert float(found) == near, f"{where}: prints {found}, the page says {wanted}:\n{printed}"


RUNNABLE = [path for path in PAGES if "```python" in path.read_text("utf-8") and path.name not in NOT_RUN]


@pytest.mark.parametrize("path", page_ids(RUNNABLE))
def test_code_runs_and_prints_what_the_page_says(path, tmp_path, monkeypatch):
    """All Python blocks of a page run in one namespace; a text block right after one is its output."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NEARKIN_DATA", raising=False)
    text = path.read_text(encoding="utf-8")
    for number, (block, printed) in enumerate(built_by("build_outputs").runs_of(text)):
        if block[3] is not None:
            assert_prints(printed, block[3], f"{path.name}, block {number}")


def anchors_of(path):
    """What headings of a page can be linked to, spelt as forges do."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", page_ids(PAGES))
def test_links_lead_somewhere(path):
    text = BLOCK.sub("", path.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, anchor = target.partition("#")
        linked = path if not name else (path.parent / name)
        assert linked.exists(), f"{path.name} links to {target}, which does not exist"
        if anchor and linked.suffix == ".md":
            assert anchor in anchors_of(linked), f"{path.name} links to {target}; no such heading"


METHODS = DOCS / "methods" / "index.md"


@pytest.mark.parametrize(
    "page", sorted(set(METHODS.parent.glob("*.md")) - {METHODS}), ids=lambda path: path.stem
)
def test_every_method_page_is_linked_from_the_index(page):
    assert f"({page.name})" in METHODS.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", all_learners())
def test_every_learner_has_a_method_page_and_a_place_in_the_guide(name):
    methods = [path.read_text(encoding="utf-8") for path in (DOCS / "methods").glob("*.md")]
    assert any(re.search(rf"^# .*\b{name}\b", text, re.MULTILINE) for text in methods), (
        f"no page in docs/methods has {name} in its title"
    )
    assert re.search(rf"\b{name}\b", (DOCS / "which-learner.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "script", ["build_api", "build_cli", "build_headlines", "build_index", "build_stubs"]
)
def test_generated_files_are_up_to_date(script):
    for path, text in built_by(script).files().items():
        assert path.exists(), f"{path.relative_to(ROOT)} is missing; run python docs/build.py"
        is_current = path.read_text(encoding="utf-8") == text
        assert is_current, f"{path.relative_to(ROOT)} is out of date; run python docs/build.py"


def test_one_command_runs_every_builder():
    """Except the outputs of code blocks, the demo, the figures and the walks, which take long."""
    text = (DOCS / "build.py").read_text(encoding="utf-8")
    for script in {path.stem for path in DOCS.glob("build_*.py")} - {
        "build_demo",
        "build_figures",
        "build_outputs",
        "build_walk",
    }:
        assert f"import {script}" in text


def nearkin_commands(path):
    """Command lines of the page's console blocks, continued lines joined."""
    for language, text in blocks_of(path):
        if language in ("console", "bash", "sh"):
            for line in text.replace("\\\n", " ").splitlines():
                line = line.removeprefix("$ ").strip()
                if line.startswith("nearkin "):
                    yield line


@pytest.mark.parametrize("path", page_ids([path for path in PAGES if any(nearkin_commands(path))]))
def test_command_lines_use_commands_and_options_that_exist(path):
    cli = built_by("build_cli")
    for line in nearkin_commands(path):
        words = shlex.split(line, comments=True)[1:]
        if words[0] in ("--help", "--version"):
            continue
        assert words[0] in cli.commands(), f"{path.name}: {line}"
        known = {parameter.name for parameter in cli.parameters_of(cli.commands()[words[0]])} | {"--help"}
        used = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert used <= known, f"{path.name}: {line}: no option {used - known}"


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_are_documented_and_compile(example):
    code = example.read_text(encoding="utf-8")
    compile(code, example.name, "exec")
    assert code.startswith('"""'), "an example begins by saying what it shows"
    assert example.name in (DOCS / "README.md").read_text(encoding="utf-8")


#: Needs sets of embeddings that nobody bundles.
EMBEDDING_EXAMPLE = ROOT / "examples" / "move_index.py"
GALLERY = sorted(set((ROOT / "examples").glob("*.py")) - {EMBEDDING_EXAMPLE})


@pytest.mark.slow
@pytest.mark.parametrize("example", GALLERY, ids=lambda path: path.stem)
def test_examples_run(example, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(os.environ, "NEARKIN_DATA", "")
    monkeypatch.setitem(os.environ, "MPLBACKEND", "agg")
    exec(compile(example.read_text(encoding="utf-8"), str(example), "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.strip()


#: Pages whose names of code are checked: those that people build on.
NAMING_PAGES = (ROOT / "CONTRIBUTING.md", DOCS / "architecture.md")
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
PYTHON_NAME = re.compile(r"^([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(.*\))?(?: -> .*)?$")
FILE_NAME = re.compile(r"^[\w./*\-]+(?:\.(?:pyi?|md|toml|json|skops|txt)|/)$")
#: Names that are not nearkin's own.
FOREIGN = {"dZ", "utils", "nearkin.json", "estimator.skops"}


def names_defined(code):
    """Every name that a source defines or uses: classes, functions, arguments, variables, attributes."""
    for node in ast.walk(ast.parse(code)):
        for field in ("name", "arg", "id", "attr"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield name


@pytest.fixture(scope="module")
def known_names():
    folders = ("src", "tests", "benchmarks", "docs")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    # Environments of the benchmarks' peers are nobody's code here.
    sources = [path.read_text("utf-8") for path in found if "envs" not in path.parts]
    # The toys of CONTRIBUTING are defined there.
    sources += [text for language, text in blocks_of(ROOT / "CONTRIBUTING.md") if language == "python"]
    return {name for code in sources for name in names_defined(code)}


@pytest.mark.parametrize("path", page_ids(NAMING_PAGES))
def test_names_of_code_exist(path, known_names):
    """A file is there, a dotted name of nearkin can be imported, and any other name is in the sources."""
    missing = []
    for span in SPAN.findall(BLOCK.sub("", path.read_text(encoding="utf-8"))):
        if span in FOREIGN:
            continue
        if FILE_NAME.match(span):
            there = is_a_file(span)
        elif match := PYTHON_NAME.match(span):
            name = match[1].removeprefix("nearkin.")
            there = can_be_reached(name) or set(name.split(".")) <= known_names
        else:
            continue
        if not there:
            missing.append(span)
    advice = "; for the walks run python docs/build_walk.py"
    assert not missing, f"{path.name} names what does not exist: {missing}{advice}"


def is_a_file(name):
    """Whether a path, perhaps with stars, leads to something from the root or from any room."""
    places = (ROOT, ROOT / "src", *(ROOT / "src" / "nearkin").rglob("."))
    return any(any(place.glob(name.rstrip("/"))) for place in places)


def can_be_reached(dotted):
    item = nearkin
    for name in dotted.split("."):
        item = getattr(item, name, None)
    return item is not None


def test_every_room_is_described():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    for path in (ROOT / "src" / "nearkin").iterdir():
        if (path / "__init__.py").exists():
            assert f"| `{path.name}/` |" in text
        elif path.suffix == ".py":
            assert f"{path.name}` |" in text


def test_a_walk_tells_the_files_in_the_order_of_entry():
    setup = (
        "import numpy as np; from nearkin.distances import AffineEmbedding, EmbeddedDistance; "
        "X = np.eye(3); distance = EmbeddedDistance.symmetric(AffineEmbedding())"
    )
    found = built_by("build_walk").walk("distance.pairwise(X, X)", setup)
    first = EmbeddedDistance.pairwise.__module__.removeprefix("nearkin.")
    assert found.files[0] == first.replace(".", "/") + ".py"
    assert "distances/embedded.py" in found.files
    assert found.crossings > found.returns.total()
    assert all(calls >= 1 for calls in found.calls.values())
    assert not built_by("build_walk").walk("sum([1, 2])").files
