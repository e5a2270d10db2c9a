"""`nearkin reproduce`: a paper's experiment again, our numbers beside the published ones."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from nearkin._discovery import module_names
from nearkin.cli.errors import CommandError, speaks_plainly
from nearkin.cli.options import JsonOption, SeedOption, output_path
from nearkin.cli.output import Column, print_json, print_table, progress_bar, to_stderr


@speaks_plainly
def reproduce(
    paper: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help=f"One of {', '.join(module_names('nearkin.experiments.papers'))}."
        ),
    ],
    datasets: Annotated[
        str | None, typer.Option(metavar="A,B", help="Data sets to use; all of the paper's if left out.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(metavar="A,B", help="Methods to run; all of the paper's if left out.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repeats, smaller grids, fewer rows: minutes, not hours.")
    ] = False,
    download: Annotated[
        bool, typer.Option("--download", help="Fetch data sets that are not at hand from OpenML.")
    ] = False,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; one per core if left out.")] = None,
    seed: SeedOption = 0,
    results: Annotated[
        str | None,
        typer.Option(metavar="SQLITE", help="Keep results here; the same command continues a stopped run."),
    ] = None,
    report: Annotated[str | None, typer.Option(metavar="HTML", help="Write a report to this file.")] = None,
    markdown: Annotated[
        str | None, typer.Option(metavar="MD", help="Write the tables to this file as Markdown.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Repeat a paper's experiment on the data sets at hand and check its claims.

    Data sets that are not at hand are listed with how to get them.
    """
    from nearkin.evaluation import ResultsStore
    from nearkin.experiments import load_paper
    from nearkin.experiments import reproduce as run
    from nearkin.experiments.tabulate import all_tables, remarks, tables_by_part
    from nearkin.experiments.tabulate import markdown as as_markdown
    from nearkin.report.plotting import require_plotting

    declared = load_paper(paper)
    report_path, markdown_path, results_path = (output_path(text) for text in (report, markdown, results))
    if report_path is not None:
        require_plotting()
    dataset_names, method_names = _names("datasets", datasets), _names("methods", methods)
    with progress_bar(declared.key) as progress, ResultsStore.open(results_path) as store:
        found = run(
            declared,
            datasets=dataset_names,
            methods=method_names,
            quick=quick,
            seed=seed,
            jobs=jobs or 0,
            store=store,
            download=download,
            draw=report_path is not None,
            progress=progress,
        )
    if as_json:
        print_json(found.to_dict())
    else:
        for table in all_tables(found):
            print_table(
                [Column(title, wrap=True) for title in table.columns],
                table.rows,
                f"{table.title}. {table.note}" if table.note else table.title,
            )
        typer.echo("\n".join(f"note: {remark}" for remark in remarks(found)))
        typer.echo(f"{declared.key}: {found.headline}")
    if markdown_path is not None:
        markdown_path.write_text(as_markdown(found), encoding="utf-8")
        to_stderr(f"tables: {markdown_path}")
    if report_path is not None:
        from nearkin.report.reproduction import write_reproduction

        tables = {part: [asdict(table) for table in own] for part, own in tables_by_part(found).items()}
        write_reproduction(report_path, found.to_dict(), tables, notices=remarks(found))
        to_stderr(f"report: {report_path}")


def _names(option: str, text: str | None) -> list[str] | None:
    names = None if text is None else [name.strip() for name in text.split(",") if name.strip()]
    if names == []:
        raise CommandError(f"--{option} is empty; leave it out for all of the paper's.")
    return names
