"""`nearkin compare`: which distance is best on this data, and is it really better than Euclid?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nearkin.cli import options
from nearkin.cli.errors import INTERRUPTED, CommandError, speaks_plainly
from nearkin.cli.options import output_path, parse_count, parse_duration, read_data, require_choice
from nearkin.cli.output import Column, print_json, print_table, progress_bar, to_stderr, typed_command
from nearkin.study.models import SCALE_CHOICES, TUNE_CHOICES


@speaks_plainly
def compare(
    data: options.DataArgument,
    target: options.TargetOption = None,
    learners: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="Learners to compare; all that fit the data if left out."),
    ] = None,
    time_budget: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="Stop after this time, such as 90s, 2m or 1h; none: no limit; auto: 45s to 4m by size.",
        ),
    ] = "auto",
    folds: Annotated[
        int | None, typer.Option(min=2, help="Folds; 10 up to 2,000 rows, 5 above, fewer for rare classes.")
    ] = None,
    repeats: Annotated[
        str,
        typer.Option(
            metavar="N",
            help="Times the folds are drawn; auto is once, and up to 10 times for learners that may win.",
        ),
    ] = "auto",
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="SCORE",
            help="accuracy, balanced-accuracy, macro-f1, log-loss, roc-auc, mrr, map@r, recall@K, "
            "precision@K, hit-rate@K, ndcg@K; for regression arrmse, r2, mae.",
        ),
    ] = None,
    rope: Annotated[
        float | None,
        typer.Option(min=0.0, help="Differences up to this size are negligible; 0.01 is one point."),
    ] = None,
    neighbors: Annotated[str, typer.Option(metavar="K", help="Neighbours that vote, or tuned.")] = "tuned",
    tune: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="Settings tried per learner: quick (up to 2, but defaults of slow learners), full or none.",
        ),
    ] = "quick",
    scale: options.ScaleOption = "auto",
    impute: options.ImputeOption = None,
    drop: options.DropOption = None,
    categorical: options.CategoricalOption = None,
    encoding: options.EncodingOption = "utf-8",
    vectors: options.VectorsOption = None,
    labels: options.LabelsOption = None,
    task: options.TaskOption = None,
    references: Annotated[
        bool, typer.Option("--references", help="Add models that do not use neighbours, for comparison.")
    ] = False,
    average: Annotated[
        bool,
        typer.Option("--average", help="Add the average vote of the best distances; as slow as all of them."),
    ] = False,
    hubs: options.HubsOption = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; one per core if left out.")] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Measure on the Dask cluster there, such as tcp://host:8786."),
    ] = None,
    seed: options.SeedOption = 0,
    report: Annotated[str | None, typer.Option(metavar="HTML", help="Write a report to this file.")] = None,
    embed_plotly: options.EmbedOption = False,
    results: Annotated[
        str | None,
        typer.Option(metavar="SQLITE", help="Keep results here; the same command continues a stopped run."),
    ] = None,
    out: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Fit a model on all rows and save it here.")
    ] = None,
    save: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="What --out saves: best-mean, significant (Euclid unless something beats it) or a learner.",
        ),
    ] = "best-mean",
    as_json: options.JsonOption = False,
) -> None:
    """Compare learned distances with plain Euclid on DATA by cross-validation.

    Settings are tuned inside the training folds only; "beats Euclid?" is a paired test on the same folds.
    """
    from nearkin.evaluation.metrics import metric_named
    from nearkin.report.plotting import require_plotting
    from nearkin.study import compare as run

    budget = "auto" if time_budget.strip().lower() == "auto" else parse_duration(time_budget)
    n_neighbors = parse_count("--neighbors", neighbors, "tuned")
    require_choice("--scale", scale, SCALE_CHOICES)
    require_choice("--tune", tune, TUNE_CHOICES)
    if learners is not None and not learners.strip(" ,"):
        raise CommandError("--learners is empty; leave it out for all, or see `nearkin learners`.")
    drawings = parse_count("--repeats", repeats, "auto")
    report_path, out_path, results_path = output_path(report), output_path(out), output_path(results)
    if report_path is not None:
        require_plotting()
    if metric is not None:
        metric_named(metric)
    dataset = read_data(data, target, task, impute, drop, categorical, encoding, vectors, labels)
    with progress_bar(f"comparing on {dataset.name}") as progress:
        study = run(
            dataset,
            learners=learners,
            time_budget=budget,
            folds=folds,
            repeats=drawings,
            metric=metric,
            rope=rope,
            n_neighbors=n_neighbors if isinstance(n_neighbors, int) else None,
            tune=tune,
            scale=scale,
            references=references,
            average=average,
            hubs=hubs,
            jobs=jobs or 0,
            scheduler=scheduler,
            seed=seed,
            results=results_path,
            progress=progress,
            interruptible=True,
            command=typed_command(),
        )
    _show(study, results_path, as_json=as_json)
    if report_path is not None:
        to_stderr(f"report: {study.report(report_path, embed_plotly=embed_plotly)}")
    if out_path is not None:
        row, reason = study.comparison.choose(save)
        to_stderr(f"model: {study.save(out_path, row.label)} holds {row.label} (--save {save}: {reason})")


def _show(study, results: Path | None, *, as_json: bool) -> None:
    """Print the results; ends the command if there is no winner to report or save."""
    if as_json:
        print_json(study.to_dict())
    else:
        _print(study)
    for trouble in study.troubles:
        to_stderr(f"note: {trouble}", style="yellow")
    if study.comparison.interrupted:
        lost = "the folds are lost. With --results FILE the same command would continue."
        to_stderr(f"stopped; {lost if results is None else f'to continue: {typed_command()}'}", "yellow")
        raise typer.Exit(INTERRUPTED)
    if study.winner is None:
        raise CommandError(f"nothing finished all its folds. {study.statement}")


def _print(study) -> None:
    """The table and, in a sentence, the answer."""
    from nearkin.report.leaderboard import explanations, plain_table

    columns, rows = plain_table(study.comparison)
    print_table([Column(title, numeric) for title, numeric, _ in columns], rows, str(study.data))
    typer.echo(study.statement)
    for text in explanations(study.comparison):
        typer.echo(text)
