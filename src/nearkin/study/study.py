"""`compare`: which distance is best on this data, and is it really better than Euclid?"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nearkin import evaluation
from nearkin._types import ColumnLike, Estimator, MatrixLike
from nearkin.datasets import DataNotice, Dataset
from nearkin.evaluation import (
    Candidate,
    Comparison,
    Problem,
    Progress,
    Record,
    RepeatRule,
    ResultsStore,
    fit_candidate,
    metric_named,
)
from nearkin.evaluation.comparison import BEST_MEAN
from nearkin.evaluation.fingerprints import describe
from nearkin.evaluation.problems import default_metric
from nearkin.evaluation.protocols import folds_for
from nearkin.evaluation.rows import plain
from nearkin.evaluation.runner import versions
from nearkin.evaluation.standings import shown_records
from nearkin.report.circumstances import Circumstances
from nearkin.report.held_out import troubles_of
from nearkin.report.leaderboard import explanations, leaderboard_html, leaderboard_text
from nearkin.report.plotting import require_plotting
from nearkin.scale.cluster import workers_at
from nearkin.study.candidates import candidates_of
from nearkin.study.data import as_dataset, default_folds, refuse_too_few_rows
from nearkin.study.facts import facts_of
from nearkin.study.models import EUCLID, named_corrections, settled_scale
from nearkin.study.progress_bar import progress_shown
from nearkin.study.saving import save_model

if TYPE_CHECKING:
    import pandas as pd


def compare(
    X: MatrixLike,
    y: ColumnLike | None = None,
    learners: Any = None,
    *,
    task: str | None = None,
    time_budget: float | str | None = "auto",
    folds: int | None = None,
    repeats: int | str = "auto",
    metric: str | None = None,
    rope: float | None = None,
    n_neighbors: int | None = None,
    tune: str = "quick",
    scale: str = "auto",
    impute: str | None = None,
    references: bool = False,
    average: bool = False,
    hubs: str | Sequence[str] | None = None,
    baseline: str = EUCLID,
    jobs: int = 0,
    scheduler: Any = None,
    isolate: bool = True,
    seed: int = 0,
    results: str | PathLike | None = None,
    progress: Callable[[Progress], None] | bool | str | None = "auto",
    interruptible: bool = False,
    name: str = "data",
    command: str = "",
) -> Study:
    """Compare learned distances with plain Euclid by cross-validation.

    Settings are tuned inside the training folds only, all learners are measured on the same folds, and
    "beats Euclid?" is a paired test on them.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d), or a Dataset
    y : labels, or one or several numeric targets; left out if X is a Dataset
    learners : str or sequence of names, classes and instances, optional
        All that support the data by default. A class is tuned; an instance keeps its own settings, and only
        the number of neighbours is tuned; transformers of scikit-learn are accepted too. Euclid always takes
        part.
    task : {"classification", "regression"}, optional
        Chosen by the targets if not given.
    time_budget : float, "auto" or None
        Seconds after which to stop; what is not finished by then is reported as "not run". "auto" is 45 to
        250, depending on the number of rows; None is no limit.
    folds : int, optional
        By default 10 up to 2,000 rows and 5 above; fewer if all classes but one are so rare that some folds
        would test a single class.
    repeats : int or "auto"
        How often the folds are drawn for every learner. "auto" is once, and then up to ten times for
        Euclid and the learners that may yet be shown to beat it, as long as time is left and the answer is
        not clear.
    metric : str, optional
        What settings are chosen and learners ranked by: accuracy (the default), balanced-accuracy, macro-f1,
        log-loss, roc-auc, and as retrieval of rows of the same class mrr, map@r, recall@K, precision@K,
        hit-rate@K, ndcg@K; for regression arrmse (the default), r2, mae.
    rope : float, optional
        Differences of the score up to this size count as practically equivalent: 0.01 by default, for
        MAE 1 % of Euclid's.
    n_neighbors : int, optional
        Neighbours that vote; tuned by default.
    tune : {"quick", "full", "none"}
        Settings tried per learner: up to two, but only the defaults of slow learners; its whole grid; none.
    scale : {"auto", "standard", "minmax", "none"}
        "auto" is standard for dense data, none for sparse data and for rows of unit length (embeddings).
    impute : {"median", "mean", "most-frequent", "knn"}, optional
        What fills missing cells of a data frame or dense array, learnt from training rows; without it they
        are an error.
    references : bool
        Add models that do not use neighbours, for orientation. They never win.
    average : bool
        Add the average vote of the best distances (`AverageVote`) among the learners that were named, or
        among five by default; each is fitted four times per fold. For classification.
    hubs : str or sequence of str, optional
        Hub corrections ("csls", "dissim-local", "local-scaling", "nicdm", "mutual-proximity") with which
        Euclid and the learners that were named take part again.
    baseline : str
        Label of the candidate that all others are tested against.
    jobs : int
        Worker processes; 0 means one per core. Results do not depend on it.
    scheduler : str, Client or cluster, optional
        Measure on a Dask cluster instead: its address, such as ``tcp://host:8786``, or a client. Results are
        the same, and still committed one by one by this process.
    isolate : bool
        False runs everything in this process, one by one: no start-up time, but a fit under way is
        not stopped at the end of the budget.
    seed : int
        Determines folds and random starts; the same seed gives the same results.
    results : path, optional
        Keep results in this file; the same call continues a stopped run.
    progress : callable, bool or "auto"
        Called with a `Progress` after every fold. "auto" shows a bar in notebooks, True also elsewhere.
    interruptible : bool
        Return what there is on Ctrl-C, with `study.comparison.interrupted` set, instead of raising.
    name : str
        Name of the data, if it is not a Dataset.
    command : str
        The command that repeats the comparison, for the report.

    Returns
    -------
    Study

    Notes
    -----
    Each learner is fitted once per fold, and three times more per setting tried; every process holds one
    copy of the data.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nearkin import compare
    >>> X, y = load_iris(return_X_y=True)
    >>> study = compare(X, y, ["RCA"], folds=3, time_budget=None, isolate=False, name="iris")
    >>> study.winner
    'RCA'
    >>> print(study.statement)
    Nothing beats Euclid: RCA has the best mean, but the difference could be chance (...).
    """
    data = as_dataset(X, y, task=task, name=name, impute=impute)
    refuse_too_few_rows(data)
    n_folds, rule = folds or default_folds(data), _rule(repeats)
    seconds = _seconds(time_budget, data.n_samples)
    judged_by = default_metric(data.task) if metric is None else metric_named(metric)
    options: dict[str, Any] = {"n_neighbors": n_neighbors, "n_folds": n_folds, "tune": tune}
    options["hubs"] = named_corrections(hubs)
    scale, notices = settled_scale(scale, data.X)
    options["scale"] = scale
    # Reference models have a scaling of their own, but rows of unit length are never scaled.
    reference_scale = (scale if notices else "auto") if references else None
    candidates, more = candidates_of(data, learners, judged_by, reference_scale, average, options)
    notices += more
    for notice in notices:
        warnings.warn(notice, stacklevel=2)
    protocol = folds_for(data.task, n_folds, 1 if rule is not None else int(repeats))
    circumstances = Circumstances(
        facts=facts_of(data, protocol, rule, scale, seconds, seed, tuned=any(c.grid for c in candidates)),
        versions=versions(),
        command=command,
        notices=notices,
        class_names=data.class_names,
        target_names=data.target_names,
    )
    with ResultsStore.open(results) as store, workers_at(scheduler) as pool:
        comparison = evaluation.compare_candidates(
            data.X,
            data.y,
            candidates,
            protocol,
            baseline=baseline,
            name=data.name,
            task=data.task,
            metric=judged_by,
            rope=rope,
            more_repeats=rule,
            store=store,
            jobs=jobs,
            pool=pool,
            isolate=isolate,
            time_budget=seconds,
            seed=seed,
            description=circumstances.to_dict(),
            progress=progress_shown(progress),
            interruptible=interruptible,
        )
        records = shown_records(store.results(comparison.run), protocol.n_repeats)
    return Study(data, candidates, comparison, records, circumstances, results)


def _rule(repeats: int | str) -> RepeatRule | None:
    """The rule of automatic repeats; None for a fixed number."""
    if repeats == "auto":
        return RepeatRule()
    if isinstance(repeats, str) or repeats < 1:
        raise ValueError(f"repeats={repeats!r}: expected a number of at least 1, or 'auto'.")
    return None


def _seconds(time_budget: float | str | None, n_rows: int) -> float | None:
    """The time budget in seconds; "auto" is what people are willing to wait for data of this size."""
    if not isinstance(time_budget, str):
        return time_budget
    if time_budget != "auto":
        raise ValueError(f"time_budget={time_budget!r}: expected seconds, 'auto' or None.")
    if n_rows <= 1000:
        return 45.0
    return 120.0 if n_rows <= 4000 else 250.0


@dataclass(frozen=True, repr=False, eq=False)
class Study:
    """A finished comparison: its answer, and all that a table, a report or a model file needs.

    Made by `nearkin.compare`.

    Attributes
    ----------
    data : Dataset
    candidates : sequence of Candidate
        What was compared, unfitted.
    comparison : Comparison
        The standings, with their tests against the baseline.
    records : sequence of Record
        Every fold of every candidate, with its predictions and neighbours.
    circumstances : Circumstances
        Facts, versions and notices for the report.
    results : path or None
        The results file, if there is one.
    """

    data: Dataset
    candidates: Sequence[Candidate]
    comparison: Comparison
    records: Sequence[Record]
    circumstances: Circumstances
    results: str | PathLike | None = None

    @property
    def winner(self) -> str | None:
        """Label of the best candidate; None if nothing finished."""
        return self.comparison.winner

    @property
    def statement(self) -> str:
        """The answer in a sentence."""
        return self.comparison.statement

    @property
    def leaderboard(self) -> pd.DataFrame:
        """A data frame with a line per candidate, best first, and the fields of `Standing` as columns.

        Among them are `mean`, `difference` from the baseline's mean, `p_value` of the paired test, and
        `p_adjusted` for the number of candidates, which decides the `verdict`.
        """
        return self.comparison.to_frame()

    @property
    def troubles(self) -> list[str]:
        """What did not go well, one line per learner."""
        return troubles_of(self.comparison, self.records)

    def fit(self, label: str | None = None, rows: ColumnLike | None = None) -> Estimator:
        """A candidate with the settings that tuning chose most often, fitted.

        Parameters
        ----------
        label : str, optional
            The winner by default; "significant" is the best of those that beat the baseline, or that.
        rows : array of int, optional
            Rows to fit on; all by default.
        """
        row = self.comparison.choose(label or BEST_MEAN).standing
        label, setting = row.label, row.setting
        candidate = next(candidate for candidate in self.candidates if candidate.label == label)
        decided = replace(candidate.untuned(), setting=original_values(candidate, setting))
        data = self.data if rows is None else self.data.take(rows)
        problem = Problem(data.name, data.X, data.y, data.task, self.comparison.metric)
        model, _ = fit_candidate(problem, decided, self.comparison.seed)
        return model

    def save(self, path: str | PathLike, label: str | None = None) -> Path:
        """Fit a candidate on all rows and save it with its provenance.

        Parameters
        ----------
        path : path of the file
        label : str, optional
            The candidate's name; "best-mean" (the default) is the winner, "significant" the best of those
            that beat the baseline, or the baseline if none does.
        """
        row, reason = self.comparison.choose(label or BEST_MEAN)
        model, metric = self.fit(row.label), self.comparison.metric
        scores = {"metric": metric.name, "mean": row.mean, "sd": row.sd, "folds": list(row.scores)}
        scores["reason"] = reason
        command = self.circumstances.command
        save_model(model, self.data, path, learner=row.label, scores=scores, command=command)
        return Path(path)

    def report(self, path: str | PathLike, *, embed_plotly: bool = False) -> Path:
        """Write the HTML report, fitting what its pictures need; views are kept in the results file.

        The page is self-contained; with `embed_plotly` it includes plotly.js (some 5 MB), for figures that
        zoom.
        """
        require_plotting()
        from nearkin.report.html import write_report
        from nearkin.study.pictures import views_of

        with warnings.catch_warnings():
            # Categories that the training rows of a fold lack are of no interest here.
            warnings.simplefilter("ignore", DataNotice)
            views = views_of(self)
        if self.results is not None and self.comparison.run is not None:
            with ResultsStore.open(self.results) as store:
                store.put_artifact(self.comparison.run, "views", views.to_dict())
        notices = [*self.circumstances.notices, *self.troubles]
        circumstances = replace(self.circumstances, notices=notices)
        return write_report(path, self.comparison, views, circumstances, embed_plotly=embed_plotly)

    def to_dict(self) -> dict[str, Any]:
        """The comparison with its circumstances in plain values, ready for JSON."""
        given = self.circumstances
        return {
            **plain(self.comparison.to_dict()),
            "task": self.data.task,
            "facts": given.facts,
            "versions": given.versions,
            "notices": [*given.notices, *self.troubles],
            "command": given.command,
        }

    def __str__(self) -> str:
        answer = "\n".join([self.statement, *explanations(self.comparison)])
        return f"{self.data}\n\n{leaderboard_text(self.comparison)}\n\n{answer}"

    def __repr__(self) -> str:
        return f"<Study of {self.data}; {self.statement}>"

    def _repr_html_(self) -> str:
        return leaderboard_html(self.comparison, title=str(self.data))


def original_values(candidate: Candidate, setting: Mapping[str, Any]) -> dict[str, Any]:
    """The grid's own values in place of the descriptions that results keep of them."""
    grids = [candidate.grid] if isinstance(candidate.grid, Mapping) else candidate.grid
    values: dict[str, Any] = {}
    for key, described in setting.items():
        tried = [value for grid in grids for value in grid.get(key, ())]
        values[key] = next((value for value in tried if describe(value) == described), described)
    return values
