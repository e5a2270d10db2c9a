"""Run the Python blocks of the pages and write what they print into the text block after each.

All blocks of a page share one namespace. Run it after changing a block, for some pages or for all::

    python docs/build_outputs.py docs/methods/nca.md

A test runs the blocks too and compares.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parent
CODE_AND_OUTPUT = re.compile(r"^```python\n(.*?)^```$(\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def runs_of(text: str) -> Iterator[tuple[re.Match, str]]:
    """Every Python block of a page with what it prints; warnings are errors, as a reader would see them."""
    namespace = {"__name__": "__main__"}
    for number, block in enumerate(CODE_AND_OUTPUT.finditer(text)):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(block[1], f"<block {number}>", "exec"), namespace)
        yield block, printed.getvalue()


def renewed(text: str) -> str:
    """The page with its outputs written anew."""
    parts, end = [], 0
    for block, printed in runs_of(text):
        parts += [text[end : block.start()], f"```python\n{block[1]}```"]
        if printed.strip():
            parts.append(f"\n\n```text\n{printed.rstrip()}\n```")
        end = block.end()
    return "".join([*parts, text[end:]])


def main(paths: list[Path]) -> None:
    pages = [path.resolve() for path in paths]
    os.environ.pop("NEARKIN_DATA", None)
    for path in pages:
        text = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            fresh = renewed(text)
        if fresh != text:
            path.write_text(fresh, encoding="utf-8")
            print(f"written: {path}")


if __name__ == "__main__":
    hand_written = [path for path in sorted(DOCS.rglob("*.md")) if path.name != "api.md"]
    main([Path(name) for name in sys.argv[1:]] or hand_written)
