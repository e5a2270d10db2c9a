"""Run a paper's experiment on the data sets at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from nearkin.datasets import DataError, list_datasets, load_dataset
from nearkin.datasets.registry import find_known
from nearkin.evaluation import GivenSplit, Problem, Progress, Record, ResultsStore, plan_tasks, run_tasks
from nearkin.evaluation.problems import default_metric
from nearkin.evaluation.runner import n_jobs, versions
from nearkin.evaluation.tasks import Task
from nearkin.experiments.claims import NOT_TESTED, Claim, Verdict
from nearkin.experiments.collecting import failures_of, filled, grouped, measured, not_converged
from nearkin.experiments.estimators import encoding_first
from nearkin.experiments.figures import Material
from nearkin.experiments.halving import Halving, run_halving
from nearkin.experiments.outcome import (
    AbsentDataset,
    CheckedClaim,
    Reproduction,
    UsedDataset,
    agreements,
)
from nearkin.experiments.paper import DatasetUse, Paper, Setup, rows_for
from nearkin.experiments.values import Values

DOWNLOAD = "download"
NOT_IN_QUICK = "left out of quick runs"


def reproduce(
    paper: Paper,
    *,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    quick: bool = False,
    seed: int = 0,
    jobs: int = 1,
    store: ResultsStore | None = None,
    download: bool = False,
    isolate: bool = True,
    draw: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Reproduction:
    """Repeat a paper's experiment and check its claims against the numbers.

    Parameters
    ----------
    paper : Paper
        From `nearkin.experiments.load_paper`.
    datasets : sequence of str, optional
        Names or labels of the sets to use; all of the paper's by default.
    methods : sequence of str, optional
        Labels of the methods to run; all of the paper's by default. Claims about others are not tested.
    quick : bool
        Fewer repeats, smaller grids and fewer rows, as the paper's declaration says.
    seed : int
        Determines rows, folds and random starts.
    jobs : int
        Worker processes; 0 means one per core.
    store : ResultsStore, optional
        Where results are kept: the same call continues from there.
    download : bool
        Whether sets that are not at hand may be fetched from OpenML.
    isolate : bool
        False runs everything in this process, as `run_tasks` explains.
    draw : bool
        Whether to draw the paper's figures too, which may fit models of their own.
    progress : callable, optional
        Called with a `Progress` after every task.

    Returns
    -------
    Reproduction
        Sets that are not at hand are listed in it with how to get them.
    """
    started = monotonic()
    paper = with_methods(paper, methods)
    setups, absent = _gather(paper, chosen_uses(paper, datasets), quick, seed, download)
    tasks, notes = _plan(paper, setups, seed)
    own_store = store is None
    store = ResultsStore.open() if store is None else store
    try:
        options = {
            "store": store,
            "jobs": n_jobs(jobs),
            "isolate": isolate,
            "task_seconds": paper.quick_task_seconds if quick and isolate else None,
            "arrays": False,
            "stage": "reproduce",
            "description": {"kind": "reproduce", "paper": paper.key, "quick": quick, "seed": seed},
            "progress": progress,
        }
        records = _run(tasks, paper.halving, options) if tasks else []
    finally:
        if own_store:
            store.close()
    circumstances = {
        "datasets": None if datasets is None else tuple(datasets),
        "methods": None if methods is None else tuple(method.label for method in paper.methods),
        "quick": quick,
        "seed": seed,
        "seconds": monotonic() - started,
    }
    found = _outcome(paper, setups, absent, records, notes, circumstances)
    return replace(found, figures=_figures(paper, setups, records, quick)) if draw else found


def _run(tasks: Sequence[Task], halving: Halving | None, options: dict[str, Any]) -> list[Record]:
    if halving is None:
        return run_tasks(tasks, **options)
    return run_halving(tasks, halving, lambda chosen: run_tasks(chosen, **options))


def _figures(paper: Paper, setups: Sequence[Setup], records: Sequence[Record], quick: bool) -> tuple:
    material = Material(records, {setup.use.label: setup.encoded for setup in setups}, quick)
    drawn = [(figure, figure.draw(material)) for figure in paper.figures]
    return tuple(
        {"title": figure.title, "published": figure.published, "drawing": drawing}
        for figure, drawing in drawn
        if drawing is not None
    )


def chosen_uses(paper: Paper, names: Sequence[str] | None) -> list[DatasetUse]:
    """The paper's sets that were asked for by name, alias or label; an unknown name is an error."""
    if names is None:
        return list(paper.datasets)
    chosen: dict[str, DatasetUse] = {}
    for name in names:
        known = find_known(name)
        matches = [
            use
            for use in paper.datasets
            if use.label.lower() == name.strip().lower() or (known is not None and use.name == known.name)
        ]
        if not matches:
            labels = ", ".join(use.name for use in paper.datasets)
            raise ValueError(f"{paper.key} has no data set {name!r}; it has: {labels}.")
        chosen |= {use.label: use for use in matches}
    return [use for use in paper.datasets if use.label in chosen]


def with_methods(paper: Paper, names: Sequence[str] | None) -> Paper:
    """The paper with only the methods asked for, whatever their case; an unknown name is an error."""
    if names is None:
        return paper
    requested = {name.strip().lower() for name in names}
    unknown = requested - {method.label.lower() for method in paper.methods}
    if unknown:
        labels = ", ".join(method.label for method in paper.methods)
        raise ValueError(f"{paper.key} has no method {', '.join(sorted(unknown))!r}; it has: {labels}.")
    return replace(paper, methods=tuple(m for m in paper.methods if m.label.lower() in requested))


def _gather(paper: Paper, uses, quick: bool, seed: int, download: bool):
    """Setups of the sets at hand, and what is absent and why."""
    at_hand = {status.name: status for status in list_datasets()}
    setups: list[Setup] = []
    absent: list[AbsentDataset] = []
    for use in uses:
        status = at_hand[use.name]
        if quick and not use.in_quick:
            absent.append(AbsentDataset(use.label, use.name, NOT_IN_QUICK, "run without --quick"))
            continue
        if not status.available or (status.available == DOWNLOAD and not download):
            how = status.how + ("; or run with --download" if status.available == DOWNLOAD else "")
            absent.append(AbsentDataset(use.label, use.name, "not at hand", how))
            continue
        try:
            setups.append(setup_of(paper, use, quick, seed, download))
        except (DataError, OSError) as error:
            absent.append(AbsentDataset(use.label, use.name, f"cannot be used: {error}", status.how))
    return setups, absent


def setup_of(
    paper: Paper, use: DatasetUse, quick: bool = False, seed: int = 0, download: bool = False
) -> Setup:
    """A data set of a paper as its experiment takes it; raises DataError if it is not at hand."""
    data = load_dataset(use.name, download=download)
    protocol = paper.quick_protocol if quick else use.protocol or paper.protocol
    train, test = data.train_indices, data.test_indices
    if use.published_split and train is not None and test is not None and not quick:
        return Setup(use, data, GivenSplit(train, test), quick, seed)
    rows = rows_for(use, data, quick, seed)
    data = data if len(rows) == data.n_samples else data.take(rows)
    return Setup(use, data if use.reduction is None else use.reduction(data.encoded()), protocol, quick, seed)


def _plan(paper: Paper, setups: Sequence[Setup], seed: int) -> tuple[list[Task], dict]:
    """All tasks, set by set, and the reasons for methods that are left out somewhere."""
    tasks: list[Task] = []
    notes: dict[tuple[str, str], str] = {}
    for setup in setups:
        metric = paper.metric or default_metric(setup.data.task)
        problem = Problem(setup.use.label, setup.data.X, setup.data.y, setup.data.task, metric)
        candidates = []
        for method in paper.methods:
            reason = method.omit(setup)
            if reason:
                notes[setup.use.label, method.label] = reason
            else:
                candidates.append(encoding_first(method.build(setup), setup.data.encoder))
        tasks += plan_tasks(problem, candidates, setup.protocol, seed, by_code=True)
    return tasks, notes


def _outcome(
    paper: Paper,
    setups: Sequence[Setup],
    absent: Sequence[AbsentDataset],
    records: Sequence[Record],
    notes: dict,
    circumstances: dict[str, Any],
) -> Reproduction:
    quick = circumstances["quick"]
    found = grouped(records, paper.metric)
    values, published = measured(paper, found, setups), paper.published()
    labels = [setup.use.label for setup in setups]
    tables = tuple(filled(table, paper, found, labels, notes) for table in paper.tables)
    outcomes = [statistic(values) for statistic in paper.statistics]
    return Reproduction(
        paper=paper.key,
        citation=paper.citation,
        **circumstances,
        protocol=paper.facts,
        tables=tuple(table for table in tables if table.rows),
        claims=tuple(_checked(claim, values, published, quick) for claim in paper.claims),
        statistics=tuple(outcome for outcome in outcomes if outcome is not None),
        agreement=agreements(tables, [method.label for method in paper.methods if method.own], paper.reasons),
        used=tuple(_used(setup) for setup in setups),
        absent=tuple(absent),
        deviations=(*paper.deviations, *(paper.quick_deviations if quick else ())),
        failures=(*failures_of(found), *_left_out(notes), *not_converged(found)),
        versions=dict(versions()),
        date=datetime.now(UTC).date().isoformat(),
        work_seconds=sum(record.seconds for record in records),
        commits=tuple(sorted({str(r.versions["commit"]) for r in records if "commit" in r.versions})),
    )


def _left_out(notes: dict[tuple[str, str], str]) -> list[str]:
    """One sentence for each method and reason.

    >>> _left_out({("iris", "NCA"): "slow", ("wine", "NCA"): "slow"})
    ['NCA is not run on iris, wine: slow']
    """
    sets: dict[tuple[str, str], list[str]] = {}
    for (label, method), reason in notes.items():
        sets.setdefault((method, reason), []).append(label)
    return [
        f"{method} is not run on {', '.join(labels)}: {reason}" for (method, reason), labels in sets.items()
    ]


def _checked(claim: Claim, values: Values, published: Values, quick: bool) -> CheckedClaim:
    if quick and not claim.in_quick:
        here = Verdict(NOT_TESTED, detail="a quick run leaves too little choice")
    else:
        here = claim.check(values)
    return CheckedClaim(claim.text, here, claim.check(published), claim.beyond)


def _used(setup: Setup) -> UsedDataset:
    known = find_known(setup.use.name)
    return UsedDataset(
        label=setup.use.label,
        name=setup.use.name,
        n_rows=setup.data.n_samples,
        n_features=setup.encoded.n_features,
        all_rows=known.n if known is not None else setup.data.n_samples,
        source=setup.data.source,
        remark=setup.use.remark,
    )
