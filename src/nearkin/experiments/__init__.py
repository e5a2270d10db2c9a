"""The papers' experiments, one declarative file each in `papers/`, and the command that repeats them."""

from __future__ import annotations

from importlib import import_module

from nearkin._discovery import module_names
from nearkin.experiments.outcome import Reproduction
from nearkin.experiments.paper import Paper
from nearkin.experiments.reproduce import reproduce

#: Names of the papers: the modules that declare them.
PAPERS = module_names("nearkin.experiments.papers")

__all__ = ["PAPERS", "Paper", "Reproduction", "load_paper", "reproduce"]


def load_paper(key: str) -> Paper:
    """The declaration of a paper.

    Examples
    --------
    >>> load_paper("shigeto2017").methods[0].label
    'original metric'
    """
    name = key.strip().lower()
    if name not in PAPERS:
        raise ValueError(f"there is no paper {key!r}; known: {', '.join(PAPERS)}.")
    return import_module(f"nearkin.experiments.papers.{name}").PAPER
