"""Write the reference part of docs/cli.md from the commands themselves.

Run it after changing a command or an option::

    python docs/build.py

A test compares the page with what this script would write.
"""

from __future__ import annotations

import inspect
import typing
from dataclasses import dataclass
from pathlib import Path

from sections import renewed
from typer.models import ArgumentInfo

from nearkin.cli.app import app

PAGE = Path(__file__).with_name("cli.md")


@dataclass(frozen=True)
class Parameter:
    """An argument or option of a command, read from the function that the command is."""

    name: str
    value: str
    default: str
    help: str

    @property
    def is_option(self) -> bool:
        return self.name.startswith("--")


def commands() -> dict[str, typing.Callable]:
    """The function behind every command, in the order of `nearkin --help`."""
    return {entry.name or entry.callback.__name__: entry.callback for entry in app.registered_commands}


def parameters_of(function) -> list[Parameter]:
    """Arguments and options of a command; signatures are the same under every version of Typer."""
    hints = typing.get_type_hints(inspect.unwrap(function), include_extras=True)
    found = []
    for name, parameter in inspect.signature(function).parameters.items():
        kind, info = typing.get_args(hints[name])[:2]
        required = parameter.default is inspect.Parameter.empty
        default = "required" if required else f"`{parameter.default}`"
        if parameter.default is None or parameter.default is False:
            default = ""
        if isinstance(info, ArgumentInfo):
            found.append(Parameter(info.metavar or name.upper(), "", default, info.help))
            continue
        # In Annotated[..., Option("--name")] Typer keeps the first declaration as the default.
        declared = [text for text in (info.default, *(info.param_decls or ())) if str(text).startswith("--")]
        value = "" if kind is bool else info.metavar or ("N" if "int" in str(kind) else "TEXT")
        option = declared[0] if declared else "--" + name.replace("_", "-")
        found.append(Parameter(option, value, default, info.help))
    return found


def command_entry(name: str, function) -> str:
    """A heading, the usage line, the help text and a table of the arguments and options."""
    parameters = parameters_of(function)
    arguments = [parameter.name for parameter in parameters if not parameter.is_option]
    usage = " ".join(["nearkin", name, *arguments, "[OPTIONS]"])
    lines = [f"### nearkin {name}", "", "```text", usage, "```", ""]
    lines += [" ".join(paragraph.split()) + "\n" for paragraph in inspect.getdoc(function).split("\n\n")]
    lines += ["| | default | |", "|---|---|---|"]
    lines += [f"| `{' '.join([p.name, p.value]).strip()}` | {p.default} | {p.help} |" for p in parameters]
    return "\n".join(lines)


def reference() -> str:
    """The generated part of the page."""
    entries = [command_entry(name, command) for name, command in commands().items()]
    return "\n\n".join(entries)


def page() -> str:
    """The page with its reference renewed; everything around it stays."""
    return renewed(PAGE.read_text(encoding="utf-8"), "reference", reference())


def files() -> dict[Path, str]:
    """The page with the text it should have."""
    return {PAGE: page()}
