"""`nearkin report`: the page of a comparison that was kept in a results file; nothing is run again."""

from __future__ import annotations

from typing import Annotated

import typer

from nearkin.cli.errors import CommandError, require_writable, speaks_plainly
from nearkin.cli.options import as_path
from nearkin.cli.output import to_stderr


@speaks_plainly
def report(
    results: Annotated[str, typer.Argument(metavar="SQLITE", help="Results kept by compare --results.")],
    out: Annotated[str, typer.Option(metavar="HTML", help="File to write.")] = "report.html",
    data: Annotated[
        str | None, typer.Option(help="Which data set, if the file holds several; the last run if left out.")
    ] = None,
) -> None:
    """Write the HTML report of a comparison from its results file alone."""
    from nearkin.cli.comparing import require_plotting, summary_of
    from nearkin.cli.viewing import stored_views
    from nearkin.evaluation import ResultsStore, summarise
    from nearkin.report.html import write_report

    path, source = as_path(out), as_path(results)
    require_writable(path)
    require_plotting()
    if not source.is_file():
        raise CommandError(f"{source}: there is no such file; compare --results writes one.")
    with ResultsStore.open(source) as store:
        runs = [run for run in store.runs() if run["description"].get("kind") == "compare"]
        names = list(dict.fromkeys(run["description"].get("dataset") for run in runs))
        runs = [run for run in runs if data in (None, run["description"].get("dataset"))]
        if not runs:
            raise CommandError(
                f"{source} holds no comparison{f' on {data!r}' if data else ''}; it has: {names}."
            )
        run, description = runs[-1]["run"], runs[-1]["description"]
        records = store.results(run)
        comparison = summarise(records, description["baseline"], run=run)
        views = stored_views(store, run, comparison, records, description.get("class_names", ()))
    write_report(path, summary_of(comparison, records, description), views)
    to_stderr(f"report: {path}")
