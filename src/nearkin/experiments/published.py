"""Tables of numbers as printed in the papers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Number:
    """A printed mean and, where the paper gives it, its standard deviation."""

    mean: float
    sd: float | None = None

    @classmethod
    def parse(cls, text: str) -> Number | None:
        """The number in a cell such as ``13.7±1.22``, ``13.9`` or ``-`` (none).

        >>> Number.parse("13.7±1.22")
        Number(mean=13.7, sd=1.22)
        """
        text = text.strip()
        if text in ("", "-"):
            return None
        mean, _, sd = text.partition("±")
        return cls(float(mean), float(sd) if sd else None)


@dataclass(frozen=True)
class PublishedTable:
    """One table: a metric, its methods (columns) and a row of numbers per data set.

    `dimensions` gives the number of features of a set where the paper prints it. A `remark` stands in the
    heading of the table with our numbers.
    """

    name: str
    metric: str
    methods: tuple[str, ...]
    rows: Mapping[str, tuple[Number | None, ...]]
    dimensions: Mapping[str, int] = field(default_factory=dict)
    remark: str = ""

    @classmethod
    def by_dataset(
        cls, name: str, metric: str, text: str, dimensions: Mapping[str, int] | None = None, remark: str = ""
    ) -> PublishedTable:
        """From text with a row per data set, cells between bars, the methods in the first line.

        >>> table = PublishedTable.by_dataset("Table 1", "error", "Set | A | B \\n Iris | 4.2±0.6 | -")
        >>> table.methods, table.rows["Iris"]
        (('A', 'B'), (Number(mean=4.2, sd=0.6), None))
        """
        header, *lines = _cells(text)
        rows = {line[0]: tuple(Number.parse(cell) for cell in line[1:]) for line in lines}
        wrong = [label for label, row in rows.items() if len(row) != len(header) - 1]
        if wrong:
            raise ValueError(f"{name}: rows {wrong} do not have {len(header) - 1} numbers.")
        return cls(name, metric, tuple(header[1:]), rows, dict(dimensions or {}), remark)

    @classmethod
    def by_method(cls, name: str, metric: str, text: str) -> PublishedTable:
        """From text with a row per method and the data sets in the first line."""
        header, *lines = _cells(text)
        turned = zip(header, *lines, strict=True)
        return cls.by_dataset(name, metric, "\n".join(" | ".join(line) for line in turned))

    def number(self, label: str, method: str) -> Number | None:
        """What is printed for a data set and a method, if anything."""
        if label not in self.rows or method not in self.methods:
            return None
        return self.rows[label][self.methods.index(method)]


def _cells(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]
