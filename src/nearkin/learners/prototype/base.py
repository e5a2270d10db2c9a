"""What the three prototype learners share: classification by the nearest prototype."""

from __future__ import annotations

import warnings
from typing import ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight

from nearkin._types import ColumnLike, MatrixLike
from nearkin.distances.embeddings import CentredEmbedding
from nearkin.distances.per_prototype import PerPrototypeDistance
from nearkin.learners.base import Learner
from nearkin.learners.euclid_share import check_euclid_share
from nearkin.learners.euclid_vote import EuclidVote
from nearkin.learners.prototype.coordinates import resolve_rank
from nearkin.learners.prototype.counts import choose_count, prototype_counts
from nearkin.learners.prototype.rows import merge_equal_rows
from nearkin.learners.prototype.starts import PROTOTYPE_STARTS, start_metrics, start_prototypes
from nearkin.learners.prototype.training import LabelledRows, Prototypes, Schedule, Trained, train
from nearkin.learners.settings import check_choice, check_count, check_number, check_positive, check_share
from nearkin.rows_in_blocks import block_work, by_blocks, in_blocks

#: Up to this many rows, integer weights are expanded into repeated rows.
MOST_REPEATED = 100_000


class PrototypeLearner(EuclidVote, ClassifierMixin, Learner):
    """Prototypes with their own metrics, trained on the ratio of the two nearest distances.

    Subclasses define the coordinates in which training starts (`_start_embedding`) and the shape of a
    metric (`_resolve_rank`).
    """

    slow: ClassVar[bool] = True

    distance_: PerPrototypeDistance

    def fit(self, X: MatrixLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Learn prototypes and their metrics.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Class labels, at least two different ones.
        sample_weight : array of shape (n_samples,), optional
            A row of weight w counts like w equal rows.
        """
        if in_blocks(X):
            return block_work().fit(self, X, y, sample_weight=sample_weight)
        X, codes = self._validate_labelled(X, y, min_classes=2)
        self._check_settings()
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        total = float(weights.sum())
        X, codes, weights = merge_equal_rows(X, codes, weights)
        self._drop_weightless_classes(codes)
        rng = check_random_state(self.random_state)
        with np.errstate(over="raise"):
            embedding = self._start_embedding(X, codes, weights, rng)
        data = LabelledRows(embedding(X), codes, weights)
        rank = self._resolve_rank(data.U.shape[1])
        fitting, validation = self._split_validation(data, rng)
        counts = self._resolve_counts(fitting, rank, rng)
        runs = [self._run(fitting, validation, counts, rank, rng) for _ in range(self.n_init)]
        self._keep(min(runs, key=lambda run: run.score), embedding)
        # A row of weight w is judged like w equal rows, so merged rows are repeated again.
        times = np.rint(weights.astype(np.float64) * total)
        if total <= MOST_REPEATED and np.allclose(weights * total, times, rtol=0, atol=1e-3):
            again = np.repeat(np.arange(len(X)), times.astype(np.intp))
            X, codes, weights = X[again], codes[again], np.ones(len(again))
        self._keep_euclid(X, codes, weights)
        return self

    def _drop_weightless_classes(self, codes) -> None:
        present = np.unique(codes)
        if len(present) < len(self.classes_):
            gone = np.delete(self.classes_, present).tolist()
            raise ValueError(f"every row of class {gone} has sample_weight 0; leave these rows out.")

    def _check_settings(self) -> None:
        check_euclid_share(self.euclid_share)
        check_positive(beta=self.beta, validation_fraction=self.validation_fraction)
        check_share(validation_fraction=self.validation_fraction)
        check_count(words=("auto",), batch_size=self.batch_size)
        check_count(max_epochs=self.max_epochs, n_init=self.n_init)
        check_number(tol=self.tol)
        check_choice(PROTOTYPE_STARTS, init=self.init)

    def _start_embedding(self, X, y, weights, rng) -> CentredEmbedding:
        raise NotImplementedError

    def _resolve_rank(self, n_coordinates) -> int | None:
        """Rows of each factor; None for a weight per coordinate."""
        return resolve_rank(self.rank, n_coordinates)  # type: ignore[attr-defined]

    def _publish(
        self, embedding: CentredEmbedding, prototypes: Prototypes
    ) -> tuple[np.ndarray, np.ndarray, bool]:
        """`prototypes_`, `metrics_`, and whether the prototypes are rows of input space."""
        matrix, origin = embedding.matrix, embedding.origin
        if matrix.ndim == 1:
            backwards = np.divide(1, matrix, out=np.zeros_like(matrix), where=matrix != 0)
            return prototypes.centres * backwards + origin, prototypes.metrics * matrix, True
        backwards = np.linalg.pinv(matrix).T.astype(matrix.dtype, copy=False)
        return prototypes.centres @ backwards + origin, prototypes.metrics @ matrix, True

    def _split_validation(self, data, rng) -> tuple[LabelledRows, LabelledRows | None]:
        """Hold out some rows of every class that has enough; none without `early_stopping`."""
        if not self.early_stopping:
            return data, None
        parts = []
        for c in range(len(self.classes_)):
            members = rng.permutation(np.flatnonzero(data.y == c))
            parts.append(members[: int(len(members) * self.validation_fraction)])
        held_out = np.concatenate(parts)
        if len(held_out) == 0:
            raise ValueError(
                f"validation_fraction={self.validation_fraction} of {len(data)} rows leaves none to validate "
                "on; use a larger fraction or early_stopping=False."
            )
        return data.take(np.setdiff1d(np.arange(len(data)), held_out)), data.take(np.sort(held_out))

    def _resolve_counts(self, data, rank, rng) -> np.ndarray:
        wanted = self.n_prototypes
        members = np.bincount(data.y)
        if isinstance(wanted, str):
            if wanted != "auto":
                raise ValueError(
                    f"n_prototypes={wanted!r}: expected a positive whole number, a dict or 'auto'."
                )

            def fit(part, count):
                part_counts = np.minimum(count, np.bincount(part.y))
                return train(part, self._start(part, part_counts, rank, rng), self._schedule(part), rng)

            wanted = choose_count(data, fit, rng)
        return prototype_counts(wanted, self.classes_, members)

    def _start(self, data, counts, rank, rng) -> Prototypes:
        centres, labels = start_prototypes(data, counts, self.init, rng)
        return Prototypes(centres, labels, start_metrics(len(labels), data.U.shape[1], rank, data.U.dtype))

    def _schedule(self, data, verbose=0) -> Schedule:
        batch = int(np.clip(len(data) // 64, 32, 256)) if self.batch_size == "auto" else self.batch_size
        return Schedule(
            self.beta, batch, self.max_epochs, self.tol, verbose=verbose, name=type(self).__name__
        )

    def _run(self, data, validation, counts, rank, rng) -> Trained:
        start = self._start(data, counts, rank, rng)
        return train(data, start, self._schedule(data, self.verbose), rng, validation)

    def _keep(self, run: Trained, embedding: CentredEmbedding) -> None:
        """Set the fitted attributes from the best run."""
        trained = run.prototypes
        metrics = _principal_axes(trained.metrics) if trained.metrics.ndim == 3 else np.abs(trained.metrics)
        trained = Prototypes(trained.centres, trained.labels, metrics)
        self.prototypes_, self.metrics_, in_input_space = self._publish(embedding, trained)
        self.prototype_labels_ = self.classes_[trained.labels]
        self._prototype_codes = trained.labels
        self.history_ = run.history
        self.objective_ = run.objective
        self.n_iter_ = len(run.history)
        self.distance_ = PerPrototypeDistance(
            embedding, trained.centres, metrics, self.prototypes_ if in_input_space else None
        )
        if not run.converged:
            warnings.warn(
                f"{type(self).__name__} was still improving after max_epochs={self.max_epochs}; "
                "raise max_epochs or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _class_distances(self, X) -> np.ndarray:
        """Squared distance to the nearest prototype of each class, m x C."""
        D = self.distance_.to_prototypes(X)
        # Prototypes are in order of class, and every class has at least one.
        return np.minimum.reduceat(
            D, np.searchsorted(self._prototype_codes, np.arange(len(self.classes_))), axis=1
        )

    @by_blocks
    def predict(self, X: MatrixLike) -> np.ndarray:
        """The class of the nearest prototype, or with a share of Euclid the most probable one."""
        X = self._validate_new(X)
        if self._voting is None:
            return self.classes_[self._class_distances(X).argmin(axis=1)]
        return self.classes_[self._shared_proba(X).argmax(axis=1)]

    @by_blocks
    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """Class probabilities from the distance ratios of the training objective.

        With R_c the distance to class c divided by that to the nearest other class, class c gets
        ``1 / (1 + exp(beta (R_c - 1)))``, one minus the smoothed error if c were the true class,
        divided by the sum over the classes. Euclid's share is mixed in afterwards.
        """
        return self._shared_proba(self._validate_new(X))

    def _own_proba(self, X) -> np.ndarray:
        D = self._class_distances(X)
        two_nearest = np.partition(D, 1, axis=1)[:, :2]
        is_nearest = np.zeros(D.shape, dtype=bool)
        is_nearest[np.arange(len(D)), D.argmin(axis=1)] = True
        rival = np.where(is_nearest, two_nearest[:, 1:], two_nearest[:, :1])
        tiny = np.finfo(D.dtype).tiny
        # The probability is 0 beyond the range of exp anyway, and a ratio may overflow.
        with np.errstate(over="ignore"):
            R = np.minimum((D + tiny) / (rival + tiny), 1 + 80 / self.beta)
        P = 1 / (1 + np.exp(self.beta * (R - 1)))
        return P / P.sum(axis=1, keepdims=True)

    def project(self, X: MatrixLike, prototype: int, n_components: int = 2) -> np.ndarray:
        """Rows under a prototype's metric: along its strongest axes, with the prototype at the origin.

        With ``rank=2`` the two axes are the whole metric: squared lengths are the learned distances.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        prototype : int
            Row of `prototypes_`.
        n_components : int
            How many axes, at most the rank of the metric.
        """
        X = self._validate_new(X)
        distance = self.distance_
        if not -len(distance.centres) <= prototype < len(distance.centres):
            raise ValueError(f"prototype={prototype} does not exist; there are {len(distance.centres)}.")
        metric = distance.metrics[prototype]
        if metric.ndim == 1:
            strongest = np.argsort(-metric, kind="stable")
            metric = np.diag(metric)[strongest]
        if not 1 <= n_components <= len(metric):
            raise ValueError(
                f"n_components={n_components}: expected 1 to {len(metric)}, the rank of the metric."
            )
        difference = distance.embedding(X) - distance.centres[prototype].astype(X.dtype, copy=False)
        return difference @ metric[:n_components].T.astype(X.dtype, copy=False)


def _principal_axes(metrics) -> np.ndarray:
    """The same metrics as factors with orthogonal axes, the strongest first, which makes them unique."""
    _, strengths, axes = np.linalg.svd(metrics, full_matrices=False)
    factors = strengths[:, :, None] * axes
    largest = np.abs(factors).argmax(axis=2)[:, :, None]
    signs = np.where(np.take_along_axis(factors, largest, axis=2) < 0, -1, 1)
    return (factors * signs).astype(metrics.dtype, copy=False)
