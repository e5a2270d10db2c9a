"""Options that several commands share, and how their texts become values."""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, overload

import typer

from nearkin.cli.errors import CommandError
from nearkin.cli.output import to_stderr

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A CSV, JSON lines, Parquet, Feather, ARFF, npz, npy, HDF5 or fvecs file, - for standard input, "
        "or a known set.",
    ),
]
TargetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        metavar="COL",
        help="Column to predict; repeat it or use a pattern (Y*) for several targets.",
    ),
]
TaskOption = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="TASK",
        help="classification or regression; if left out, chosen by the target, and the reason is given.",
    ),
]
ImputeOption = Annotated[
    str | None,
    typer.Option(
        "--impute",
        metavar="HOW",
        help="Fill missing values: median, mean, most-frequent or knn; without it they are an error.",
    ),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="COL", help="Column to leave out, such as an id; may be repeated."),
]
CategoricalOption = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical", metavar="COL", help="Numeric column whose values are codes; may be repeated."
    ),
]
EncodingOption = Annotated[
    str, typer.Option("--encoding", metavar="NAME", help="Encoding of text files, such as latin-1.")
]
VectorsOption = Annotated[
    str | None,
    typer.Option(
        "--vectors",
        metavar="NAME",
        help="Array or column of lists that holds vectors: they are the features.",
    ),
]
LabelsOption = Annotated[
    str | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="File of labels for vectors (npy, text, ...), or their array in DATA.",
    ),
]
ScaleOption = Annotated[
    str,
    typer.Option(
        "--scale",
        metavar="HOW",
        help="standard, minmax or none; auto is standard, but none for sparse rows and those of unit length.",
    ),
]
HubsOption = Annotated[
    str | None,
    typer.Option(
        "--hubs",
        metavar="A,B",
        help="Hub corrections, with Euclid and the learners named: csls, dissim-local, local-scaling, nicdm, "
        "mutual-proximity.",
    ),
]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="A setting of the learner; may be repeated."),
]
SeedOption = Annotated[
    int,
    typer.Option(
        "--seed", min=0, max=2**32 - 1, help="Seed of folds and starts; the same seed, the same results."
    ),
]
EmbedOption = Annotated[
    bool, typer.Option("--embed-plotly", help="Put plotly into the report: figures zoom, 5 MB more.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

_UNITS = {"h": 3600.0, "m": 60.0, "min": 60.0, "s": 1.0, "sec": 1.0, "": 1.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)\s*")


def parse_duration(text: str | None) -> float | None:
    """Seconds from a text such as 90s, 2m, 1h30m or 45.

    >>> parse_duration("1h30m"), parse_duration("90")
    (5400.0, 90.0)
    """
    if text is None or text.strip().lower() == "none":
        return None
    rest, seconds = text.strip().lower(), 0.0
    while rest:
        part = _PART.match(rest)
        if part is None or part[2] not in _UNITS:
            break
        seconds += float(part[1]) * _UNITS[part[2]]
        rest = rest[part.end() :]
    if rest or seconds <= 0:
        raise CommandError(
            f"--time-budget {text!r} is not a duration; write for instance 90s, 2m, 1h30m, none or auto."
        )
    return seconds


def parse_count(option: str, text: str, word: str) -> int | str:
    """A whole number of at least 1, or the one word that the option takes instead.

    >>> parse_count("--repeats", "3", "auto"), parse_count("--repeats", "Auto", "auto")
    (3, 'auto')
    """
    plain = text.strip().lower()
    if plain == word:
        return word
    if not plain.isdecimal() or int(plain) < 1:
        raise CommandError(f"{option} {text!r}: expected a whole number of at least 1, or {word}.")
    return int(plain)


def parse_settings(pairs: list[str] | None, learner: type) -> dict[str, Any]:
    """Keyword arguments for a learner from key=value strings; values are Python literals or plain words."""
    from nearkin.datasets.errors import close_matches

    known = inspect.signature(learner).parameters
    settings = {}
    for pair in pairs or ():
        key, equals, text = pair.partition("=")
        key = key.strip().replace("-", "_")
        if not equals:
            raise CommandError(f"--set {pair!r}: expected key=value.")
        if key not in known:
            hint = close_matches(key, known)
            raise CommandError(
                f"--set {pair!r}: {learner.__name__} has no setting {key!r}.{hint} "
                f"It has: {', '.join(known)}."
            )
        settings[key] = parse_value(text)
    return settings


def make_learner(kind: type, settings: list[str] | None, seed: int) -> Any:
    """A learner with settings from key=value strings; the seed is its random state unless they set one."""
    seeded = {"random_state": seed} if "random_state" in inspect.signature(kind).parameters else {}
    return kind(**{**seeded, **parse_settings(settings, kind)})


def parse_value(text: str) -> Any:
    """A Python literal, or the text itself if it is not one.

    >>> parse_value("0.5"), parse_value("none"), parse_value("softmax")
    (0.5, None, 'softmax')
    """
    text = text.strip()
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def read_data(
    data: str,
    target,
    task,
    impute,
    drop=None,
    categorical=None,
    encoding="utf-8",
    vectors=None,
    labels=None,
):
    """The data set that the options describe."""
    from nearkin.datasets import load_dataset
    from nearkin.datasets.filling import IMPUTE_CHOICES
    from nearkin.study.data import refuse_nothing_to_learn

    if impute is not None:
        require_choice("--impute", impute, IMPUTE_CHOICES)
    if task is not None:
        require_choice("--task", task, ("classification", "regression"))
    requested = list(target) if target else None
    if requested is not None and len(requested) == 1:
        requested = requested[0]
    found = load_dataset(
        data,
        target=requested,
        task=task,
        impute=impute,
        drop=drop or (),
        categorical=categorical or (),
        encoding=encoding,
        vectors=vectors,
        labels=labels,
    )
    refuse_nothing_to_learn(found)
    announce_task(found, task)
    return found


def announce_task(dataset, asked: str | None) -> None:
    """Say which task was chosen and why, before any work starts."""
    if asked is not None:
        to_stderr(f"task: {dataset.task}, as asked for")
    elif not dataset.task_reason:
        to_stderr(f"task: {dataset.task}, as declared for {dataset.name}")
    else:
        other = "regression" if dataset.task == "classification" else "classification"
        to_stderr(f"task: {dataset.task}, as {dataset.task_reason} (--task {other} overrides)")


def require_choice(option: str, value: str, choices: Sequence[str]) -> None:
    """Refuse a word that an option does not know."""
    if value not in choices:
        raise CommandError(f"{option} {value!r}: expected one of {', '.join(choices)}.")


def as_path(text: str) -> Path:
    return Path(text).expanduser()


@overload
def output_path(text: str) -> Path: ...
@overload
def output_path(text: None) -> None: ...


def output_path(text: str | None) -> Path | None:
    """The file that an option names; fails now, not after minutes of work, if it cannot be written."""
    if text is None:
        return None
    named = as_path(text)
    # A link stays a link, also where it leads to a file that does not exist yet.
    path = Path(os.path.realpath(named))
    if path.is_dir():
        raise CommandError(f"{path} is a folder; give the name of a file.")
    if path.exists() and not path.is_file():
        return named  # a device or pipe is written to as it is; trying it could block
    if not path.parent.is_dir():
        raise CommandError(f"cannot write {path}: the folder {path.parent} does not exist; create it first.")
    try:
        existed = path.exists()
        path.open("ab").close()
        if not existed:
            path.unlink()
    except OSError as error:
        raise CommandError(f"cannot write {path}: {(error.strerror or str(error)).lower()}.") from error
    return named
