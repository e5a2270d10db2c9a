"""Results made up so that methods stand in a known order: what claims say of them can be foreseen."""

from itertools import permutations, product

import numpy as np

from nearkin.experiments.values import Values

#: Step between two methods: within what a claim forgives, and beyond it.
STEPS = (0.01, 10.0)
#: Whether the step grows or shrinks with the number of features, the order turns round on every other set,
#: the others take turns behind the method in front, or each method is twenty times the one before it.
SHAPES = ("grows", "shrinks", "alternates", "takes turns", "steep")
#: A chosen setting, smaller or larger than any that a claim could ask for.
SETTINGS = (1, 100)


class Recording(dict):
    """Remembers which keys were asked for."""

    def __init__(self, items):
        super().__init__(items)
        self.asked = set()

    def get(self, key, default=None):
        self.asked.add(key)
        return super().get(key, default)


def fabricated(paper):
    """Complete results of a paper, with every two of its methods once in front, in every shape."""
    names = [method.label for method in paper.methods]
    for (first, second), step, shape in product(permutations(names, 2), STEPS, SHAPES):
        others = [name for name in names if name not in (first, second)]
        order = [first, second, *others]
        setting = SETTINGS[STEPS.index(step)]
        yield _values(paper, order, step, shape, setting)
        yield _values(paper, order[::-1], step, shape, setting)


def _chosen(settings, value):
    """Settings that are numbers, the point of DMLMTP's path that begins with such a number, and a gate."""
    return {**dict.fromkeys(settings, value), "metric_point": (value, 1.0, 1.0, 0.0), "gating": str(value)}


def _values(paper, order, step, shape, setting):
    labels = tuple(use.label for use in paper.datasets)
    rng = np.random.RandomState(0)
    means, folds = {}, {}
    for i, label in enumerate(labels):
        size = step * {"grows": i + 1, "shrinks": len(labels) - i}.get(shape, 1)
        names = order[::-1] if shape == "alternates" and i % 2 else order
        if shape == "takes turns":
            turn = 1 + i % (len(order) - 1)
            names = [order[0], *order[turn:], *order[1:turn]]
        for metric, (position, name) in product(paper.metrics, enumerate(names, 1)):
            mean = size * (20.0 ** (position - 1) if shape == "steep" else position)
            scores = mean + step * rng.uniform(-0.01, 0.01, 10)
            means[metric, label, name] = float(mean)
            folds[metric, label, name] = tuple(scores)
    settings = {name for chosen in paper.published_choices.values() for name in chosen}
    # The method in front chose one of the two, all others the other.
    (other,) = set(SETTINGS) - {setting}
    # Where the order turns round, so do these.
    turned = {label: shape == "alternates" and i % 2 for i, label in enumerate(labels)}
    choices = {
        (label, name): _chosen(settings, setting if (name == order[0]) != turned[label] else other)
        for label in labels
        for name in order
    }
    n_features = {label: i + 2 for i, label in enumerate(labels)}
    return Values(labels, means, scores=folds, choices=choices, n_features=n_features)
