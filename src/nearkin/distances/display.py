"""How a fitted distance is displayed: its kind, and the shapes of what it holds."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from html import escape
from typing import Any

import numpy as np


def described(value: Any) -> str:
    """An array as shape and dtype, an embedding as its parts, a number to four digits, the rest by repr."""
    shape = getattr(value, "shape", None)
    if shape:
        return f"{' × '.join(map(str, shape))} {np.dtype(value.dtype).name}"
    if is_dataclass(value) and not isinstance(value, type):
        inside = ", ".join(f"{name} {text}" for name, text in parts(value).items())
        return type(value).__name__ + (f" ({inside})" if inside else "")
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def parts(item: Any) -> dict[str, str]:
    """Fields of a distance or an embedding that are set, each in a few words."""
    if not is_dataclass(item):
        return {}
    found = {field.name: getattr(item, field.name) for field in fields(item) if field.repr}
    return {name: described(value) for name, value in found.items() if value is not None}


def as_html(item: Any) -> str:
    """A small table for a notebook."""
    left = 'style="text-align: left"'
    rows = "".join(
        f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(text)}</td></tr>"
        for name, text in parts(item).items()
    )
    table = f"<table><tbody>{rows}</tbody></table>" if rows else ""
    return f"<div><b>{escape(type(item).__name__)}</b>{table}</div>"
