"""How the papers' figures are drawn from a run: errors as bars and boxes, curves over settings, maps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.model_selection import ParameterGrid
from sklearn.neighbors import KNeighborsClassifier

from nearkin.evaluation import Record
from nearkin.evaluation.results import DONE
from nearkin.evaluation.significance import robustness_ratios
from nearkin.experiments.figures import Material

#: Rows that a map shows at most.
MAP_ROWS = 1000
Drawing = dict[str, Any]


def error_bars(datasets: Sequence[str], methods: Sequence[str]) -> Callable[[Material], Drawing | None]:
    """Mean and standard deviation of the error of every method over the folds, a panel per data set."""

    def draw(material: Material) -> Drawing | None:
        errors = _errors(material.records)
        panels = []
        for label in datasets:
            bars = {
                name: (float(np.mean(errors[label, name])), float(np.std(errors[label, name])))
                for name in methods
                if errors[label, name]
            }
            if bars:
                panels.append({"title": label, "bars": bars, "axis": "error in %"})
        text = "mean and standard deviation over all folds; the smallest error is coloured."
        return {"kind": "bars", "text": text, "panels": panels} if panels else None

    return draw


def robustness_boxes(methods: Sequence[str]) -> Callable[[Material], Drawing | None]:
    """Distribution of b_m over the data sets, a box per method; see `statistics.robustness`."""

    def draw(material: Material) -> Drawing | None:
        errors = _errors(material.records)
        labels = [
            label
            for label in dict.fromkeys(label for label, _ in errors)
            if all(errors[label, name] for name in methods)
        ]
        if not labels:
            return None
        means = [[float(np.mean(errors[label, name])) for name in methods] for label in labels]
        boxes = dict(zip(methods, robustness_ratios(means).T.tolist(), strict=True))
        text = f"over {len(labels)} sets, a dot each; the method with the smallest median is coloured."
        axis = "b_m: error over the smallest error on the set"
        panel = {"title": "Robustness", "boxes": boxes, "labels": labels, "axis": axis}
        return {"kind": "boxes", "text": text, "panels": [panel]}

    return draw


def _errors(records: Sequence[Record]) -> dict[tuple[str, str], list[float]]:
    """Errors in percent of the folds that are done, by data set and method."""
    errors: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in records:
        if record.status == DONE and record.score is not None:
            errors[record.dataset, record.label].append(100 * (1 - record.score))
    return errors


def neighbour_curves(
    datasets: Sequence[str], methods: Mapping[str, str | None]
) -> Callable[[Material], Drawing | None]:
    """Test scores over the number of neighbours, a panel per data set, best points marked.

    `methods` maps each method to its setting of which only the best value is drawn, or None.
    """

    def draw(material: Material) -> Drawing | None:
        panels = []
        for label in datasets:
            lines = []
            for method, setting in methods.items():
                own = [r for r in material.records if (r.dataset, r.label, r.status) == (label, method, DONE)]
                if own:
                    lines.append(_best_curve(own, method, setting))
            if lines:
                panels.append({"title": label, "x_title": "neighbours", "y_title": "aRRMSE", "lines": lines})
        text = "means over the folds, of the learned metric at its best point only; best points are ringed."
        return {"kind": "curves", "text": text, "panels": panels} if panels else None

    return draw


def _best_curve(records: Sequence[Record], method: str, setting: str | None) -> Drawing:
    grid = list(ParameterGrid(records[0].figures["grid"]))
    scores = np.array([record.figures["scores"] for record in records], dtype=float).mean(axis=0)
    best = int(np.nanargmin(scores))
    kept = [
        position
        for position, point in enumerate(grid)
        if setting is None or point[setting] == grid[best][setting]
    ]
    counts = next(name for name in grid[0] if name.endswith("n_neighbors"))
    name = method if setting is None else f"{method}, K = {grid[best][setting][0]}"
    return {
        "name": name,
        "x": [grid[position][counts] for position in kept],
        "y": [float(scores[position]) for position in kept],
        "best": kept.index(best),
    }


def validation_curves(
    dataset: str, method: str, *, over: str, lines: str, panels: str, where: Mapping[str, Any]
) -> Callable[[Material], Drawing | None]:
    """Validation accuracy over one setting, a line and a panel for each value of two others.

    Only the first fold is read, which every setting was tried on.
    """

    def draw(material: Material) -> Drawing | None:
        found: dict[tuple, list[float]] = defaultdict(list)
        for record in material.records:
            setting = {name.rsplit("__", 1)[-1]: value for name, value in record.setting.items()}
            if (record.dataset, record.label, record.status, record.fold) != (dataset, method, DONE, "0.0"):
                continue
            if all(setting[name] == value for name, value in where.items()):
                found[setting[panels], setting[lines], setting[over]].append(
                    100 * (record.validation_score or 0)
                )
        drawn = []
        for panel in sorted({key[0] for key in found}):
            own = [
                _line(f"{lines} {line}", {k[2]: v for k, v in found.items() if k[:2] == (panel, line)})
                for line in sorted({key[1] for key in found if key[0] == panel})
            ]
            drawn.append(
                {"title": f"{dataset}, {panel}", "x_title": over, "y_title": "accuracy in %", "lines": own}
            )
        text = f"validation accuracy on {dataset}, on the first fold, which every setting was tried on."
        return {"kind": "curves", "text": text, "panels": drawn} if drawn else None

    return draw


def _line(name: str, found: Mapping[Any, Sequence[float]]) -> Drawing:
    order = sorted(found)
    return {"name": name, "x": order, "y": [float(np.mean(found[x])) for x in order], "best": None}


def map_panel(title: str, Z: np.ndarray, labels: np.ndarray) -> Drawing:
    """Rows in two dimensions: as they are, or their two principal components where there are more.

    The title tells the leave-one-out accuracy of one nearest neighbour among all dimensions.
    """
    Z = np.asarray(Z, dtype=float)
    nearest = KNeighborsClassifier(1).fit(Z, labels).kneighbors(return_distance=False)[:, 0]
    accuracy = 100 * float(np.mean(labels[nearest] == labels))
    plane = Z if Z.shape[1] == 2 else PCA(2).fit_transform(Z)
    rows = np.sort(np.random.default_rng(0).permutation(len(Z))[:MAP_ROWS])
    return {
        "title": f"{title}: leave-one-out 1-NN accuracy {accuracy:.1f} %",
        "x": plane[rows, 0].tolist(),
        "y": plane[rows, 1].tolist(),
        "labels": [str(label) for label in labels[rows]],
    }


def to_prototypes(model, X) -> np.ndarray:
    """Distances of rows to every prototype of a fitted LMDL or kLMDL, each under its own metric."""
    return np.sqrt(model.distance_.to_prototypes(np.asarray(X, dtype=float)))
