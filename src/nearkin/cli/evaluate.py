"""`nearkin evaluate`: how good a saved model is on rows whose answers are known."""

from __future__ import annotations

from typing import Annotated

import typer

from nearkin.cli.errors import CommandError, speaks_plainly
from nearkin.cli.options import EncodingOption, JsonOption, as_path
from nearkin.cli.output import Column, print_json, print_table


@speaks_plainly
def evaluate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model saved by fit or compare.")],
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Table with the columns of the model and its target, npz, - for stdin, or a known set.",
        ),
    ],
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
) -> None:
    """Score a saved MODEL on DATA, which must hold the answers.

    Rows that the model was fitted on say little: give it others.
    """
    from nearkin.cli.answers import Answers, score_text
    from nearkin.cli.modelfile import load_model
    from nearkin.cli.predict import predicted_blocks
    from nearkin.datasets import load_dataset

    loaded = load_model(as_path(model))
    answers = Answers(loaded)
    if data != "-" and (as_path(data).suffix.lower() == ".npz" or not as_path(data).exists()):
        known = load_dataset(data, task=loaded.task)
        answers.add_arrays(known.y, loaded.pipeline.predict(known.X))
    else:
        for block, table in predicted_blocks(loaded, data, encoding):
            answers.add(block, table)
    if not answers.n_answers:
        raise CommandError(
            f"{data} holds no answers: the model predicts {', '.join(loaded.target_names)}, and there is no "
            "such column with something in it. To predict, use nearkin predict."
        )
    scores = answers.scores()
    facts = {"model": model, "data": data, "rows": answers.n_rows, "answers": answers.n_answers}
    if as_json:
        print_json({**facts, "task": loaded.task, "scores": scores})
        return
    print_table(
        [Column("score"), Column("", right=True)],
        [[name, score_text(name, value)] for name, value in scores.items()],
        f"{model} on {data}: {answers.n_answers} of {answers.n_rows} rows with answers",
    )
