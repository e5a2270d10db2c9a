"""The papers' experiments, one declarative file each, and the command that repeats them."""

from __future__ import annotations

from importlib import import_module

from nearkin.experiments.paper import Paper
from nearkin.experiments.reproduce import reproduce
from nearkin.experiments.reproduction import Reproduction

#: Names of the papers: the modules that declare them.
PAPERS = ("shigeto2017", "zaidi2010", "rajabzadeh2018", "semerci2013", "gonzalez2016")

__all__ = ["PAPERS", "Paper", "Reproduction", "load_paper", "reproduce"]


def load_paper(key: str) -> Paper:
    """The declaration of a paper.

    Examples
    --------
    >>> load_paper("shigeto2017").methods[0].label
    'original metric'
    """
    if key.strip().lower() not in PAPERS:
        raise ValueError(f"there is no paper {key!r}; known: {', '.join(PAPERS)}.")
    return import_module(f"nearkin.experiments.{key.strip().lower()}").PAPER
