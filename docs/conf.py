"""The documentation site: `make docs` builds it, offline, and fails on any warning."""

from __future__ import annotations

import os
import sys
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("_extensions")))
# The site is the same wherever it is built: only data that packages bring.
os.environ.pop("NEARKIN_DATA", None)

import gallery_style

import nearkin

# Pages that an earlier build made for names that are gone since.
listed = set(Path(__file__).with_name("api.md").read_text("utf-8").split())
for page in Path(__file__).with_name("reference").glob("*.rst"):
    if page.stem not in listed:
        page.unlink()

project = "nearkin"
author = "The nearkin developers"
copyright = f"{date.today().year}, {author}"
version = release = nearkin.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "repository_links",
    "themed_figures",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
# docs/README.md is the index for readers on a forge; the site has index.md.
exclude_patterns = [
    "_build",
    "README.md",
    "**/GALLERY_HEADER.rst",
    "**/sg_execution_times.rst",
    "sg_execution_times.rst",
]
nitpicky = True
# Docstrings put parameters and names of other packages in single backticks too; ours must be found.
nitpick_ignore_regex = [("py:obj", r"(?!nearkin\.).*")]
suppress_warnings = ["config.cache"]  # a function among the gallery's settings cannot be pickled

# Pages are plain Markdown with formulas and links to headings as forges spell them.
myst_enable_extensions = ["amsmath", "attrs_inline", "colon_fence", "dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4

# The reference: names in single backticks link where they can.
default_role = "autolink"
autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_default_options = {"member-order": "bysource"}
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
templates_path = ["_templates"]

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    # This one needs sets of embeddings that no package bundles.
    "ignore_pattern": r"(move_index|__init__)\.py$",
    "abort_on_example_error": True,
    "plot_gallery": "True",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("nearkin",),
    "inspect_global_variables": False,
    "min_reported_time": 1,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
    "reset_modules": ("matplotlib", gallery_style.apply),
    "thumbnail_size": (400, 280),
    "within_subsection_order": "ExampleTitleSortKey",
}

html_theme = "pydata_sphinx_theme"
html_title = f"nearkin {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"index": [], "gallery/*": []}
html_theme_options = {
    "logo": {"text": "nearkin"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
