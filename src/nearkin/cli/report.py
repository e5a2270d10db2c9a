"""`nearkin report`: the page of a comparison that was kept in a results file; nothing is run again."""

from __future__ import annotations

from typing import Annotated

import typer

from nearkin.cli.errors import CommandError, speaks_plainly
from nearkin.cli.options import EmbedOption, as_path, output_path
from nearkin.cli.output import to_stderr


@speaks_plainly
def report(
    results: Annotated[str, typer.Argument(metavar="SQLITE", help="Results kept by compare --results.")],
    out: Annotated[str, typer.Option(metavar="HTML", help="File to write.")] = "report.html",
    data: Annotated[
        str | None, typer.Option(help="Which data set, if the file holds several; the last run if left out.")
    ] = None,
    embed_plotly: EmbedOption = False,
) -> None:
    """Write the HTML report of a comparison from its results file alone."""
    from nearkin.report import report_results
    from nearkin.report.plotting import require_plotting

    path, source = output_path(out), as_path(results)
    require_plotting()
    if not source.is_file():
        raise CommandError(f"{source}: there is no such file; compare --results writes one.")
    report_results(source, path, data, embed_plotly=embed_plotly)
    to_stderr(f"report: {path}")
