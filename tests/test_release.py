"""What a release rests on, as far as files tell: the hosted workflow, the version, the citation."""

import re
from pathlib import Path

import nearkin

ROOT = Path(__file__).parents[1]


def made(text: str) -> set[str]:
    return set(re.findall(r"make ([\w-]+)", text))


def test_the_hosted_workflow_runs_what_ci_runs():
    assert made((ROOT / ".ci" / "run").read_text()) == made((ROOT / ".github/workflows/ci.yml").read_text())


def test_every_step_of_ci_is_in_the_makefile():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert made((ROOT / ".ci" / "run").read_text()) <= targets


def test_version_changelog_and_citation_agree():
    version = nearkin.__version__
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text()
    assert re.search(
        rf"^version: \"?{re.escape(version)}\"?$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE
    )
