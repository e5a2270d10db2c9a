"""`nearkin hubness`: which references are neighbours of very many rows, before and after learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from nearkin.cli import options
from nearkin.cli.errors import CommandError, speaks_plainly
from nearkin.cli.options import make_learner, read_data, require_choice
from nearkin.cli.output import Column, print_json, print_table, to_stderr
from nearkin.study.models import (
    EUCLID,
    SCALE_CHOICES,
    check_supports,
    learner_named,
    make_model,
    named_corrections,
    settled_scale,
)

if TYPE_CHECKING:
    from nearkin.evaluation import Hubness

#: Anti-hubs that are listed.
MAX_ANTI_HUBS = 20
#: The learner whose effect is shown by default.
DEFAULT_LEARNER = {"classification": "MoveLabeled", "regression": "DMLMTP"}
QUANTILES = (("median", 0.5), ("90th percentile", 0.9), ("99th percentile", 0.99), ("largest", 1.0))


@speaks_plainly
def hubness(
    data: options.DataArgument,
    target: options.TargetOption = None,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Learner whose effect is shown: MoveLabeled for classes, DMLMTP for numbers if left out.",
        ),
    ] = None,
    settings: options.SettingsOption = None,
    hubs: options.HubsOption = None,
    k: Annotated[int, typer.Option("--k", min=1, help="Length of the neighbour lists.")] = 10,
    folds: Annotated[int, typer.Option(min=2, help="Folds; every row is a query once.")] = 5,
    scale: options.ScaleOption = "auto",
    impute: options.ImputeOption = None,
    drop: options.DropOption = None,
    categorical: options.CategoricalOption = None,
    encoding: options.EncodingOption = "utf-8",
    vectors: options.VectorsOption = None,
    labels: options.LabelsOption = None,
    task: options.TaskOption = None,
    seed: options.SeedOption = 0,
    as_json: options.JsonOption = False,
) -> None:
    """Show hubs and anti-hubs of DATA under Euclid and under a learned distance.

    Each row is a query once, among references that the learner was fitted on without it.
    """
    from nearkin.study import hubness_by_folds

    require_choice("--scale", scale, SCALE_CHOICES)
    dataset = read_data(data, target, task, impute, drop, categorical, encoding, vectors, labels)
    kind = learner_named(learner or DEFAULT_LEARNER[dataset.task])
    made = make_learner(kind, settings, seed)
    check_supports(kind.__name__, kind, dataset.task, dataset.is_sparse)
    n_references = dataset.n_samples - -(-dataset.n_samples // min(folds, dataset.n_samples))
    if k > n_references:
        raise CommandError(
            f"--k {k} is more than the {n_references} references of a fold; choose a smaller one."
        )
    scale, notices = settled_scale(scale, dataset.X)
    for notice in notices:
        to_stderr(notice)
    how = {"scale": scale, "sparse": dataset.is_sparse, "by_neighbours": True, "encoder": dataset.encoder}
    models = {
        label + (f" + {correction}" if correction else ""): make_model(
            part, dataset.task, hubs=correction, **how
        )
        for correction in (None, *named_corrections(hubs))
        for label, part in ((EUCLID, None), (kind.__name__, made))
    }
    found = {
        label: hubness_by_folds(model, dataset, k=k, n_folds=folds, seed=seed)
        for label, model in models.items()
    }
    if as_json:
        print_json([_as_dict(label, hubness) for label, hubness in found.items()])
    else:
        _print(dataset, found)


def _as_dict(label: str, found: Hubness) -> dict:
    """The fields and properties of `Hubness` under their own names."""
    from nearkin.report.hub_table import MAX_HUBS

    return {
        "label": label,
        "k": found.k,
        "n_queries": found.n_queries,
        "occurrences": found.occurrences,
        "bad_occurrences": found.bad_occurrences,
        "skewness": found.skewness,
        "hubs": found.hubs,
        "anti_hubs": found.anti_hubs,
        "n_anti_hubs": len(found.anti_hubs),
        "anti_hub_share": found.anti_hub_share,
        "top_share": found.top_share,
        "bad_share": found.bad_share,
        "largest": found.largest(MAX_HUBS),
    }


def _print(dataset, found: dict[str, Hubness]) -> None:
    from numpy import quantile

    from nearkin.report.hub_table import hub_table

    each = list(found.values())
    k = each[0].k
    rows = [
        ["skewness", *(f"{hubness.skewness:.2f}" for hubness in each)],
        *([name, *(f"{quantile(hubness.occurrences, q):g}" for hubness in each)] for name, q in QUANTILES),
        ["anti-hubs", *(f"{len(h.anti_hubs)} ({100 * h.anti_hub_share:.0f} %)" for h in each)],
    ]
    print_table([Column(f"N{k}")] + [Column(label, right=True) for label in found], rows, str(dataset))
    for label, hubness in found.items():
        if len(hubness.anti_hubs):
            listed = hubness.anti_hubs[:MAX_ANTI_HUBS].tolist()
            more = len(hubness.anti_hubs) - len(listed)
            rows_text = ", ".join(map(str, listed)) + (f" and {more} more" if more else "")
            typer.echo(f"anti-hubs under {label}: rows {rows_text}")
    for label, hubness in found.items():
        columns, cells = hub_table(hubness)
        titles = [Column(column.title, right=column.numeric) for column in columns]
        print_table(titles, cells, f"largest hubs under {label}")
