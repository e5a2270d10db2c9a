"""`nearkin predict`: predictions for new rows, with the neighbours that decided them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from nearkin.cli.errors import CommandError, require_writable, speaks_plainly
from nearkin.cli.options import JsonOption, as_path, optional_path
from nearkin.cli.output import Column, print_json, print_table, to_stderr

#: Rows of a table shown on a terminal; files get them all.
ROWS_SHOWN = 20


@speaks_plainly
def predict(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model saved by fit or compare.")],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="Table (or npz) with the columns the model was fitted on.")
    ],
    out: Annotated[
        str | None, typer.Option(metavar="CSV", help="Write the predictions to this file.")
    ] = None,
    neighbors: Annotated[
        int,
        typer.Option(
            min=0, help="Also give this many neighbours of each row: their row, label and distance."
        ),
    ] = 0,
    proba: Annotated[bool, typer.Option("--proba", help="Also give the probability of each class.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Predict NEW with a saved MODEL.

    Rows are numbered from 0, without the header, in NEW as in the training data.
    """
    from nearkin.cli.modelfile import load_model
    from nearkin.cli.predicting import prediction_table
    from nearkin.datasets import load_features

    out_path = optional_path(out)
    require_writable(out_path)
    loaded = load_model(as_path(model))
    if not hasattr(loaded.pipeline, "predict"):
        raise CommandError(
            f"{model} was fitted without a target: it places rows (nearkin.load(...).transform), but has "
            "nothing to predict."
        )
    X = load_features(as_path(new), loaded.encoder)
    if X.shape[0] == 0:
        raise CommandError(f"{new} has no rows to predict.")
    table = prediction_table(loaded, X, n_neighbors=neighbors, proba=proba)
    if out_path is not None:
        table.to_csv(out_path, index=False)
        to_stderr(f"{len(table)} predictions: {out_path}")
    if as_json:
        print_json(table.to_dict(orient="records"))
    elif out_path is None:
        _print(table)


def _print(table) -> None:
    if not sys.stdout.isatty():
        typer.echo(table.to_csv(index=False), nl=False)
        return
    shown = table.head(ROWS_SHOWN)
    columns = [Column(str(name), right=table[name].dtype.kind in "if") for name in table.columns]
    print_table(columns, [[_cell(value) for value in row] for row in shown.itertuples(index=False)])
    if len(table) > len(shown):
        to_stderr(f"{len(table) - len(shown)} more rows; use --out to write them all to a file.")


def _cell(value) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
