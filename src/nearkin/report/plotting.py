"""Whether the packages are there that a report is drawn with."""

from __future__ import annotations

import importlib.util


def require_plotting() -> None:
    """Fail early if a report could not be drawn."""
    missing = [name for name in ("plotly", "jinja2") if importlib.util.find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(f"a report needs {' and '.join(missing)}: pip install 'nearkin[report]'")
