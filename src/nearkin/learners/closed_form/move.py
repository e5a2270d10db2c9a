"""Move-labeled and Move-query: ridge regression that moves one side of the search."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.validation import _check_sample_weight

from nearkin._types import Auto, ColumnLike, FilePath, MatrixLike
from nearkin.distances import EmbeddedDistance
from nearkin.learners.base import Learner
from nearkin.learners.closed_form.alpha import choose_relative_alpha
from nearkin.learners.closed_form.forms import QUERIES, REFERENCES, DualForm, PrimalForm, part_of_the_way
from nearkin.learners.closed_form.move_kernel import kernel_options
from nearkin.learners.closed_form.setting_choice import (
    ALL,
    Choice,
    Setting,
    choosing_rows,
    fewer_rows,
    parts_of_moves,
)
from nearkin.learners.settings import check_choice, check_count, check_number, refuse_lone_rows
from nearkin.maps.kernel import KernelLike
from nearkin.numerics.class_means import ClassMeans
from nearkin.rows_in_blocks import block_work, in_blocks
from nearkin.supervision.pairs import candidate_rows, listed_pairs
from nearkin.supervision.target_search import AUTO, EXACT, found_targets

# The dual form holds a few n x n arrays: for more rows than this they take more than a few gigabytes.
DUAL_MAX_ROWS = 30_000
# Moving a reference costs n^2 in the dual form, so held-out rows are compared with only this many.
DUAL_VALIDATION_REFERENCES = 2_500
# The aims of n_targets="auto", as the weight of MAP@R on held-out rows.
VOTES = "votes"
AIMS = {VOTES: Choice.list_weight, "lists": 1.0}
# The dual form lists its pairs; "all" is not tried if there are more than this.
DUAL_MAX_PAIRS = 20_000_000


class _Move(Learner):
    """Base of MoveLabeled and MoveQuery, which differ only in which side moves."""

    accepts_sparse: ClassVar[bool] = True
    _moves: ClassVar[str]
    #: Words accepted instead of a number of targets.
    _words: ClassVar[tuple[str, ...]] = ()

    def _fit(self, X, y, sample_weight, kernel=None, kernel_params=None, share=1.0):
        self._check_settings()
        if in_blocks(X):
            return block_work().fit(self, X, y, sample_weight=sample_weight)
        X, codes = self._validate_labelled(X, y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
            kept = sample_weight > 0
            X, codes, sample_weight = X[kept], codes[kept], sample_weight[kept]
        refuse_lone_rows(self, codes)
        self._use_primal = kernel is None and X.shape[1] <= X.shape[0]
        if not self._use_primal and X.shape[0] > DUAL_MAX_ROWS:
            raise ValueError(
                f"{type(self).__name__} needs n x n memory if features outnumber rows or with a kernel, "
                f"and {X.shape[0]} rows are too many for that (limit {DUAL_MAX_ROWS}); reduce the features "
                "first, for instance by sklearn.decomposition.TruncatedSVD(300), or drop the kernel."
            )
        options = kernel_options(kernel, kernel_params, X)
        # Settled before the final form is built, so that only one form is in memory at a time.
        relative, weights = self._settle(X, codes, sample_weight, options, share)
        form = self._form(X, self._pairs(X, codes, sample_weight), options)
        self.alpha_ = float(self.alpha) if relative is None else relative * form.unit
        whole = next(form.distances([self.alpha_]))
        self.objective_ = form.objective(whole) / X.shape[0]
        self.distance_ = part_of_the_way(whole, self.share_)
        if len(weights) > 1:
            del form, whole
            self.distance_ = self._averaged(X, codes, sample_weight, options, weights)
        self.n_iter_ = 1
        return self

    def _averaged(self, X, codes, sample_weight, options: dict, weights: dict[Setting, float]):
        """The weighted average of moves, which is itself a move part of the way."""
        parts = parts_of_moves(weights)
        moves, moved = 0.0, sum(sum(penalties.values()) for penalties in parts.values())
        for n_targets, penalties in parts.items():
            form = self._form(X, self._pairs(X, codes, sample_weight, n_targets), options)
            unit = form.unit if self.alpha == AUTO else float(self.alpha)
            alphas = unit * np.array(list(penalties))
            moves = moves + form.sum_of_moves(alphas, [part / moved for part in penalties.values()])
        return part_of_the_way(form.distance_of(moves), moved)

    def _check_settings(self) -> None:
        check_count(words=self._words, n_targets=self.n_targets)
        check_number(words=(AUTO,), alpha=self.alpha)

    def _settle(self, X, codes, sample_weight, options: dict, share, average: bool = True):
        """Choose the settings that are "auto"; sets `n_targets_` and `share_`.

        Returns the relative penalty, if it was chosen, and the settings whose moves are averaged. Moves are
        averaged only if the choice was made on all rows: with more rows it is less uncertain, and one
        regression is cheaper than four.
        """
        if self.n_targets == AUTO:
            all_pairs = self._use_primal or ClassMeans(codes, np.ones(len(codes))).nnz <= DUAL_MAX_PAIRS
            choice = Choice(
                n_targets=Choice.n_targets if all_pairs else Choice.n_targets[:-1],
                alpha=None if self.alpha == AUTO else float(self.alpha),
                shares=Choice.shares if share == AUTO else (float(share),),
                few_shares=Choice.few_shares if share == AUTO else (float(share),),
                may_stay=share == AUTO,
                list_weight=AIMS[getattr(self, "aim", VOTES)],
            )
            rows = choosing_rows(X, codes, sample_weight, None if self._use_primal else options)
            average = average and len(rows[1]) == len(codes)
            best, weights, self.choices_ = choice.make(*rows, average=average)
            self.n_targets_, self.share_ = best.n_targets, best.share
            relative = best.relative_alpha if self.alpha == AUTO else None
            return relative, weights if any(setting.share for setting in weights) else {}
        self.n_targets_, self.share_ = self.n_targets, 1.0 if share == AUTO else float(share)
        return self._relative_alpha(X, codes, sample_weight, options) if self.alpha == AUTO else None, {}

    def _pairs(self, X, codes, sample_weight, n_targets=None):
        n_targets = self.n_targets_ if n_targets is None else n_targets
        if n_targets == ALL:
            return ClassMeans(codes, np.ones(len(codes)) if sample_weight is None else sample_weight)
        most = getattr(self, "max_candidates", AUTO)
        among = None if isinstance(most, str) else candidate_rows(codes, most)
        targets = found_targets(X, codes, int(n_targets), getattr(self, "search", "exact"), among=among)
        self.search_recall_ = targets.recall
        return listed_pairs(targets.rows, X.dtype, sample_weight)

    def _form(self, X, pairs, options: dict):
        if self._use_primal:
            return PrimalForm(X, pairs, self._moves)
        return DualForm(X, pairs, self._moves, **options)

    def _relative_alpha(self, X, codes, sample_weight, options: dict) -> float:
        X, codes, sample_weight = fewer_rows(X, codes, sample_weight)

        def distances_for(rows, relative_alphas):
            weights = None if sample_weight is None else sample_weight[rows]
            pairs = self._pairs(X[rows], codes[rows], weights)
            if pairs.nnz == 0:
                return None
            form = self._form(X[rows], pairs, options)
            distances = form.distances(relative_alphas * form.unit)
            return (part_of_the_way(distance, self.share_) for distance in distances)

        relative, self.alpha_scores_ = choose_relative_alpha(
            X, codes, distances_for, max_references=None if self._use_primal else DUAL_VALIDATION_REFERENCES
        )
        return relative

    @property
    def components_(self) -> np.ndarray:
        """The d x d matrix of the move, about the training mean."""
        distance = getattr(self, "distance_", None)
        if not isinstance(distance, EmbeddedDistance):
            raise AttributeError(
                "components_ exists only after fitting without a kernel on rows that are dense or n >= d."
            )
        return getattr(distance, self._moves).matrix


class MoveLabeled(_Move):
    """Move the labelled points towards the queries that should find them, by ridge regression.

    Every training row x, as a query, should find its nearest neighbours z of its own class, so a matrix W is
    learned that moves those neighbours towards it: min sum ||x - W z||^2 + alpha ||W||^2. For prediction the
    references are moved and the queries are not. Regression shrinks what it maps, and references with
    smaller variance than the queries have fewer hubs.

    Parameters
    ----------
    n_targets : "auto", "all" or int, default="auto"
        Neighbours of the same class that are moved towards each row; "all" is the whole class, with the same
        total weight for every row. "auto" tries 1, 5, 20 and all together with alpha and share on held-out
        training rows (see `aim`) and averages the moves with weights exp(-z^2 / 2), z being how many standard
        errors a move is behind the best, as few rows do not show which is best. Above 20,000 rows (1,500 in
        the n x n form) the choice is made on a sample, and only the best move is used. A move that lowers
        the held-out accuracy of 1, 5 or 10 neighbours by more than one standard error is not made.
        ``n_targets=1`` is the published method.
    alpha : "auto" or float, default="auto"
        Penalty on W. "auto" tries six values together with n_targets="auto"; for a given number of targets
        it tries ten and keeps the best k-NN accuracy on held-out rows (at most 20,000). Of several equally
        good ones (within one standard error and 0.3 points) it takes the one with the fewest hubs.
    kernel : None, str, callable or KernelMap, default=None
        Move in the feature space of this kernel: "rbf", "polynomial", "linear", another Mercer kernel of
        `sklearn.metrics.pairwise.pairwise_kernels`, or a function of arrays of m and n rows that returns the
        m x n kernel values. A name alone means ``KernelMap(kernel=name)``, so gamma is "scale";
        ``KernelMap(kernel="rbf", gamma=0.1)`` sets it. All rows span the feature space, and `n_landmarks` is
        ignored.
    kernel_params : dict or None, default=None
        Deprecated: parameters of the kernel, with scikit-learn's defaults.
    share : "auto" or float, default="auto"
        How far references are moved, from 0 (not at all) to 1 (all the way). With n_targets="auto", "auto"
        chooses from 0 and 1, and for whole classes also from 0.25, 0.5, 0.75 and 0.875; otherwise it is 1.
    aim : {"votes", "lists"}, default="votes"
        What n_targets="auto" optimises on held-out rows. "votes": the votes of the nearest neighbours
        (accuracy of 1, 5 and 10 neighbours, with MAP@R at a tenth of the weight). "lists": that all rows of
        the class come first (MAP@R alone), which draws classes closer together and may cost accuracy.
    max_candidates : "auto", None or int, default="auto"
        Search for targets among this many rows of each class, chosen by a hash of the row number, instead of
        all (None). In trials 2,000 were as good as all, 500 cost up to 0.6 points of accuracy, and 20 were
        too few. "auto" is None for rows in memory and 2,000 for rows in blocks. Ignored if n_targets="all".
    search : {"exact", "auto"}, default="exact"
        How targets are found. With at least 100,000 rows, "auto" searches classes of at least 20,000 rows
        with FAISS's inverted lists, if a sample shows that these find 98 % of the targets in a fraction of
        the time; see `search_recall_`, and docs/scale.md for times.

    Attributes
    ----------
    distance_ : Distance
        Moves references but not queries. `distance_.embed_references(X)` gives the moved rows.
    n_targets_, alpha_, share_ : int or "all", float, float
        The settings used; with n_targets="auto", those of the best setting.
    choices_ : list of tuple
        (n_targets, relative penalty, share, score, hub skewness, weight in the average of moves) of all
        settings tried on held-out rows, best score first; only if n_targets="auto".
    components_ : ndarray of shape (n_features, n_features)
        The mixture of W and the identity. Not available with kernels, or for sparse rows with more features
        than rows.
    alpha_scores_ : ndarray of shape (10,)
        Held-out accuracy of each penalty tried; only if alpha="auto" and n_targets is given.
    objective_ : float
        Penalised squared error, mean per row; with n_targets="auto", that of the best setting.
    search_recall_ : float
        Share of the true targets that were found, measured on a sample; 1 for an exact search.
    classes_, n_features_in_, n_iter_
        As for every learner.

    Notes
    -----
    Cost: one product per class for the targets, two n x d x d products and one d x d solve; if d > n
    (or with a kernel or very wide sparse rows) everything is n x n instead. "auto" adds, twice, four such
    fits on some of the rows (at most 20,000, or 1,500 in the n x n form) and 50 searches for about 1,500
    held-out rows, and up to four fits for the average: two to five times the time of alpha="auto" alone.
    There is no `transform`, as moving queries and references alike would undo the method. Use
    `KNNClassifier(MoveLabeled())`.

    References
    ----------
    Shigeto, Shimbo, Matsumoto (2017). A fast and easy regression technique for k-NN classification
    without using negative pairs. PAKDD.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin import KNNClassifier, MoveLabeled
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KNNClassifier(MoveLabeled()).fit(X, y)
    >>> model.learner_.components_.shape, model.score(X, y) > 0.9
    ((4, 4), True)
    """

    summary = "Moves labelled points by ridge regression; closed form, cuts hubs."
    cost = "n·d² + d³, once"
    _moves = REFERENCES
    _words = (AUTO, ALL)

    def __init__(
        self,
        n_targets: int | Literal["auto", "all"] = "auto",
        alpha: float | Auto = "auto",
        kernel: KernelLike | None = None,
        kernel_params: dict[str, Any] | None = None,
        share: float | Auto = "auto",
        max_candidates: int | Auto | None = "auto",
        search: Literal["exact", "auto"] = "exact",
        aim: Literal["votes", "lists"] = "votes",
    ) -> None:
        self.n_targets = n_targets
        self.alpha = alpha
        self.kernel = kernel
        self.kernel_params = kernel_params
        self.share = share
        self.max_candidates = max_candidates
        self.search = search
        self.aim = aim

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"aim": list(AIMS)}

    def _check_settings(self) -> None:
        super()._check_settings()
        check_number(high=1, words=(AUTO,), share=self.share)
        check_count(words=(AUTO, None), max_candidates=self.max_candidates)
        check_choice((EXACT, AUTO), search=self.search)
        check_choice(tuple(AIMS), aim=self.aim)

    def fit(self, X: MatrixLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Learn W from labelled rows.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features), or rows in blocks
            Rows opened by `nearkin.open_rows`, or a Dask array or data frame.
        y : array-like of shape (n_samples,)
            Labels; at least one class must have two rows.
        sample_weight : array-like of shape (n_samples,) or None
            Weight of each row's pairs; rows of weight zero are left out.
        """
        return self._fit(X, y, sample_weight, self.kernel, self.kernel_params, self.share)

    def move(self, X: MatrixLike, out: FilePath | None = None) -> np.ndarray:
        """Rows embedded as references, to be stored in an index; also for new rows.

        Parameters
        ----------
        X : array-like or CSR of shape (n_samples, n_features), or rows in blocks
            Rows opened by `nearkin.open_rows` are read block by block; a Dask collection gives a Dask array.
        out : path of a .npy file, optional
            Write the rows there, block by block; resumes if it was interrupted.

        Returns
        -------
        moved : ndarray of shape (n_samples, n_features)
            With `out`, a memory map of that file.
        """
        if out is not None or in_blocks(X):
            return block_work().answers(self, "move", X, out)
        X = self._validate_new(X)
        if not isinstance(self.distance_, EmbeddedDistance):
            told = "fit without a kernel on dense rows, or on sparse ones with no more features than rows"
            raise TypeError(f"moved rows exist only in the feature space here; {told}.")
        return self.distance_.embed_references(X)


class MoveQuery(_Move):
    """Move the queries instead of the labelled points: the mirror image, which makes hubs worse.

    It exists to demonstrate hubs: the same regression with the roles exchanged shrinks the queries, so that
    the references vary more than the queries and hubs grow. Use `MoveLabeled` for prediction.

    Parameters
    ----------
    n_targets : int, default=1
        Neighbours of the same class that each query should move to.
    alpha : "auto" or float, default="auto"
        Penalty on W, as for `MoveLabeled`.

    Attributes
    ----------
    distance_, components_, alpha_, alpha_scores_, objective_, classes_, n_features_in_, n_iter_
        As for `MoveLabeled`; here `distance_.embed_queries(X)` gives the moved rows.

    Notes
    -----
    Cost as for `MoveLabeled` with a given number of targets.

    References
    ----------
    Shigeto, Shimbo, Matsumoto (2017), Section 4.2, as for `MoveLabeled`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin import MoveQuery
    >>> X, y = load_iris(return_X_y=True)
    >>> MoveQuery(alpha=1.0).fit(X, y).components_.shape
    (4, 4)
    """

    summary = "Moves queries by ridge regression; shows how hubs arise, not for prediction."
    cost = "n·d² + d³, once"
    _moves = QUERIES

    def __init__(self, n_targets: int = 1, alpha: float | Auto = "auto") -> None:
        self.n_targets = n_targets
        self.alpha = alpha

    def fit(self, X: MatrixLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Self:
        """Learn W from labelled rows; parameters as for `MoveLabeled.fit`."""
        return self._fit(X, y, sample_weight)
