"""Draw the figures of the method pages into `docs/figures`, all of them or those named::

    python docs/build_figures.py
    python docs/build_figures.py nca lmnn

Each is made by ``draw(path)`` of ``docs/figures/NAME.py``, in a few seconds and always alike.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "figures"


def figure_names() -> list[str]:
    """Names of the figures there are, one for each page in `docs/methods`."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "common")


def draw(name: str, path: Path) -> None:
    """Draw one figure; the ending of the path says in which format."""
    if str(FOLDER) not in sys.path:
        sys.path.insert(0, str(FOLDER))
    importlib.import_module(name).draw(path)


def main() -> None:
    for name in sys.argv[1:] or figure_names():
        path = FOLDER / f"{name}.svg"
        draw(name, path)
        print(f"drawn: {path}")


if __name__ == "__main__":
    main()
