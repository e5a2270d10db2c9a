"""All commands under one name. Heavy imports happen when a command runs, so that help appears at once."""

from __future__ import annotations

from typing import Annotated

import typer

from nearkin.cli.compare import compare
from nearkin.cli.datasets import datasets
from nearkin.cli.evaluate import evaluate
from nearkin.cli.export import export
from nearkin.cli.fit import fit
from nearkin.cli.hubness import hubness
from nearkin.cli.learners import learners
from nearkin.cli.move import move
from nearkin.cli.predict import predict
from nearkin.cli.report import report
from nearkin.cli.reproduce import reproduce

app = typer.Typer(
    name="nearkin",
    help="Learn the distance: metric learning for better nearest-neighbour prediction.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

for command in (
    compare,
    report,
    reproduce,
    fit,
    predict,
    evaluate,
    move,
    export,
    hubness,
    learners,
    datasets,
):
    app.command()(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        from nearkin import __version__

        typer.echo(f"nearkin {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Learn the distance: metric learning for better nearest-neighbour prediction."""
