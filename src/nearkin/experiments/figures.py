"""A paper's figures: what it shows in them, and how to draw ours from a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nearkin.evaluation import Record


@dataclass(frozen=True)
class Material:
    """What a figure may be drawn from.

    Attributes
    ----------
    records : sequence of Record
        All records of the run, including those of settings that were not chosen.
    datasets : mapping of data set label to Dataset
    quick : bool
    """

    records: Sequence[Record]
    datasets: Mapping[str, Any]
    quick: bool


@dataclass(frozen=True)
class Figure:
    """A figure of the paper.

    Parameters
    ----------
    title : str
        Its number and subject.
    published : str
        What the paper shows and says about it.
    draw : callable
        From `Material` to plain data for `nearkin.report`, or None where what it needs is not at hand: the
        "kind" ("bars", "boxes", "curves" or "maps"), a "text" that says what is drawn, and "panels".
    """

    title: str
    published: str
    draw: Callable[[Material], dict[str, Any] | None]
