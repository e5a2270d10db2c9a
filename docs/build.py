"""Write every generated file anew: stubs, tables of learners and methods, the API and the CLI reference.

Run it after adding a learner, loss, map, solver, paper or command, or after changing their docstrings::

    python docs/build.py

A test fails while something is out of date. Outputs of code blocks are written by `docs/build_outputs.py`.
"""

from __future__ import annotations

import build_api
import build_cli
import build_headlines
import build_index
import build_stubs

BUILDERS = (build_stubs, build_index, build_headlines, build_api, build_cli)


def main() -> None:
    for builder in BUILDERS:
        for path, text in builder.files().items():
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                print(f"written: {path}")


if __name__ == "__main__":
    main()
