"""nearkin: nearest-neighbour prediction made good by learning the distance."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nearkin.learners.closed_form import RCA, MoveLabeled, MoveQuery
    from nearkin.learners.constraint import DMLMTP
    from nearkin.learners.gradient import LMCA, LMNN, MEGM, NCA, MetricLearner, MoLMNN
    from nearkin.learners.prototype import LMDL, LPD, KernelLMDL
    from nearkin.persistence import load, save
    from nearkin.predictors import KNNClassifier, KNNRegressor
    from nearkin.study import Study, compare

__version__ = "0.1.0.dev0"

__all__ = [
    "DMLMTP",
    "LMCA",
    "LMDL",
    "LMNN",
    "LPD",
    "MEGM",
    "NCA",
    "RCA",
    "KNNClassifier",
    "KNNRegressor",
    "KernelLMDL",
    "MetricLearner",
    "MoLMNN",
    "MoveLabeled",
    "MoveQuery",
    "Study",
    "compare",
    "load",
    "save",
]

_HOMES = (
    "nearkin.learners.closed_form",
    "nearkin.learners.constraint",
    "nearkin.learners.gradient",
    "nearkin.learners.prototype",
    "nearkin.persistence",
    "nearkin.predictors",
)
# Comparing needs much that fitting does not.
_OF_STUDY = ("Study", "compare")


def __getattr__(name: str) -> Any:
    """Load the public names when the first of them is asked for, and rooms such as `nearkin.datasets`.

    `nearkin --help` asks for none and need not wait for scikit-learn, which takes seconds to load.
    """
    if name not in __all__:
        if find_spec(f"nearkin.{name}") is None:
            raise AttributeError(f"module 'nearkin' has no attribute {name!r}")
        return import_module(f"nearkin.{name}")
    if name in _OF_STUDY:
        return getattr(import_module("nearkin.study"), name)
    for home in map(import_module, _HOMES):
        globals().update({public: vars(home)[public] for public in __all__ if public in vars(home)})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
