"""Mini-batch training of prototypes and their metrics with the ratio objective."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nearkin.numerics.blocks import blocks
from nearkin.numerics.prototypes import nearest_same_and_other, prototype_distances, ratio_errors
from nearkin.numerics.threads import blas_threads


@dataclass
class LabelledRows:
    """Embedded rows, their classes 0..C-1 and weights that sum to 1."""

    U: np.ndarray
    y: np.ndarray
    weights: np.ndarray

    def __len__(self) -> int:
        return len(self.y)

    @property
    def n_coordinates(self) -> int:
        return self.U.shape[1]

    def parts(self, rng: np.random.RandomState | None = None) -> Iterator[LabelledRows]:
        """All rows in parts that fit into memory, in random order if `rng` is given."""
        yield self

    def take(self, rows) -> LabelledRows:
        weights = self.weights[rows]
        return LabelledRows(self.U[rows], self.y[rows], weights / weights.sum())


@dataclass
class Prototypes:
    """Positions (P x e), classes (P) and metrics (P x r x e or P x e)."""

    centres: np.ndarray
    labels: np.ndarray
    metrics: np.ndarray

    def distances(self, U) -> np.ndarray:
        differences = self.metrics.size // self.metrics.shape[-1]
        return np.concatenate(
            [prototype_distances(U[part], self.centres, self.metrics) for part in blocks(len(U), differences)]
        )

    def objective(self, data: LabelledRows, beta: float) -> float:
        """Weighted mean of the smoothed errors."""
        total = 0.0
        for part in data.parts():
            D = self.distances(part.U)
            same, other = nearest_same_and_other(D, part.y[:, None] == self.labels)
            rows = np.arange(len(part))
            errors = ratio_errors(D[rows, same], D[rows, other], beta, tiny_distance(part.U))
            total += float(errors @ part.weights)
        return total

    def error(self, data: LabelledRows) -> float:
        """Weighted share of rows whose nearest prototype is of another class."""
        wrong = self.labels[self.distances(data.U).argmin(axis=1)] != data.y
        return float(data.weights[wrong].sum())


@dataclass
class Schedule:
    """How long and in which steps to train.

    Attributes
    ----------
    beta : float
        Slope of the sigmoid.
    batch_size : int
    max_epochs : int
    tol : float
        How much the objective must fall to count as progress.
    patience : int
        Epochs without progress after which training stops.
    verbose : int
    name : str
        What messages call the learner.
    average_decay : float
        Weight of the last average when an epoch's parameters are averaged in.
    step_decay : float
        Share of Adadelta's running means that a step keeps.
    step_epsilon : float
        Adadelta's epsilon for coordinates of size 1: ten times the usual, which halves the epochs.
    """

    beta: float
    batch_size: int
    max_epochs: int
    tol: float
    patience: int = 10
    verbose: int = 0
    name: str = ""
    average_decay: float = 0.8
    step_decay: float = 0.95
    step_epsilon: float = 1e-5


@dataclass
class Trained:
    """The outcome of one training run."""

    prototypes: Prototypes
    objective: float
    history: list[dict]
    converged: bool

    @property
    def score(self) -> float:
        """The value by which restarts are compared: the validation objective if there is one."""
        if "validation" in self.history[-1]:
            return min(epoch["validation"] for epoch in self.history)
        return self.objective


def tiny_distance(U) -> float:
    """A small number that is added to both distances of the ratio, for coordinates of size 1."""
    return float(np.finfo(U.dtype).eps * U.shape[1])


class _Parameters:
    """Centres and metrics as views of one flat buffer, so that averaging takes one pass."""

    def __init__(self, start: Prototypes):
        self.labels = start.labels
        self._shapes = start.centres.shape, start.metrics.shape
        self.flat = np.concatenate([start.centres.ravel(), start.metrics.ravel()])

    def views(self, flat) -> tuple[np.ndarray, np.ndarray]:
        centres, metrics = self._shapes
        cut = centres[0] * centres[1]
        return flat[:cut].reshape(centres), flat[cut:].reshape(metrics)

    def prototypes(self, flat) -> Prototypes:
        centres, metrics = self.views(flat.copy())
        return Prototypes(centres, self.labels, metrics)


class _Passes:
    """Passes over the rows, one step per random batch, with the solver's state between them."""

    def __init__(self, data: LabelledRows, parameters: _Parameters, schedule: Schedule):
        # Imported here because Numba takes most of a second to import.
        from nearkin.numerics.kernels_prototypes import factor_epoch, weight_epoch

        self._centres, metrics = parameters.views(parameters.flat)
        self._metrics = metrics.reshape(len(metrics), -1)
        self._labels = np.ascontiguousarray(parameters.labels, dtype=np.int64)
        self._epoch = weight_epoch if metrics.ndim == 2 else factor_epoch
        self._data, self._batch_size = data, schedule.batch_size
        n_prototypes, n_coordinates = self._centres.shape
        width = n_coordinates + self._metrics.shape[1]
        dtype = parameters.flat.dtype
        self._running = np.zeros((n_prototypes, width), dtype), np.zeros((n_prototypes, width), dtype)
        self._clock = np.zeros(n_prototypes + 1, dtype=np.int64)
        self._solver = dtype.type(schedule.step_decay), dtype.type(schedule.step_epsilon)
        self._beta = float(schedule.beta)

    def once(self, rng) -> float:
        """Take the steps of one pass; returns the mean error on the way."""
        return sum(self._over(part, rng) for part in self._data.parts(rng))

    def _over(self, data: LabelledRows, rng) -> float:
        # Batches of nearly equal size: a last batch of one row would cause as large a step as the others.
        n_batches = max(1, round(len(data) / self._batch_size))
        return self._epoch(
            np.ascontiguousarray(data.U),
            np.ascontiguousarray(data.y, dtype=np.int64),
            np.ascontiguousarray(data.weights),
            rng.permutation(len(data)),
            np.linspace(0, len(data), n_batches + 1).astype(np.int64),
            self._labels,
            self._centres,
            self._metrics,
            self._running,
            self._clock,
            self._beta,
            tiny_distance(data.U),
            self._solver,
        )


class _Progress:
    """Decides when to stop, keeps the best average on the validation rows, prints."""

    def __init__(self, schedule: Schedule, validation: LabelledRows | None):
        self.schedule = schedule
        self.validation = validation
        self.history: list[dict] = []
        self.best = np.inf
        self.best_epoch = 0
        self.best_flat: np.ndarray | None = None
        self.converged = False

    def record(self, objective, parameters: _Parameters, average) -> bool:
        """Note an epoch; True once it is time to stop."""
        epoch = {"epoch": len(self.history) + 1, "objective": objective}
        watched = objective
        if self.validation is not None:
            watched = parameters.prototypes(average).objective(self.validation, self.schedule.beta)
            epoch["validation"] = watched
        self.history.append(epoch)
        if self.schedule.verbose:
            print(
                f"[{self.schedule.name}] " + ", ".join(f"{k} {v:.5g}" for k, v in epoch.items()), flush=True
            )
        if watched < self.best - self.schedule.tol or self.best_flat is None:
            self.best, self.best_epoch = watched, epoch["epoch"]
            if self.validation is not None or self.best_flat is None:
                self.best_flat = average.copy()
        self.converged = epoch["epoch"] - self.best_epoch >= self.schedule.patience
        return self.converged


def train(
    data: LabelledRows,
    start: Prototypes,
    schedule: Schedule,
    rng: np.random.RandomState,
    validation: LabelledRows | None = None,
) -> Trained:
    """Minimise the mean smoothed error from `start` by Adadelta on mini-batches.

    Parameters are averaged over the last epochs, which removes the noise of the last batches. Training
    stops when the objective (of `validation`, if given) has not fallen by `tol` for `patience` epochs; with
    `validation` the best average seen is returned.

    Notes
    -----
    An epoch costs n P r e multiply-adds forward and, since only two prototypes per row get a gradient,
    about 2 n r e backward.
    """
    parameters = _Parameters(start)
    theta = parameters.flat
    average = theta.copy()
    passes = _Passes(data, parameters, schedule)
    progress = _Progress(schedule, validation)
    size = start.metrics.size // start.metrics.shape[-1] * data.n_coordinates
    with blas_threads(size * min(schedule.batch_size, len(data))):
        for epoch in range(schedule.max_epochs):
            objective = passes.once(rng)
            # The first average must not include the start.
            average += (theta - average) * max(1 - schedule.average_decay, 1 / (epoch + 1))
            if progress.record(objective, parameters, average):
                break
    if validation is not None:
        final = parameters.prototypes(progress.best_flat)
        value = final.objective(data, schedule.beta)
    else:
        candidates = [parameters.prototypes(average), parameters.prototypes(theta)]
        values = [candidate.objective(data, schedule.beta) for candidate in candidates]
        value = min(values)
        final = candidates[values.index(value)]
    return Trained(final, value, progress.history, progress.converged)
