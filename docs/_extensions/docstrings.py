"""Sphinx extension: docstrings as they are written here, for the reference.

- Of inherited members only nearkin's own are shown, not those of scikit-learn or of Python itself.
- Bars are absolute values and norms, as in |x - y|, and never reStructuredText's substitutions; a name that
  ends in an underscore is a fitted attribute, and never a link.
"""

from __future__ import annotations

import inspect
import re

CODE = re.compile(r"(``[^`]*``|`[^`]*`)")
MARKUP = re.compile(r"\||(?<=\w)_(?!\w)")


def is_foreign(app, what, name, item, skip, options) -> bool | None:
    """Whether a member comes from another package; None leaves it to autodoc."""
    function = getattr(item, "fget", None) or getattr(item, "__func__", item)
    home = getattr(inspect.unwrap(function) if callable(function) else function, "__module__", None)
    if home and not home.startswith("nearkin"):
        return True
    # Made by scikit-learn for every class: set_fit_request and the like.
    return True if name.startswith("set_") and name.endswith("_request") else None


def keep_as_written(app, what, name, item, options, lines: list[str]) -> None:
    """Escape what is no markup in prose; code, doctests and literal blocks stay as they are."""
    indent_of_literal = None
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if indent_of_literal is not None and line.strip() and indent <= indent_of_literal:
            indent_of_literal = None
        if indent_of_literal is None and not line.lstrip().startswith((">>>", "...")):
            parts = CODE.split(line)
            parts[::2] = [MARKUP.sub(r"\\\g<0>", part) for part in parts[::2]]
            lines[number] = "".join(parts)
        if indent_of_literal is None and line.rstrip().endswith("::"):
            indent_of_literal = indent


def setup(app) -> dict:
    app.connect("autodoc-skip-member", is_foreign)
    # After numpydoc, which makes reStructuredText of the sections.
    app.connect("autodoc-process-docstring", keep_as_written, priority=900)
    return {"parallel_read_safe": True}
