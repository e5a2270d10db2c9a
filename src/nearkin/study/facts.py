"""The facts of a comparison as text, for the report and for JSON."""

from __future__ import annotations

from nearkin.datasets import Dataset
from nearkin.datasets.targets import AND
from nearkin.evaluation import Folds, RepeatRule, StratifiedFolds
from nearkin.report.words import seconds_text


def facts_of(
    data: Dataset,
    protocol: Folds | StratifiedFolds,
    rule: RepeatRule | None,
    scale: str,
    seconds: float | None,
    seed: int,
    *,
    tuned: bool = True,
) -> dict[str, str]:
    """Name to text: data, what is predicted, protocol, scaling, budget and seed."""
    kind = ", stratified" if data.task == "classification" else ""
    settings = "settings tuned inside the training folds" if tuned else "default settings"
    times = f"{protocol.n_repeats} × " if protocol.n_repeats > 1 else ""
    more = "" if rule is None else f"; up to {rule.most} times for those that may win"
    predicts = (
        f"{data.n_classes} classes"
        + ("" if data.target_names[0] == "y" else f" of {AND.join(data.target_names)}")
        if data.task == "classification"
        else f"{data.n_targets} target{'s' if data.n_targets > 1 else ''}: {', '.join(data.target_names[:6])}"
    )
    return {
        "data": data.source or data.name,
        "rows": f"{data.n_samples:,}",
        "features": f"{data.n_features:,}" + (" (sparse)" if data.is_sparse else ""),
        "predicts": predicts,
        "protocol": f"{times}{protocol.n_folds}-fold cross-validation{kind}, {settings}{more}",
        "scaling": scale,
        "time budget": "none" if seconds is None else seconds_text(seconds),
        "seed": str(seed),
    }
