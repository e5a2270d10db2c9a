"""How much code a user's call passes through: this checkout against an earlier commit.

::

    git worktree add /tmp/before 07d4b0b
    python -m benchmarks.lines_passed /tmp/before/src

Each call runs in a process of its own with the settings of the papers (`against_commit.py` has the same),
once to compile and once more to be watched. Lines are lines of code: no docstrings, comments or blank lines.
"Run" are the different lines that ran, compiled functions counting whole once they were used, also those that
only other compiled ones call (hence an empty cache of Numba's: what is loaded from a cache does not say what
it calls); "files" are those passed through, "in them" all their lines. `--by-file` tells where the lines of
both are. What worker processes of a comparison do is not seen.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPARE = "compare iris --learners RCA,NCA,MEGM,LMNN,LMDL,MoveLabeled --jobs 1 --time-budget 40s"
#: What is called, and on which data, rows and features.
CASES = (
    ("NCA", "digits", 1_257, 64),
    ("MEGM", "digits", 1_257, 64),
    ("LMNN", "digits", 1_257, 64),
    ("LMDL", "digits", 1_257, 64),
    ("MoveLabeled", "digits", 1_257, 64),
    ("KNNClassifier", "digits", 1_257, 64),
    ("compare", "iris", 0, 0),
)

INSIDE = """
import ast, contextlib, io, json, os, sys, tokenize, warnings
import numpy as np
source, what, name, n, d, root, command = *sys.argv[1:4], *map(int, sys.argv[4:6]), *sys.argv[6:8]
sys.path.insert(0, source)
sys.path.append(root)
warnings.simplefilter("ignore")
import nearkin
from benchmarks.labelled import labelled_data
house = os.path.dirname(nearkin.__file__) + os.sep
assert house.startswith(source)
if what != "compare":
    X, y, queries, _ = labelled_data(name, n, d)

def call():
    if what == "compare":
        from nearkin.cli import main
        sys.argv = ["nearkin", *command.split()]
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
            main()
        return
    kind = nearkin.LMNN if what == "KNNClassifier" else getattr(nearkin, what)
    known = kind().get_params()
    wanted = {"max_iter": 20, "euclid_share": 0.0, "early_stopping": False, "refresh_targets": 0,
              "random_state": 0, "max_epochs": 20, "alpha": 1.0}
    if what == "MoveLabeled":
        wanted["n_targets"] = 1
    learner = kind(**{k: v for k, v in wanted.items() if k in known})
    if what == "KNNClassifier":
        return nearkin.KNNClassifier(learner).fit(X, y).predict(queries)
    return learner.fit(X, y)

def code_lines(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    nothing = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
               tokenize.ENDMARKER)
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in nothing:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)) and ast.get_docstring(node, False):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return lines

seen = {}
def local(frame, event, argument):
    seen[frame.f_code.co_filename].add(frame.f_lineno)
    return local
def trace(frame, event, argument):
    path = frame.f_code.co_filename
    if not path.startswith(house) or frame.f_code.co_name == "<module>":
        return None
    seen.setdefault(path, set()).add(frame.f_lineno)
    return local

call()
sys.settrace(trace)
import threading
threading.settrace(trace)
call()
sys.settrace(None)
threading.settrace(None)
for module in [m for key, m in sys.modules.items() if key.startswith("nearkin")]:
    for item in list(vars(module).values()):
        if getattr(item, "signatures", None) and hasattr(item, "py_func"):
            code = item.py_func.__code__
            inside = {line for *_, line in code.co_lines() if line}
            seen.setdefault(code.co_filename, set()).update(inside)
passed = {path: code_lines(path) for path in seen}
run = sum(len(lines & passed[path]) for path, lines in seen.items())
by_file = {path[len(house):]: len(lines & passed[path]) for path, lines in seen.items()}
print("LINES", json.dumps([[run, len(passed), sum(map(len, passed.values()))], by_file]))
"""


def measured(source: str, case: tuple) -> tuple[list[int], dict[str, int]]:
    """Lines run, files passed through and their lines, of one code; and the lines run in each file."""
    arguments = [sys.executable, "-c", INSIDE, source, *map(str, case), str(ROOT), COMPARE]
    environment = {**os.environ, "PYTHONPATH": source, "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as empty:
        environment["NUMBA_CACHE_DIR"] = empty
        done = subprocess.run(arguments, env=environment, capture_output=True, text=True)
    if "LINES" not in done.stdout:
        raise RuntimeError(f"{case} with {source}: {done.stderr.strip().splitlines()[-1:]}")
    counts, by_file = json.loads(done.stdout.rpartition("LINES")[2])
    return counts, by_file


def print_by_file(before: dict[str, int], now: dict[str, int]) -> None:
    """Lines run before and now in each file where they differ, the largest increase first."""
    for path in sorted(before | now, key=lambda path: before.get(path, 0) - now.get(path, 0)):
        if before.get(path, 0) != now.get(path, 0):
            print(f"    {before.get(path, 0):5d} {now.get(path, 0):5d}  {path}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lines_passed", description=__doc__)
    parser.add_argument("before", help="the src folder of the earlier commit")
    parser.add_argument("names", nargs="*", help="only these; all by default")
    parser.add_argument("--by-file", action="store_true", help="where the lines are, too")
    options = parser.parse_args()
    sources = str(Path(options.before).resolve()), str(ROOT / "src")
    print("| | run before | now | files before | now | lines in them before | now |\n" + "|---" * 7 + "|")
    for case in CASES:
        if not options.names or case[0] in options.names:
            (before, old_files), (now, new_files) = (measured(source, case) for source in sources)
            cells = [cell for pair in zip(before, now) for cell in pair]
            print(f"| {case[0]} | " + " | ".join(f"{cell:,}" for cell in cells) + " |", flush=True)
            if options.by_file:
                print_by_file(old_files, new_files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
