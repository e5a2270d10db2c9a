"""`nearkin evaluate`: how good a saved model is on rows whose answers are known."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from nearkin.cli.errors import CommandError, speaks_plainly
from nearkin.cli.options import EncodingOption, JsonOption, LabelsOption, VectorsOption, as_path
from nearkin.cli.output import Column, print_json, print_table

#: Scores of ranked lists if relevant rows are given but no metric.
RANKED = ("recall@10", "precision@10", "hit-rate@10", "mrr", "map@r", "ndcg@10")


@speaks_plainly
def evaluate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model saved by fit or compare.")],
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="Table with the columns of the model and its target, vectors, - for stdin, or a known set.",
        ),
    ],
    vectors: VectorsOption = None,
    labels: LabelsOption = None,
    metric: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Other scores, as compare has them: map@r, recall@10, log-loss ..."),
    ] = None,
    relevant: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Table of pairs: a row of DATA, a stored row that is relevant to it, perhaps a weight.",
        ),
    ] = None,
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
) -> None:
    """Score a saved MODEL on DATA, which must hold the answers.

    Rows that the model was fitted on say little: give it others. With --relevant no answers are needed: the
    stored rows that the model finds for each row of DATA are judged by those that are relevant to it.
    """
    from nearkin.cli.modelfile import load_model
    from nearkin.evaluation import metric_named

    loaded = load_model(as_path(model))
    if not loaded.predicts:
        raise CommandError(f"{model} was fitted without a target: it embeds rows and predicts nothing.")
    asked = [metric_named(name) for name in (metric or "").split(",") if name.strip()]
    if relevant is not None:
        rows = _rows(data, vectors, encoding)
        truth = _relevance(relevant, len(rows), loaded)
        chosen = asked or [metric_named(name) for name in RANKED]
        scores, n_rows, n_answers = {}, truth.n_queries, int((truth.counts > 0).sum())
    else:
        answers, rows, truth = _answers(loaded, data, vectors, labels, encoding, whole=bool(asked))
        chosen, scores = asked, answers.scores()
        n_rows, n_answers = answers.n_rows, answers.n_answers
    scores |= {one.name: _judged(one, loaded, rows, truth) for one in chosen}
    if as_json:
        facts = {"model": model, "data": data, "rows": n_rows, "answers": n_answers, "task": loaded.task}
        print_json({**facts, "scores": scores})
        return
    print_table(
        [Column("score"), Column("", right=True)],
        [[name, metric_named(name).text(value)] for name, value in scores.items()],
        f"{model} on {data}: {n_answers} of {n_rows} rows with answers",
    )


def _judged(metric, loaded, rows, truth) -> float:
    from nearkin.evaluation.metrics import NEIGHBOURS
    from nearkin.evaluation.retrieval import Relevance

    if isinstance(truth, Relevance) and metric.needs != NEIGHBOURS:
        raise CommandError(f"{metric.name} judges predictions; with --relevant ask for scores of lists.")
    return metric.score(loaded.pipeline, rows, truth)


def _answers(loaded, data: str, vectors, labels, encoding: str, *, whole: bool):
    """Predictions against the answers; with `whole` also all rows and their answers, for other scores."""
    from nearkin.cli.answers import Answers
    from nearkin.cli.predict import predicted_blocks
    from nearkin.datasets import load_dataset

    answers = Answers(loaded)
    rows = truth = None
    bare = data != "-" and (as_path(data).suffix.lower() == ".npz" or not as_path(data).exists())
    if bare or vectors is not None or labels is not None:
        source = data if not as_path(data).exists() else as_path(data)
        known = load_dataset(source, task=loaded.task, vectors=vectors, labels=labels)
        rows, truth = known.X, known.y
        answers.add_arrays(truth, loaded.pipeline.predict(rows))
    elif whole:
        rows = _rows(data, None, encoding)
        truth = answers.add(rows, _predictions(loaded, rows))
    else:
        for block, table in predicted_blocks(loaded, data, encoding):
            answers.add(block, table)
    if not answers.n_answers:
        raise CommandError(
            f"{data} holds no answers: the model predicts {', '.join(loaded.target_names)}, and there is no "
            "such column with something in it. Labels of vectors are given by --labels. To predict, use "
            "nearkin predict."
        )
    if whole and answers.n_answers < answers.n_rows:
        raise CommandError(
            f"{data}: {answers.n_rows - answers.n_answers} rows hold no answer; leave them out."
        )
    return answers, rows, truth


def _predictions(loaded, rows):
    from nearkin.predictors import prediction_table

    return prediction_table(
        loaded.pipeline, rows, target_names=loaded.target_names, class_names=loaded.class_names
    )


def _rows(data: str, vectors: str | None, encoding: str) -> Any:
    """All rows of a file at once, as a table or as vectors."""
    import numpy as np

    from nearkin.datasets import load_features

    blocks = list(load_features(data if data == "-" else as_path(data), vectors=vectors, encoding=encoding))
    if len(blocks) == 1:
        return blocks[0]
    if hasattr(blocks[0], "columns"):
        import pandas

        return pandas.concat(blocks, ignore_index=True)
    return np.concatenate(blocks)


def _relevance(path: str, n_queries: int, loaded) -> Any:
    """Relevance from a table of pairs: numbers of a row of the data and of a stored row, counted from 1."""
    import numpy as np
    from scipy import sparse

    from nearkin.cli.constraints_file import FIRST_ROW, read_pairs
    from nearkin.evaluation.metrics import last_step
    from nearkin.evaluation.retrieval import Relevance

    n_stored = getattr(last_step(loaded.pipeline), "n_samples_fit_", None)
    if n_stored is None:
        raise CommandError("the model decides without stored rows, so nothing can be relevant.")
    pairs = read_pairs(path, max(n_queries, n_stored))
    queries, stored = pairs["pairs"].T
    for what, rows, most in (("DATA", queries, n_queries), ("the model", stored, n_stored)):
        if (rows >= most).any():
            raise CommandError(
                f"{path}: row {rows.max() + FIRST_ROW} is named, but {what} has {most} rows, numbered from "
                f"{FIRST_ROW}."
            )
    gains = pairs.get("constraint_weight", np.ones(len(queries)))
    table = sparse.coo_array((gains, (queries, stored)), shape=(n_queries, n_stored))
    return Relevance.of_lists(table.tocsr(), n_stored)
