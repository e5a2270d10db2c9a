"""`nearkin hubness`: which references are everybody's neighbour, before and after learning."""

from __future__ import annotations

from typing import Annotated

import typer

from nearkin.cli.errors import CommandError, speaks_plainly
from nearkin.cli.models import EUCLID, learner_named, make_model
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
    parse_settings,
    read_data,
)
from nearkin.cli.output import Column, print_json, print_table

QUANTILES = (("median", 0.5), ("90th percentile", 0.9), ("99th percentile", 0.99), ("largest", 1.0))


@speaks_plainly
def hubness(
    data: DataArgument,
    target: TargetOption = None,
    learner: Annotated[
        str, typer.Option(metavar="NAME", help="Learner whose effect is shown.")
    ] = "MoveLabeled",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A setting of the learner; may be repeated."),
    ] = None,
    k: Annotated[int, typer.Option("--k", min=1, help="Length of the neighbour lists.")] = 10,
    folds: Annotated[int, typer.Option(min=2, help="Folds; every row is a query once.")] = 5,
    scale: ScaleOption = "auto",
    impute: ImputeOption = None,
    drop: DropOption = None,
    categorical: CategoricalOption = None,
    encoding: EncodingOption = "utf-8",
    task: TaskOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Show hubs and anti-hubs of DATA under Euclid and under a learned distance.

    Each row is a query once, among references that the learner was fitted on without it.
    """
    from nearkin.cli.hubs import measured

    kind = learner_named(learner)
    made = kind(**parse_settings(settings, kind))
    dataset = read_data(data, target, task, impute, drop, categorical, encoding)
    if dataset.task not in kind.tasks:
        raise CommandError(
            f"{kind.__name__} is for {' and '.join(kind.tasks)}, but the task is {dataset.task}."
        )
    if dataset.is_sparse and not kind.accepts_sparse:
        raise CommandError(f"{kind.__name__} does not take sparse data; choose another --learner.")
    views = [
        measured(
            name,
            make_model(
                part,
                dataset.task,
                scale=scale,
                sparse=dataset.is_sparse,
                by_neighbours=True,
                encoder=dataset.encoder,
            ),
            dataset,
            k=k,
            n_folds=folds,
            seed=seed,
        )
        for name, part in ((EUCLID, None), (kind.__name__, made))
    ]
    if as_json:
        print_json([vars(view) | {"anti_hub_share": view.anti_hub_share} for view in views])
        return
    _print(dataset, views)


def _print(dataset, views) -> None:
    from numpy import quantile

    k = views[0].k
    columns = [Column(f"N{k}")] + [Column(view.name, right=True) for view in views]
    rows = [
        ["skewness", *(f"{view.skewness:.2f}" for view in views)],
        *([name, *(f"{quantile(view.counts, q):g}" for view in views)] for name, q in QUANTILES),
        ["anti-hubs", *(f"{view.anti_hubs} ({100 * view.anti_hub_share:.0f} %)" for view in views)],
    ]
    print_table(columns, rows, str(dataset))
    for view in views:
        if view.anti_hubs:
            more = view.anti_hubs - len(view.anti_hub_rows)
            rows_text = ", ".join(map(str, view.anti_hub_rows)) + (f" and {more} more" if more else "")
            typer.echo(f"anti-hubs under {view.name}: rows {rows_text}")
    for view in views:
        has_bad = any("bad" in hub for hub in view.hubs)
        columns = [Column("row", right=True), Column("label"), Column(f"N{k}", right=True)]
        columns += [Column("beside another class", right=True)] if has_bad else []
        cells = [
            [str(hub["row"]), str(hub["label"]), str(hub["count"])] + ([str(hub["bad"])] if has_bad else [])
            for hub in view.hubs
        ]
        print_table(columns, cells, f"largest hubs under {view.name}")
