"""`nearkin learners`: what can be learned."""

from __future__ import annotations

from nearkin.cli.errors import speaks_plainly
from nearkin.cli.options import JsonOption
from nearkin.cli.output import Column, print_json, print_table


@speaks_plainly
def learners(as_json: JsonOption = False) -> None:
    """List the learners, what they are for and the settings they take."""
    import inspect

    from nearkin.learners import all_learners

    found: list[dict] = [
        {
            "name": name,
            "summary": learner.summary,
            "tasks": list(learner.tasks),
            "accepts_sparse": learner.accepts_sparse,
            "accepts_sample_weight": learner.accepts_sample_weight,
            "settings": {key: p.default for key, p in inspect.signature(learner).parameters.items()},
        }
        for name, learner in all_learners().items()
    ]
    if as_json:
        print_json(found)
        return
    columns = [
        Column("learner"),
        Column("what it does", wrap=True),
        Column("for", wrap=True),
        Column("sparse"),
        Column("weights"),
        Column("settings", wrap=True),
    ]
    rows = [
        [
            one["name"],
            one["summary"],
            ", ".join(one["tasks"]),
            "yes" if one["accepts_sparse"] else "",
            "yes" if one["accepts_sample_weight"] else "",
            ", ".join(f"{key}={value!r}" for key, value in one["settings"].items()),
        ]
        for one in found
    ]
    print_table(columns, rows)
