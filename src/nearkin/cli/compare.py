"""`nearkin compare`: which distance is best on this data, and is it really better than Euclid?"""

from __future__ import annotations

from typing import Annotated

import typer

from nearkin.cli.errors import require_writable, speaks_plainly
from nearkin.cli.models import EUCLID, chosen_learners, make_candidates, reference_candidates
from nearkin.cli.options import (
    CategoricalOption,
    DataArgument,
    DropOption,
    EncodingOption,
    ImputeOption,
    JsonOption,
    ScaleOption,
    SeedOption,
    TargetOption,
    TaskOption,
    optional_path,
    parse_duration,
    parse_neighbors,
    read_data,
    tell_of_constant_targets,
)
from nearkin.cli.output import print_json, progress_bar, to_stderr


@speaks_plainly
def compare(
    data: DataArgument,
    target: TargetOption = None,
    learners: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="Learners to compare; all that fit the data if left out."),
    ] = None,
    time_budget: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Stop after this time, such as 90s, 2m or 1h; none for no limit; auto is 45s to 4m by size.",
        ),
    ] = "auto",
    folds: Annotated[int | None, typer.Option(min=2, help="Folds; 10 up to 2,000 rows, 5 above.")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Times the cross-validation is repeated.")] = 1,
    neighbors: Annotated[str, typer.Option(metavar="K", help="Neighbours that vote, or tuned.")] = "tuned",
    tune: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="Settings tried per learner: quick (up to 2, slow learners as they are), full or none.",
        ),
    ] = "quick",
    scale: ScaleOption = "auto",
    impute: ImputeOption = None,
    drop: DropOption = None,
    categorical: CategoricalOption = None,
    encoding: EncodingOption = "utf-8",
    task: TaskOption = None,
    references: Annotated[
        bool, typer.Option("--references", help="Add models that do not use neighbours, for comparison.")
    ] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; one per core if left out.")] = None,
    seed: SeedOption = 0,
    report: Annotated[str | None, typer.Option(metavar="HTML", help="Write a report to this file.")] = None,
    results: Annotated[
        str | None,
        typer.Option(metavar="SQLITE", help="Keep results here; the same command continues a stopped run."),
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Fit the winner on all rows and save it here.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare learned distances with plain Euclid on DATA by cross-validation.

    Settings are tuned inside the training folds only; "beats Euclid?" is a paired test on the same folds.
    """
    from nearkin.cli import comparing

    automatic = time_budget.strip().lower() == "auto"
    budget, n_neighbors = None if automatic else parse_duration(time_budget), parse_neighbors(neighbors)
    report_path, out_path, results_path = optional_path(report), optional_path(out), optional_path(results)
    for path in (report_path, out_path, results_path):
        require_writable(path)
    if report_path is not None:
        comparing.require_plotting()
    dataset = read_data(data, target, task, impute, drop, categorical, encoding)
    if dataset.task == "regression":
        tell_of_constant_targets(dataset)
    n_folds = folds or (10 if dataset.n_samples <= 2000 else 5)
    budget = comparing.usual_budget(dataset.n_samples) if automatic else budget
    found, notices = chosen_learners(learners, dataset.task, dataset.is_sparse)
    candidates = make_candidates(
        dataset, found, scale=scale, n_neighbors=n_neighbors, n_folds=n_folds, tune=tune
    )
    if references:
        candidates += reference_candidates(
            dataset.task, dataset.is_sparse, dataset.n_targets, dataset.encoder
        )
    for notice in notices:
        to_stderr(f"note: {notice}", style="yellow")
    with progress_bar(f"comparing on {dataset.name}") as progress:
        outcome = comparing.run(
            dataset,
            candidates,
            comparing.Plan(n_folds, repeats, budget, jobs, seed, results_path, EUCLID, scale, tuple(notices)),
            progress,
        )
    if as_json:
        print_json(comparing.as_json(outcome))
    else:
        comparing.print_leaderboard(outcome)
    for notice in outcome.summary.notices[len(notices) :]:
        to_stderr(f"note: {notice}", style="yellow")
    if report_path is not None:
        comparing.report(outcome, report_path)
        to_stderr(f"report: {report_path}")
    if out_path is not None:
        comparing.save_winner(outcome, out_path)
        to_stderr(f"model: {out_path}")
