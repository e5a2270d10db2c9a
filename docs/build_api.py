"""Write docs/api.md from the docstrings: every public name, the learners by discovery.

Run it after changing a docstring or adding a public name::

    python docs/build.py

A test compares the page with what this script would write.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import nearkin
from nearkin.learners import all_learners

PAGE = Path(__file__).with_name("api.md")

INTRODUCTION = """\
<!-- Written by docs/build_api.py from the docstrings; change those and run it again. -->

# API

Every public name. [Learners](#learners) come first, in full; then the [predictors](#predictors), model
files, and the rooms below them, which compositions and extensions use.

All estimators keep scikit-learn's conventions: `fit` returns the estimator, constructor parameters are
never changed, fitted attributes end in `_`, and `get_params`, `set_params`, `clone`, pipelines, grid
search, `set_output` and feature names work as everywhere. These inherited methods are not repeated below.

Fitted by every learner: `distance_`, `objective_` (final training objective, mean per sample), `n_iter_`,
`n_features_in_`, `feature_names_in_` (for data frames) and, for classification, `classes_`.
"""

# Rooms after the estimators, with the sentence that opens each section.
ROOMS = {
    "nearkin.distances": "What a fitted learner leaves behind as `distance_`.",
    "nearkin.search": "Indexes: `build` takes references, `query` finds the nearest.",
    "nearkin.maps": "Families of embeddings, for `MetricLearner`.",
    "nearkin.losses": "What an embedding is judged by, for `MetricLearner`.",
    "nearkin.solvers": "Minimisers of a function of a flat vector, for `MetricLearner`.",
    "nearkin.datasets": "Known data sets, readers and the table encoder.",
    "nearkin.datasets.synthetic": "Artificial sets.",
    "nearkin.evaluation": "Protocols, the resumable runner, comparison and hubness.",
    "nearkin.evaluation.significance": "Tests of significance.",
    "nearkin.report": "The HTML report and its figures; needs `pip install 'nearkin[report]'`.",
}

#: Longer signatures are left to the docstring.
LONGEST_SIGNATURE = 110

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


def sections_of(doc: str) -> list[tuple[str, str]]:
    """The parts of a numpydoc docstring: the text before the first heading has no title."""
    parts = SECTION.split(doc)
    titles = ["", *parts[1::2]]
    return [(title, text.strip("\n")) for title, text in zip(titles, parts[0::2])]


def definition_list(text: str) -> str:
    """A numpydoc list of parameters as Markdown bullets."""
    lines = []
    for line in text.splitlines():
        if not line.strip():
            continue
        if line[0] == " ":
            lines.append("  " + line.strip().replace("``", "`"))
            continue
        name, colon, kind = line.partition(" : ")
        lines.append(f"- `{name.strip()}`" + (f": {escaped(kind)}" if colon else ""))
    # A break between the type and its explanation keeps long lists readable.
    return re.sub(r"(?m)^(- .*)\n  (?=\S)", r"\1<br>\n  ", "\n".join(lines))


def escaped(text: str) -> str:
    """Text in which nothing is taken for HTML or emphasis."""
    return text.replace("<", "&lt;").replace("*", r"\*")


def prose(text: str) -> str:
    """Paragraphs with reStructuredText's literals as Markdown; indented and doctest lines as code."""
    blocks = []
    for block in re.split(r"\n\s*\n", text):
        lines = block.splitlines()
        if not lines:
            continue
        if lines[0].startswith(">>>"):
            blocks.append("```pycon\n" + block + "\n```")
        elif all(line.startswith("    ") for line in lines):
            blocks.append("```text\n" + inspect.cleandoc(block) + "\n```")
        else:
            blocks.append(block.replace("``", "`"))
    return "\n\n".join(blocks).replace("::\n", ":\n")


def described(doc: str) -> str:
    """A whole docstring as Markdown."""
    written = []
    for title, text in sections_of(doc):
        if title:
            written.append(f"**{title}**")
        listed = title in ("Parameters", "Attributes", "Returns", "Raises")
        written.append(definition_list(text) if listed else prose(text))
    return "\n\n".join(part for part in written if part)


def opening(item) -> str:
    """The first paragraph of a docstring on one line."""
    doc = inspect.getdoc(item) or ""
    text = " ".join(doc.split("\n\n")[0].split()).replace("``", "`")
    return re.sub(r" ?\[\d+\]_", "", text)


def signature_of(item) -> str:
    try:
        signature = inspect.signature(item)
    except (TypeError, ValueError):
        return ""
    plain = [part.replace(annotation=inspect.Parameter.empty) for part in signature.parameters.values()]
    text = str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    # Defaults that are objects print their address; say what they are instead.
    return re.sub(r"<(?:class|function|object) ?'?([\w.]+)[^>]*>", r"\1", text)


def short_signature_of(item) -> str:
    """The signature, or only dots where it would fill lines; abstract interfaces are not called."""
    if getattr(item, "_is_protocol", False):
        return ""
    text = signature_of(item)
    return text if len(text) <= LONGEST_SIGNATURE else "(...)"


def own_methods(kind: type) -> list[tuple[str, object]]:
    """Public methods and properties that nearkin itself defines, the most special class first."""
    found: dict[str, object] = {}
    for base in kind.__mro__:
        if not base.__module__.startswith("nearkin"):
            continue
        for name, item in vars(base).items():
            if name.startswith("_") or name in found:
                continue
            if inspect.isfunction(item) or isinstance(item, property | classmethod):
                found[name] = item
    return [(name, item) for name, item in found.items() if inspect.getdoc(item)]


def method_lines(kind: type) -> str:
    lines = []
    for name, item in own_methods(kind):
        call = "" if isinstance(item, property) else signature_of(getattr(kind, name))
        call = call.replace("(self, ", "(").replace("(self)", "()")
        lines.append(f"- `{name}{call}`<br>\n  {opening(item)}")
    return "**Methods**\n\n" + "\n".join(lines) if lines else ""


def estimator_entry(kind: type) -> str:
    parts = [f"### {kind.__name__}", f"```python\nnearkin.{kind.__name__}{signature_of(kind)}\n```"]
    if getattr(kind, "summary", ""):
        sparse = "; takes sparse rows" if kind.accepts_sparse else ""
        parts.append(f"For {' and '.join(kind.tasks)}{sparse}.")
    parts += [described(inspect.getdoc(kind) or ""), method_lines(kind)]
    return "\n\n".join(part for part in parts if part)


def room_entry(module: str, about: str) -> str:
    room = importlib.import_module(module)
    names = getattr(room, "__all__", None) or [
        name
        for name, item in vars(room).items()
        if inspect.isfunction(item) and item.__module__ == module and not name.startswith("_")
    ]
    lines = [f"## {module}", about]
    entries = []
    for name in sorted(names, key=str.lower):
        item = getattr(room, name)
        if callable(item):
            entries.append(f"- `{name}{short_signature_of(item)}`<br>\n  {opening(item)}")
        else:
            entries.append(f"- `{name}`<br>\n  By name: {', '.join(f'`{key}`' for key in item)}.")
    return "\n\n".join([*lines, "\n".join(entries)])


def public_estimators() -> tuple[list[type], list[type], list]:
    """Learners, predictors and functions among nearkin's public names; discovery completes the learners."""
    names = {name: getattr(nearkin, name) for name in nearkin.__all__}
    learners = dict(all_learners())
    learners.update({n: i for n, i in names.items() if inspect.isclass(i) and hasattr(i, "tuning_grid")})
    predictors = [i for n, i in sorted(names.items()) if inspect.isclass(i) and n not in learners]
    functions = [i for n, i in sorted(names.items()) if inspect.isfunction(i)]
    return [learners[name] for name in sorted(learners, key=str.lower)], predictors, functions


def page() -> str:
    """The whole page."""
    learners, predictors, functions = public_estimators()
    contents = [f"[{kind.__name__}](#{kind.__name__.lower()})" for kind in learners]
    parts = [INTRODUCTION, "## Learners", " · ".join(contents)]
    parts += [estimator_entry(kind) for kind in learners]
    parts += ["## Predictors", *[estimator_entry(kind) for kind in predictors]]
    parts += ["## Model files"]
    for function in functions:
        call = f"```python\nnearkin.{function.__name__}{signature_of(function)}\n```"
        parts += [f"### {function.__name__}", call, described(inspect.getdoc(function) or "")]
    parts += [room_entry(module, about) for module, about in ROOMS.items()]
    text = "\n\n".join(part.strip("\n") for part in parts) + "\n"
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def files() -> dict[Path, str]:
    """The page with the text it should have."""
    return {PAGE: page()}
