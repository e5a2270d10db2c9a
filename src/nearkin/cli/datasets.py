"""`nearkin datasets`: the data sets known by name, and where each would come from."""

from __future__ import annotations

from dataclasses import asdict

from nearkin.cli.errors import speaks_plainly
from nearkin.cli.options import JsonOption
from nearkin.cli.output import Column, print_json, print_table


@speaks_plainly
def datasets(as_json: JsonOption = False) -> None:
    """List the known data sets, their sizes and where they are found."""
    from nearkin.datasets import list_datasets

    found = list_datasets()
    if as_json:
        print_json([asdict(line) for line in found])
        return
    columns = [
        Column("data set"),
        Column("rows", right=True),
        Column("features", right=True),
        Column("predicts"),
        Column("found in"),
        Column("used by", wrap=True),
    ]
    print_table(columns, [_cells(line) for line in found])


def _cells(line) -> list[str]:
    predicts = ""
    if line.task:
        classes = f"{line.n_classes} classes" if line.n_classes else "classes, number unknown"
        predicts = classes if line.task == "classification" else f"{line.n_targets} target(s)"
    return [
        line.name,
        str(line.n_samples or ""),
        str(line.n_features or ""),
        predicts,
        line.available or f"missing: {line.how}",
        ", ".join(line.papers),
    ]
