"""Comparison as a library: data to candidates, runner, leaderboard, views and saved winner.

`compare` is what the command line and a notebook both call; it returns a `Study`.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOME_OF = {
    "Study": "nearkin.study.study",
    "compare": "nearkin.study.study",
    "hubness_by_folds": "nearkin.study.hubness",
    "make_model": "nearkin.study.models",
}

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    # Loaded on first use: the command line's help asks for constants of this room only.
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)
