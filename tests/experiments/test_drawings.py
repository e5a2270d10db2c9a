"""Figures drawn from records and from fits of their own."""

import numpy as np
import pytest

from nearkin.evaluation.results import Record
from nearkin.experiments.drawings import (
    MAP_ROWS,
    error_bars,
    map_panel,
    neighbour_curves,
    robustness_boxes,
    to_prototypes,
    validation_curves,
)
from nearkin.experiments.figures import Material
from nearkin.learners.prototype import LMDL


def record(label, method, fold="0.0", **told):
    return Record("key", label, method, fold, 0, told.pop("setting", {}), status="done", **told)


def test_bars_are_means_and_deviations_of_the_errors():
    records = [record("Iris", "A", score=0.9), record("Iris", "A", score=0.7), record("Iris", "B", score=1.0)]
    drawing = error_bars(("Iris", "Wine"), ("A", "B"))(Material(records, {}, False))
    (panel,) = drawing["panels"]
    assert panel["bars"]["A"] == pytest.approx((20, 10))
    assert panel["bars"]["B"] == (0.0, 0.0)
    assert error_bars(("Wine",), ("A",))(Material(records, {}, False)) is None


def test_boxes_are_errors_over_the_smallest_on_sets_that_all_methods_did():
    records = [record("Iris", "A", score=0.9), record("Iris", "A", score=0.7), record("Iris", "B", score=0.9)]
    records += [
        record("Wine", "A", score=1.0),
        record("Wine", "B", score=0.9),
        record("Glass", "A", score=0.5),
    ]
    drawing = robustness_boxes(("A", "B"))(Material(records, {}, False))
    (panel,) = drawing["panels"]
    assert (drawing["kind"], panel["labels"]) == ("boxes", ["Iris", "Wine"])
    assert panel["boxes"]["A"] == pytest.approx([2.0, 1.0])
    assert panel["boxes"]["B"] == [1.0, np.inf]
    assert robustness_boxes(("A", "C"))(Material(records, {}, False)) is None


def test_curves_keep_the_best_metric_and_mark_its_best_point():
    grid = {"model__metric_point": [[2, 1.0], [4, 1.0]], "model__n_neighbors": [3, 5]}
    figures = {"grid": grid, "scores": [0.9, 0.8, 0.7, 0.6]}
    records = [record("sf1", "DMLMTP", figures=figures), record("sf1", "DMLMTP", "0.1", figures=figures)]
    drawing = neighbour_curves(("sf1",), {"DMLMTP": "model__metric_point"})(Material(records, {}, False))
    (line,) = drawing["panels"][0]["lines"]
    assert (line["name"], line["x"], line["best"]) == ("DMLMTP, K = 4", [3, 5], 1)
    assert line["y"] == pytest.approx([0.7, 0.6])


def test_titles_count_the_points_that_stay_at_or_below_the_other_method():
    grid = {"model__n_neighbors": [3, 5], "model__metric_point": [[2, 1.0], [4, 1.0], [6, 1.0]]}
    # In the order of a ParameterGrid: the first point with three and with five neighbours, and so on.
    learned = {"grid": grid, "scores": [0.9, 0.7, 0.8, 0.9, None, None]}
    euclid = {"grid": {"model__n_neighbors": [3, 5]}, "scores": [0.75, 0.8]}
    records = [record("sf1", "Euclid", figures=euclid), record("sf1", "DMLMTP", figures=learned)]
    draw = neighbour_curves(("sf1",), {"Euclid": None, "DMLMTP": "model__metric_point"})
    (panel,) = draw(Material(records, {}, False))["panels"]
    assert panel["title"] == "sf1. 1 of 2 points at or below Euclid"


def told(regions, fold, score, k=9, components=3, gate="softmax"):
    setting = {
        "m__n_regions": regions,
        "m__n_components": components,
        "m__gating": gate,
        "m__n_neighbors": k,
    }
    return record("Musk", "MoLMNN", fold, setting=setting, validation_score=score)


DRAW = validation_curves(
    "Musk", "MoLMNN", over="n_regions", lines="n_components", panels="gating", where={"n_neighbors": 9}
)


def test_validation_curves_read_the_first_fold_only():
    records = [told(1, "0.0", 0.5), told(1, "0.1", 0.7), told(2, "0.0", 0.8), told(2, "1.0", 0.1)]
    records.append(told(2, "0.0", 0.0, k=3))
    (panel,) = DRAW(Material(records, {}, False))["panels"]
    assert panel["lines"][0]["x"] == [1, 2]
    assert panel["lines"][0]["y"] == pytest.approx([50, 80])


def test_validation_curves_say_how_far_they_range():
    # Regions move the accuracy by 10 and 30 points, dimensions by 0 and 20; with the sigmoid nothing does.
    softmax = {(1, 3): 0.5, (2, 3): 0.6, (1, 5): 0.5, (2, 5): 0.8}
    records = [told(P, "0.0", score, components=e) for (P, e), score in softmax.items()]
    records += [told(P, "0.0", 0.7, components=e, gate="sigmoid") for P, e in softmax]
    text = DRAW(Material(records, {}, False))["text"]
    assert "ranges over 10.0 points along n_regions and over 5.0 along n_components" in text
    assert "changes by 0.0 (sigmoid), 20.0 (softmax) points" in text
    assert "ranges" not in DRAW(Material(records[:-1], {}, False))["text"]


def test_maps_show_two_dimensions_and_tell_the_accuracy_of_all():
    rng = np.random.default_rng(0)
    y = np.arange(1200) % 2
    Z = np.column_stack([10 * y + rng.normal(size=1200), rng.normal(size=(1200, 3))])
    panel = map_panel("toy", Z, y)
    assert panel["title"] == "toy: leave-one-out 1-NN accuracy 100.0 %"
    assert len(panel["x"]) == len(panel["labels"]) == MAP_ROWS


def test_distances_to_prototypes_decide_as_the_learner_does():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 4)) + y[:, None]
    model = LMDL(2, random_state=0, max_epochs=5, euclid_share=0.0).fit(X, y)
    D = to_prototypes(model, X)
    assert np.array_equal(model.prototype_labels_[D.argmin(axis=1)], model.predict(X))
