"""How each learner is fitted to rows in blocks: decided here, for estimators and the command line alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nearkin.learners.gradient.lmnn import LMCA, LMNN
from nearkin.learners.prototype.lmdl import LMDL
from nearkin.learners.prototype.lpd import LPD
from nearkin.rows_in_blocks import is_lazy
from nearkin.scale.fit import fit_blocks
from nearkin.scale.large_margin import fit_on_dask, split_refusal
from nearkin.scale.prototypes import blocks_refusal, fit_prototypes
from nearkin.scale.recipes import RECIPES, kernel_refusal, registered, unknown


@dataclass(frozen=True)
class Ways:
    """The functions that fit a kind of learner to rows in blocks.

    Attributes
    ----------
    refusal : callable(learner) -> str or None
        Why the settings of a learner do not allow it.
    files : callable(learner, rows, labels, *, progress) or None
        For rows of a file; `progress` as for `fit_blocks`.
    dask : callable(learner, rows, labels) or None
        For Dask collections.
    """

    refusal: Callable[[Any], str | None]
    files: Callable[..., Any] | None = None
    dask: Callable[..., Any] | None = None


SUMS = Ways(kernel_refusal, files=fit_blocks, dask=fit_blocks)
MARGINS = Ways(split_refusal, dask=fit_on_dask)
PROTOTYPES = Ways(blocks_refusal, files=fit_prototypes)

WAYS: dict[type, Ways] = {
    **dict.fromkeys(RECIPES, SUMS),
    LMNN: MARGINS,
    LMCA: MARGINS,
    LMDL: PROTOTYPES,
    LPD: PROTOTYPES,
}


def learners_for(where: str) -> list[type]:
    """The learners that are fitted to all rows of "files" or of "dask" collections."""
    return [kind for kind, ways in WAYS.items() if getattr(ways, where) is not None]


def way_of(learner: Any, rows: Any) -> Callable[..., Any]:
    """The function that fits a learner to all of these rows; raises a TypeError if there is none.

    Whether there is one depends on the class and the settings of the learner only, so nothing is read.
    """
    where, words = ("dask", "a Dask collection") if is_lazy(rows) else ("files", "the rows of a file")
    ways = registered(WAYS, learner)
    way = None if ways is None else getattr(ways, where)
    if ways is None or way is None:
        raise TypeError(unknown(learner, words, learners_for(where)))
    refusal = ways.refusal(learner)
    if refusal is not None:
        raise TypeError(refusal)
    return way
