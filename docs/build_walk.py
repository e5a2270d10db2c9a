"""Walk through the house as the data does, and write the files passed into docs/architecture.md.

Run it after moving code between files::

    python docs/build_walk.py

or look at the walk of a statement of your own, after a setup that is not part of it::

    python docs/build_walk.py "LMNN().fit(X, y)" "from nearkin import LMNN; from sklearn.datasets import \
load_wine; X, y = load_wine(return_X_y=True)"
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from sections import renewed

import nearkin

PAGE = Path(__file__).with_name("architecture.md")
HOUSE = Path(nearkin.__file__).parent

WINE = "from sklearn.datasets import load_wine; X, y = load_wine(return_X_y=True); X = X / X.std(axis=0)"
#: Enough rows for lists of near pairs.
DIGITS = "from sklearn.datasets import load_digits; X, y = load_digits(return_X_y=True); X = X / 8"
LOSS = "from nearkin.losses import {0}; loss = {0}(); state = loss.prepare(X, y)"
COMMAND = "import sys; from nearkin.cli import main; sys.argv = ['nearkin', 'compare', 'wine', '--jobs', '1']"

#: Title, statement and what is done before it.
WALKS = [
    ("`LMNN().fit` on wine", "LMNN().fit(X, y)", f"{WINE}; from nearkin import LMNN"),
    (
        "One evaluation of `NCALoss` on digits",
        "loss.value_and_grad(X, state)",
        f"{DIGITS}; {LOSS.format('NCALoss')}",
    ),
    (
        "One evaluation of `LargeMarginLoss` on digits",
        "loss.value_and_grad(X, state)",
        f"{DIGITS}; {LOSS.format('LargeMarginLoss')}",
    ),
    (
        "`KNNClassifier(MoveLabeled())`, fit and predict on wine",
        "KNNClassifier(MoveLabeled()).fit(X, y).predict(X)",
        f"{WINE}; from nearkin import KNNClassifier, MoveLabeled",
    ),
    ("`nearkin compare wine` (fits happen in processes of their own)", "main()", COMMAND),
]


@dataclass
class Walk:
    """Files in the order of first entry with the calls each received, and how often files changed.

    A call from one file into another is a crossing. It goes back where the file called has called others
    before: what only answers, such as the fields and properties of a record, is never left. `returns` counts
    those by caller and file.
    """

    calls: Counter[str] = field(default_factory=Counter)
    crossings: int = 0
    returns: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def files(self) -> list[str]:
        # A Counter keeps the order in which its keys came.
        return list(self.calls)


def walk(statement: str, setup: str = "") -> Walk:
    """The walk of a statement; it is run once before, so that imports and compiling do not count."""
    run(statement, prepared(setup))
    space, found = prepared(setup), Walk()
    # The files of the calls under way, None outside the house; and those left at least once.
    under_way: list[str | None] = [None]
    left: set[str] = set()

    def look(frame, event, argument):
        if event == "return" and len(under_way) > 1:
            under_way.pop()
        if event != "call":
            return
        here = file_of(frame.f_code)
        caller = next((file for file in reversed(under_way) if file), None)
        under_way.append(here)
        if here is None:
            return
        found.calls[here] += 1
        if caller is not None and caller != here:
            found.crossings += 1
            found.returns[caller, here] += here in left
            left.add(caller)

    sys.setprofile(look)
    try:
        run(statement, space)
    finally:
        sys.setprofile(None)
    return found


def prepared(setup: str) -> dict:
    space: dict = {}
    exec(setup, space)
    return space


def run(statement: str, space: dict) -> None:
    """Run a statement quietly, in a folder of its own; a command ends by leaving."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
        contextlib.suppress(SystemExit),
    ):
        warnings.simplefilter("ignore")
        exec(statement, space)


def file_of(code) -> str | None:
    """The file of a function within the house; None outside it and for the body of a module."""
    path = Path(code.co_filename)
    if code.co_name == "<module>" or not path.is_relative_to(HOUSE):
        return None
    return path.relative_to(HOUSE).as_posix()


def described(title: str, found: Walk) -> str:
    """A walk as a paragraph of the page; the files it goes back to are named where they are few."""
    steps = " → ".join(f"`{file}`" for file in found.files)
    back = f"{found.returns.total()} of {found.crossings:,} crossings go back to a file left before"
    text = f"**{title}**: {len(found.files)} files; {back}.\n\n{steps}"
    pairs = [(count, *pair) for pair, count in found.returns.most_common() if count]
    if len(found.files) > len(pairs):
        text += "\n\nBack: " + ", ".join(f"`{caller}` to `{file}` {n}" for n, caller, file in pairs) + "."
    return text


def page() -> str:
    """The page with its walks renewed."""
    paragraphs = [described(title, walk(statement, setup)) for title, statement, setup in WALKS]
    text = PAGE.read_text(encoding="utf-8")
    return renewed(text, "walks", "\n\n".join(paragraphs), by="docs/build_walk.py")


if __name__ == "__main__":
    # The walk should not depend on which data sets are at hand.
    os.environ.pop("NEARKIN_DATA", None)
    if len(sys.argv) > 1:
        print(described(sys.argv[1], walk(*sys.argv[1:3])))
    else:
        PAGE.write_text(page(), encoding="utf-8")
        print(f"written: {PAGE}")
