"""Isolated environments of the peers, made on demand with venv and pip."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.entry import HERE


@dataclass(frozen=True)
class Environment:
    """Packages of a peer and the Python versions they work on, best first; none means any.

    A peer that must be compiled against old packages names what its build needs in `to_build`: they are
    installed first, and the build sees them instead of the newest.
    """

    packages: tuple
    pythons: tuple = ()
    to_build: tuple = ()


# Pins are the newest releases with which the peer still imports and fits.
ENVIRONMENTS = {
    "scikit-learn": Environment(("scikit-learn>=1.7",)),
    "faiss": Environment(("faiss-cpu>=1.9", "numpy>=2.0")),
    "metric-learn": Environment(
        # Its SDML passes the graphical lasso a setting that scikit-learn 1.5 has dropped.
        ("metric-learn==0.7.0", "scikit-learn==1.4.2", "scipy==1.13.1", "numpy==1.26.4"),
        ("3.11", "3.12", "3.10"),
    ),
    # GPyOpt and what it needs to import are used by pylmnn's __init__ only.
    "pylmnn": Environment(
        (
            "pylmnn==1.6.4",
            "scikit-learn==1.1.3",
            "scipy==1.10.1",
            "numpy==1.24.4",
            "six",
            "GPyOpt==1.2.6",
            "matplotlib<3.9",
        ),
        ("3.10", "3.11", "3.9"),
    ),
    # Some minutes of compiling. Its plots import pandas, which it does not name.
    "pydml": Environment(
        (
            "pyDML==0.1.0",
            "scikit-learn==1.1.3",
            "scipy==1.10.1",
            "numpy==1.23.5",
            "six",
            "pandas==1.5.3",
            "matplotlib<3.8",
        ),
        ("3.11", "3.10", "3.9"),
        ("setuptools<60", "wheel", "cython==0.29.37", "numpy==1.23.5"),
    ),
}


class EnvironmentUnavailable(Exception):
    """An environment could not be made here; the message says why."""


def python_of(name: str, folder: Path, interpreters: dict) -> Path:
    """Python of the environment `name`, made in `folder` if it is not there yet.

    Parameters
    ----------
    interpreters : dict of str -> str
        Known interpreters by version ("3.10"); others are looked for.
    """
    if name == HERE:
        return Path(sys.executable)
    wanted = ENVIRONMENTS[name]
    base = _base_interpreter(wanted.pythons, interpreters)
    place = folder / name
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    recipe = hashlib.sha256(repr((wanted, base)).encode()).hexdigest()
    stamp = place / "recipe"
    if stamp.exists() and stamp.read_text() == recipe:
        return python
    print(f"making the environment {name} ({', '.join(wanted.packages)}) ...", file=sys.stderr)
    shutil.rmtree(place, ignore_errors=True)
    _checked([base, "-m", "venv", str(place)])
    # Old source distributions need setuptools and wheel at hand.
    _checked([str(python), "-m", "pip", "install", "--quiet", "setuptools<81", "wheel"])
    install = [str(python), "-m", "pip", "install", "--quiet"]
    if wanted.to_build:
        _checked([*install, *wanted.to_build])
        install.append("--no-build-isolation")
    _checked([*install, *wanted.packages])
    stamp.write_text(recipe)
    return python


def _base_interpreter(versions: tuple, interpreters: dict) -> str:
    if not versions:
        return sys.executable
    for version in versions:
        for candidate in _candidates(version, interpreters):
            if _version_of(candidate) == version:
                return candidate
    raise EnvironmentUnavailable(
        f"no Python {' or '.join(versions)} found on PATH; "
        f"name one with --interpreter {versions[0]}=/path/to/python"
    )


def _candidates(version: str, interpreters: dict):
    if version in interpreters:
        yield interpreters[version]
    yield sys.executable
    on_path = shutil.which(f"python{version}")
    if on_path:
        yield on_path
    # Where the usual version managers put theirs, on PATH or not.
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv"))
    yield from (str(p) for p in sorted(pyenv.glob(f"versions/{version}.*/bin/python"), reverse=True))
    yield from (str(p) for p in sorted(home.glob(f".local/share/uv/python/cpython-{version}*/bin/python3")))


def _version_of(python: str):
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


def _checked(command: list) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
        raise EnvironmentUnavailable(f"{' '.join(command[1:5])} ... failed: {reason[0]}")
