"""Maps of rows by their distances to the prototypes of LMDL and kLMDL, as a paper's figures show them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from sklearn.preprocessing import StandardScaler

from nearkin.datasets.synthetic import (
    make_concentric_circles,
    make_eight_classes,
    make_helix,
    make_two_classes,
)
from nearkin.experiments.drawings import map_panel, to_prototypes
from nearkin.experiments.figures import Material
from nearkin.learners.prototype import LMDL, KernelLMDL

SEEN_BY = (
    "principal components of the distances to all prototypes, each under its own metric, fitted to all rows; "
    "with"
)


def _toys() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Sets like those of the paper's Figure 1, which it does not describe: two, eight and five classes."""
    return {
        "two classes": make_two_classes(random_state=0),
        "eight classes": make_eight_classes(random_state=0),
        "helix, five classes": make_helix(random_state=0),
    }


def _maps(text: str, panels: list) -> dict:
    return {"kind": "maps", "text": f"{SEEN_BY} {text}", "panels": panels}


def _by(model: LMDL | KernelLMDL, title: str, X, y) -> dict:
    return map_panel(title, to_prototypes(model.fit(X, y), X), y)


def maps_of_toys(material: Material) -> dict:
    """LMDL on three artificial sets."""
    panels = []
    for name, (X, y) in _toys().items():
        Z = StandardScaler().fit_transform(X)
        panels.append(map_panel(f"{name}, as it is", Z, y))
        panels.append(_by(LMDL(2, random_state=0), f"{name}, LMDL", Z, y))
    return _maps(
        "two prototypes per class; sets of ours like the paper's, which it does not describe.", panels
    )


def map_of_circles(material: Material) -> dict:
    """Both learners on two classes that no linear map tells apart."""
    X, y = make_concentric_circles(random_state=0)
    kinds = {"LMDL": LMDL, "kLMDL": KernelLMDL}
    learned = [_by(kind(2, random_state=0), name, X, y) for name, kind in kinds.items()]
    return _maps("two prototypes per class and an RBF kernel.", [map_panel("as it is", X, y), *learned])


def maps_of_sets(labels: Sequence[str]) -> Callable[[Material], dict | None]:
    """Both learners on the sets of these labels, with metrics of rank 2."""

    def draw(material: Material) -> dict | None:
        panels = []
        for label in labels:
            if label in material.datasets:
                data = material.datasets[label]
                Z, y = StandardScaler().fit_transform(data.X), np.asarray(data.y)
                panels.append(_by(LMDL(rank=2, random_state=0), f"{label}, LMDL", Z, y))
                panels.append(_by(KernelLMDL(rank=2, random_state=0), f"{label}, kLMDL", Z, y))
        return _maps("metrics of rank 2.", panels) if panels else None

    return draw
