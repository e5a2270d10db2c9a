"""`nearkin fit`: one learner on one data set, saved."""

from __future__ import annotations

from typing import Annotated

import typer

from nearkin.cli import options
from nearkin.cli.errors import CommandError, speaks_plainly
from nearkin.cli.options import as_path, make_learner, output_path, read_data, require_choice
from nearkin.cli.output import print_facts, to_stderr, typed_command
from nearkin.study.models import (
    DEFAULT_NEIGHBOURS,
    EUCLID,
    SCALE_CHOICES,
    check_supports,
    learner_named,
    make_model,
    settled_scale,
)

NOT_SCALED = "The vectors are not scaled, as nearkin move requires (--scale standard scales them)."
#: What is fitted if no learner is named. ITML learns from similar pairs, dissimilar ones, or both.
DEFAULT, DEFAULT_FOR_PAIRS = "MoveLabeled", "ITML"


@speaks_plainly
def fit(
    data: options.DataArgument,
    learner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Learner to fit, or euclid; see nearkin learners. Default MoveLabeled, ITML for --pairs.",
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="File to save the model in; else DATA's name with .nearkin."),
    ] = None,
    target: options.TargetOption = None,
    settings: options.SettingsOption = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="PAIRS",
            help="Learn from pairs of rows instead of labels: a table of two row numbers, counted "
            "from 1 (or keys, see --key), and optionally columns similar and weight. Without --target the "
            "model only embeds rows.",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Column of DATA by which PAIRS names rows; not a feature."),
    ] = None,
    neighbors: Annotated[int, typer.Option(min=1, help="Neighbours that vote.")] = DEFAULT_NEIGHBOURS,
    scale: options.ScaleOption = "auto",
    impute: options.ImputeOption = None,
    drop: options.DropOption = None,
    categorical: options.CategoricalOption = None,
    encoding: options.EncodingOption = "utf-8",
    vectors: options.VectorsOption = None,
    labels: options.LabelsOption = None,
    stream: Annotated[
        bool,
        typer.Option(
            "--stream",
            help="Read a file of vectors block by block and save only the learner; files from 2 GB on are "
            "always read this way.",
        ),
    ] = False,
    task: options.TaskOption = None,
    seed: options.SeedOption = 0,
    as_json: options.JsonOption = False,
) -> None:
    """Fit one learner on DATA and save it with everything that predicting needs."""
    from time import perf_counter

    from nearkin.cli.fit_stream import fit_streamed, should_stream
    from nearkin.study.saving import save_model

    path = output_path(out or f"{as_path(data).stem}.nearkin")
    require_choice("--scale", scale, SCALE_CHOICES)
    unfitted = _learner(learner or (DEFAULT if pairs is None else DEFAULT_FOR_PAIRS), settings, seed)
    if should_stream(data, labels, stream):
        if unfitted is None or scale not in ("auto", "none") or pairs is not None:
            raise CommandError("streamed vectors need a learner, and take neither --scale nor --pairs.")
        facts = fit_streamed(unfitted, data, labels or "", vectors, path)
        print_facts("fitted", facts, as_json=as_json)
        return
    given: dict = {}
    if pairs is None:
        if key is not None:
            raise CommandError("--key says how --pairs names rows; give both, or --drop the column.")
        dataset = read_data(data, target, task, impute, drop, categorical, encoding, vectors, labels)
    else:
        from nearkin.cli.constraints_file import read_items_and_pairs

        how = (target, task, impute, drop, categorical, encoding)
        dataset, given = read_items_and_pairs(data, pairs, key, *how)
    _check_learner(unfitted, dataset, by_pairs=pairs is not None)
    for_moving = scale == "auto" and labels is not None and type(unfitted).__name__ == DEFAULT
    scale, notices = ("none", [NOT_SCALED]) if for_moving else settled_scale(scale, dataset.X)
    for notice in notices:
        to_stderr(notice)
    settings_of_model = {"scale": scale, "sparse": dataset.is_sparse, "encoder": dataset.encoder}
    n_neighbors = min(neighbors, dataset.n_samples)
    model = make_model(unfitted, dataset.task, n_neighbors=n_neighbors, **settings_of_model)
    if given and not target:
        # Nothing to vote on: the learner itself is the model.
        model = model.set_params(model=unfitted)
    started = perf_counter()
    for_learner = {f"model__{name}": value for name, value in given.items()}
    model.fit(dataset.X, dataset.y if target or not given else None, **for_learner)
    seconds = perf_counter() - started
    name = EUCLID if unfitted is None else type(unfitted).__name__
    save_model(model, dataset, path, learner=name, command=typed_command())
    facts = _facts(model, dataset, name, seconds, path)
    if given and not target:
        facts["data"] = f"{dataset.name}: {dataset.n_samples} rows, {dataset.n_features} features"
        facts["target"] = "none: the model embeds rows"
    print_facts("fitted", facts, as_json=as_json)


def _learner(name: str, settings: list[str] | None, seed: int):
    if name.strip().lower() == EUCLID.lower():
        if settings:
            raise CommandError("Euclid has no settings; leave out --set.")
        return None
    return make_learner(learner_named(name), settings, seed)


def _check_learner(learner, dataset, *, by_pairs: bool) -> None:
    """Refuse a learner that does not support the data, or does not learn from pairs."""
    from nearkin.learners import all_learners

    if not by_pairs:
        if learner is not None:
            check_supports(type(learner).__name__, learner, dataset.task, dataset.is_sparse)
    elif learner is None or "pairs" not in learner.supervision:
        able = [name for name, kind in all_learners().items() if "pairs" in kind.supervision]
        name = EUCLID if learner is None else type(learner).__name__
        raise CommandError(f"{name} does not learn from pairs; these do: {', '.join(able)}.")


def _facts(model, dataset, name: str, seconds: float, path) -> dict:
    final = model.steps[-1][1]
    learner = getattr(final, "learner_", final)
    facts = {
        "model": str(path),
        "learner": name,
        "data": str(dataset),
        "target": ", ".join(dataset.target_names),
        "seconds": round(seconds, 3),
    }
    if hasattr(final, "kneighbors"):
        facts["neighbors"] = final.n_neighbors
    for attribute in ("n_iter_", "objective_"):
        value = getattr(learner, attribute, None)
        if value is not None:
            facts[attribute.rstrip("_")] = value
    return facts
