"""How the papers' figures are drawn from a run: errors as bars and boxes, curves over settings, maps."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
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

    `methods` maps each method to its setting of which only the best value is drawn, or None. How many of the
    values stay at or below a method that has no such setting is told in the title.
    """

    def draw(material: Material) -> Drawing | None:
        panels = []
        for label in datasets:
            lines, levels = [], {}
            for method, setting in methods.items():
                own = [r for r in material.records if (r.dataset, r.label, r.status) == (label, method, DONE)]
                if own:
                    lines.append(_best_curve(own, method, setting))
                    levels[method] = _best_of_each(own, setting)
            if lines:
                title = ". ".join([label, *_no_worse(levels, methods)])
                panels.append({"title": title, "x_title": "neighbours", "y_title": "aRRMSE", "lines": lines})
        text = (
            "means over the folds, of the learned metric at its best point only; best points are ringed. "
            "Titles count how many of the points (K and nu) of the learned metric are at or below the other "
            "curve, at the best number of neighbours of each."
        )
        return {"kind": "curves", "text": text, "panels": panels} if panels else None

    return draw


def _best_of_each(records: Sequence[Record], setting: str | None) -> np.ndarray:
    """The best mean score of every value of a setting, or the best of all."""
    grid, scores = _mean_scores(records)
    found: dict[str, list[float]] = defaultdict(list)
    for point, score in zip(grid, scores, strict=True):
        found[repr(None if setting is None else point[setting])].append(score)
    # A value whose scores are all missing has no point on the curves.
    return np.array([np.nanmin(own) for own in found.values() if not np.isnan(own).all()])


def _no_worse(levels: Mapping[str, np.ndarray], methods: Mapping[str, str | None]) -> Iterator[str]:
    for base in (name for name in levels if methods[name] is None):
        for method in (name for name in levels if methods[name] is not None):
            count = int(np.sum(levels[method] <= levels[base].min()))
            yield f"{count} of {len(levels[method])} points at or below {base}"


def _mean_scores(records: Sequence[Record]) -> tuple[list[dict], np.ndarray]:
    grid = list(ParameterGrid(records[0].figures["grid"]))
    return grid, np.array([record.figures["scores"] for record in records], dtype=float).mean(axis=0)


def _best_curve(records: Sequence[Record], method: str, setting: str | None) -> Drawing:
    grid, scores = _mean_scores(records)
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
        # Axes of the array: panels, lines, and what the curves go over.
        values = [sorted(set(axis)) for axis in zip(*found, strict=True)]
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
        if found and len(found) == math.prod(map(len, values)):
            scores = np.reshape([np.mean(found[key]) for key in product(*values)], [*map(len, values)])
            text += _told_of(scores, lines, over, values[0])
        return {"kind": "curves", "text": text, "panels": drawn} if drawn else None

    return draw


def _told_of(scores: np.ndarray, lines: str, over: str, each: Sequence) -> str:
    """How far curves range along each setting, and how far neighbouring points of a panel are apart."""
    along_lines, along_curve = (np.ptp(scores, axis=axis).mean() for axis in (1, 2))
    jumps = np.abs(np.diff(scores, axis=2)).mean(axis=(1, 2))
    told = ", ".join(f"{jump:.1f} ({value})" for value, jump in zip(each, jumps, strict=True))
    return (
        f" It ranges over {along_curve:.1f} points along {over} and over {along_lines:.1f} along {lines}, "
        f"all else fixed; from one value of {over} to the next it changes by {told} points on average."
    )


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
