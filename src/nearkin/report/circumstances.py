"""The circumstances of a comparison: what a reader needs to trust and to reproduce its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any


@dataclass(frozen=True)
class Circumstances:
    """Everything that a report says about a comparison besides its results and views.

    Attributes
    ----------
    facts : dict
        Name and value pairs about the data and the protocol, shown in this order.
    versions : dict
        Package versions of the run.
    command : str
        The command that repeats the comparison.
    notices : sequence of str
        What a reader should know before trusting the numbers.
    class_names, target_names : sequence of str
        Readable names of the classes, in sorted order of the labels, and of the targets.
    """

    facts: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    command: str = ""
    notices: Sequence[str] = ()
    class_names: Sequence[str] = ()
    target_names: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they are kept in the description of a run."""
        return asdict(self)

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Circumstances:
        """The circumstances in the description of a run; its other entries are ignored.

        >>> Circumstances.from_dict({"command": "nearkin compare wine", "kind": "compare"}).command
        'nearkin compare wine'
        """
        known = {entry.name for entry in fields(cls)}
        return cls(**{name: value for name, value in description.items() if name in known})
