"""Sphinx extension: links of the pages to files outside docs/ lead to their place on the site.

Pages are read on forges too, where `../CONTRIBUTING.md` and `../examples/hubs.py` are right. On the site the
first is a page of its own and the second a page of the gallery.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(#[^)\s]*)?(?=\))")
#: Files and folders of the repository by the page that shows them.
PAGES = {
    "CONTRIBUTING.md": "/project/contributing.md",
    "CHANGELOG.md": "/project/changelog.md",
    "SECURITY.md": "/project/security.md",
    "SUPPORT.md": "/project/support.md",
    "CITATION.cff": "/project/citing.md",
    "LICENSE": "/project/index.md",
    "benchmarks/README.md": "/project/benchmarks.md",
    "src/nearkin/pairwise/README.md": "/project/pairwise.md",
    "docs/README.md": "/index.md",
    "docs/methods": "/methods/index.md",
    "docs/results": "/results/README.md",
    "examples": "/gallery/index.rst",
}
#: What a page of the site includes, by the name of the page.
INCLUDED = {
    page.removeprefix("/").removesuffix(".md"): name
    for name, page in PAGES.items()
    if name.endswith(".md") and page.startswith("/project/")
}


def place_of(path: str, docname: str, in_gallery) -> str:
    """How a page of the site links to a file of the repository; files without a page are downloads."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("examples/") and in_gallery(path):
        return f"/gallery/{Path(path).stem}.rst"
    if path.startswith("docs/"):
        return path.removeprefix("docs")
    return posixpath.relpath(path, posixpath.dirname(f"docs/{docname}"))


def redirect(app, docname: str, source: list[str]) -> None:
    """Rewrite the links of one page. An including page gets the text of what it includes, links put right."""
    folder = posixpath.join("docs", posixpath.dirname(docname))
    if docname in INCLUDED:
        name = INCLUDED[docname]
        source[0] = (ROOT / name).read_text(encoding="utf-8")
        folder = posixpath.dirname(name)
    ignored = re.compile(app.config.sphinx_gallery_conf["ignore_pattern"])

    def replaced(match: re.Match) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        if match[1].startswith("/") or not (ROOT / path).exists():
            return match[0]
        return place_of(path, docname, lambda name: not ignored.search(name)) + (match[2] or "")

    if not docname.startswith("gallery/"):
        source[0] = LINK.sub(replaced, source[0])


def setup(app) -> dict:
    app.connect("source-read", redirect, priority=400)
    return {"parallel_read_safe": True}
