"""Build the sdist and the wheel, and prove that what would be uploaded works: `make dist`.

- both pass ``twine check``;
- the wheel holds every file of the package that the repository tracks, and nothing else;
- the sdist holds every file that the repository tracks but the settings of hosted machines, nothing else;
- the wheel, built from the sdist, is installed into an empty environment outside the repository; there a
  table is compared and reported, a model saved, loaded and asked, and every public name imported.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What only those who develop or host the project need.
NOT_IN_SDIST = (".pre-commit-config.yaml",)
DEMO = """
import csv, pathlib, sys
import nearkin
from sklearn.datasets import load_wine

home = pathlib.Path(nearkin.__file__).resolve()
assert pathlib.Path(sys.prefix).resolve() in home.parents, f"nearkin was imported from {home}"
assert nearkin.__version__ == sys.argv[1], nearkin.__version__
for name in nearkin.__all__:
    getattr(nearkin, name)
X, y = load_wine(return_X_y=True)
with open("wine.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow([*(f"x{number}" for number in range(X.shape[1])), "kind"])
    table.writerows([*row, f"wine {label}"] for row, label in zip(X, y))
"""


def run(*command: str, cwd: Path, env: dict | None = None) -> str:
    """What a command prints; where it fails, all it said."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def built(folder: Path) -> tuple[Path, Path]:
    """The sdist of the repository, and the wheel that is built from it."""
    run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT), cwd=ROOT)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    run(sys.executable, "-m", "twine", "check", "--strict", str(sdist), str(wheel), cwd=ROOT)
    return sdist, wheel


def package_files() -> set[str]:
    """Files of the package in the repository, as a wheel names them."""
    source = ROOT / "src"
    return {
        path.relative_to(source).as_posix()
        for path in (source / "nearkin").rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".nbi", ".nbc")
    }


def tracked_files() -> set[str]:
    """Files of the repository that belong into the sdist."""
    tracked = run("git", "ls-files", cwd=ROOT).splitlines()
    return {name for name in tracked if not name.startswith(NOT_IN_SDIST)}


def check_contents(sdist: Path, wheel: Path) -> None:
    """Nothing is missing from the archives, and nothing is in them by accident."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    if packed != package_files():
        sys.exit(f"wheel and repository differ in {sorted(packed ^ package_files())}")
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()} - {"PKG-INFO"}
    if names != tracked_files():
        sys.exit(f"sdist and repository differ in {sorted(names ^ tracked_files())}")


def check_installed(wheel: Path, version: str) -> None:
    """Install the wheel where nothing else is, and use it from a shell and from Python."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        bin_ = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
        env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "NEARKIN_DATA")}
        run(str(bin_ / "python"), "-m", "pip", "install", "--quiet", f"{wheel}[report]", cwd=folder, env=env)
        run(str(bin_ / "python"), "-c", DEMO, version, cwd=folder, env=env)
        nearkin = str(bin_ / "nearkin")
        learners = "dmlmj,gmml,rca"
        options = ["--learners", learners, "--tune", "none", "--neighbors", "5", "--report", "report.html"]
        table = run(nearkin, "compare", "wine.csv", "--target", "kind", *options, cwd=folder, env=env)
        run(nearkin, "fit", "wine.csv", "--target", "kind", "--out", "wine.nearkin", cwd=folder, env=env)
        run(nearkin, "predict", "wine.nearkin", "wine.csv", "--out", "predicted.csv", cwd=folder, env=env)
        if not ("Euclid" in table and (folder / "report.html").stat().st_size > 10_000):
            sys.exit(f"the demo from the wheel printed\n{table}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to put the archives")
    out = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    for old in (*out.glob("nearkin-*.tar.gz"), *out.glob("nearkin-*.whl")):
        old.unlink()
    sdist, wheel = built(out)
    check_contents(sdist, wheel)
    check_installed(wheel, version=wheel.name.split("-")[1])
    print(f"{sdist.name} and {wheel.name} are whole and work.")


if __name__ == "__main__":
    main()
