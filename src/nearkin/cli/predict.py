"""`nearkin predict`: predictions for new rows, with the neighbours that decided them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Annotated, Any

import typer

from nearkin.cli.errors import CommandError, speaks_plainly
from nearkin.cli.options import EncodingOption, JsonOption, VectorsOption, as_path, output_path
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
    vectors: VectorsOption = None,
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
) -> None:
    """Predict NEW with a saved MODEL.

    Rows are numbered from 1, without the header, in NEW as in the training data. If NEW also holds the
    answers, predictions are scored. Large CSV and Parquet files are read block by block. A model fitted
    without a target (fit --pairs) gives the embedding of each row instead, z1, z2 ..., in which its distance
    is plain Euclid.
    """
    from nearkin.cli.answers import Answers
    from nearkin.cli.modelfile import load_model
    from nearkin.evaluation.metrics import metric_named
    from nearkin.files import replacing

    out_path = output_path(out)
    loaded = load_model(as_path(model))
    if not loaded.predicts and (neighbors or proba):
        raise CommandError(
            f"{model} was fitted without a target: it embeds rows and has neither labels nor neighbours."
        )
    answers = Answers(loaded)
    with nullcontext() if out_path is None else replacing(out_path, "w", encoding="utf-8") as file:
        show = _Shown(file, as_json)
        extra = {"n_neighbors": neighbors, "proba": proba}
        for block, table in predicted_blocks(loaded, new, encoding, vectors=vectors, **extra):
            answers.add(block, table)
            show.add(table)
        show.end()
    if out_path is not None:
        to_stderr(f"{answers.n_rows} {'predictions' if loaded.predicts else 'embedded rows'}: {out_path}")
    if answers.n_answers:
        scores = ", ".join(
            f"{name} {metric_named(name).text(value)}" for name, value in answers.scores().items()
        )
        to_stderr(f"{answers.n_answers} rows hold the answer: {scores}")


def predicted_blocks(
    loaded, new: str, encoding: str, *, vectors: str | None = None, policy=None, **extra
) -> Iterator[tuple[Any, Any]]:
    """Blocks of rows, each with the table of its predictions."""
    from nearkin.datasets import load_features
    from nearkin.predictors import prediction_table

    n_rows = 0
    source = new if new == "-" else as_path(new)
    for block in load_features(source, vectors=vectors, encoding=encoding, policy=policy):
        if hasattr(block, "columns") and not loaded.takes_tables:
            raise CommandError(
                f"{new} is a table, but the model was fitted on bare arrays; give an npz file with X."
            )
        if loaded.predicts:
            names = {"target_names": loaded.target_names, "class_names": loaded.class_names}
            table = prediction_table(loaded.pipeline, block, first_row=n_rows + 1, **names, **extra)
        else:
            table = _places(loaded.pipeline, block, n_rows + 1)
        n_rows += len(table)
        yield block, table


def _places(pipeline, block, first_row: int):
    import numpy as np
    import pandas as pd

    Z = np.asarray(pipeline.transform(block))
    table = pd.DataFrame(Z, columns=[f"z{number}" for number in range(1, Z.shape[1] + 1)])
    table.insert(0, "row", np.arange(first_row, first_row + len(Z)))
    return table


class _Shown:
    """Where tables of predictions go: a file, JSON, a terminal, or CSV on standard output."""

    def __init__(self, file, as_json: bool):
        self.file, self.as_json = file, as_json
        self.on_terminal = sys.stdout.isatty() and file is None and not as_json
        self.n_rows = 0
        self.kept: list = []

    def add(self, table) -> None:
        if self.file is not None:
            table.to_csv(self.file, index=False, header=self.n_rows == 0)
        if self.as_json:
            self.kept.append(table)
        elif self.on_terminal and self.n_rows < ROWS_SHOWN:
            self.kept.append(table.head(ROWS_SHOWN - self.n_rows))
        elif self.file is None and not self.on_terminal:
            typer.echo(table.to_csv(index=False, header=self.n_rows == 0), nl=False)
        self.n_rows += len(table)

    def end(self) -> None:
        if self.as_json:
            print_json([row for table in self.kept for row in table.to_dict(orient="records")])
        elif self.on_terminal:
            _print([row for table in self.kept for row in table.to_dict(orient="records")])
            if self.n_rows > ROWS_SHOWN:
                to_stderr(f"{self.n_rows - ROWS_SHOWN} more rows; use --out to write them all to a file.")


def _print(rows: list[dict]) -> None:
    from nearkin.report.words import value_text

    columns = [Column(str(name), right=isinstance(value, int | float)) for name, value in rows[0].items()]
    print_table(columns, [[value_text(value) for value in row.values()] for row in rows])
