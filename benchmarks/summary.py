"""From measurements to ratios, exponents and kept or broken promises; and to a table."""

from __future__ import annotations

import math

from benchmarks.entry import PER_STEP, Entry


def add_ratios(measured: dict) -> None:
    """Give every result its time and memory relative to the reference of its case."""
    for case in [*measured["cases"], *(c for steps in measured["growth"].values() for c in steps)]:
        reference = case["results"].get(measured["reference"], {})
        for result in case["results"].values():
            for measure, ratio in (
                ("seconds", "time_ratio"),
                ("cpu_seconds", "cpu_ratio"),
                ("peak_extra_bytes", "memory_ratio"),
            ):
                value = result.get(measure, result.get("timed_out") if measure == "seconds" else None)
                if value is not None and reference.get(measure):
                    result[ratio] = value / reference[measure]


def growth_exponents(measured: dict) -> dict:
    """For each size and contestant, p in seconds ~ size^p, by least squares on logarithms."""
    exponents: dict = {}
    for size, steps in measured["growth"].items():
        names = {name for step in steps for name in step["results"]}
        for name in sorted(names):
            points = [
                (math.log(step["case"][size]), math.log(step["results"][name]["seconds"]))
                for step in steps
                if "seconds" in step["results"].get(name, {})
            ]
            if len(points) > 1:
                exponents.setdefault(size, {})[name] = _slope(points)
    return exponents


def _slope(points: list) -> float:
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def check_targets(entry: Entry, measured: dict) -> list:
    """Each target on each full-size case: the ratio reached and whether it is kept.

    Where the peer was stopped at its time bound, the ratio is an upper bound. Where either side has
    no measurement, `kept` is None.
    """
    checks = []
    for case in [] if measured["quick"] else measured["cases"]:
        for target in entry.targets:
            ours = case["results"].get(target.contestant, {})
            if target.against == "data":
                theirs = ours.get("data_bytes")
            else:
                other = case["results"].get(target.against, {})
                theirs = _measured(other, target.measure)
            mine = None if "timed_out" in ours else _measured(ours, target.measure)
            reached = mine / theirs if mine is not None and theirs else None
            checks.append(
                {
                    "case": case["case"],
                    "promise": f"{target.contestant} takes at most {target.ratio:.3g} x {target.against}",
                    "measure": target.measure,
                    "reached": reached,
                    "kept": None if reached is None else reached <= target.ratio,
                }
            )
    return checks


def _measured(result: dict, measure: str) -> float | None:
    """What a contestant needed, if it was measured."""
    if measure == PER_STEP:
        steps = result.get("quality", {}).get("steps")
        return result["seconds"] / steps if steps and "seconds" in result else None
    if measure == "seconds":
        return result.get("seconds", result.get("timed_out"))
    return result.get(measure)


def table_rows(case: dict) -> list:
    """Rows (contestant, seconds, two time ratios, peak extra MB, memory ratio, quality) as text."""
    rows = []
    for name, result in case["results"].items():
        if "error" in result:
            rows.append((name, result["error"], "", "", "", "", ""))
            continue
        more = "> " if "timed_out" in result else ""
        seconds = result.get("seconds", result.get("timed_out"))
        extra = result.get("peak_extra_bytes")
        rows.append(
            (
                name,
                f"{more}{seconds:.4g}",
                f"{more}{result['time_ratio']:.3g}" if "time_ratio" in result else "",
                f"{result['cpu_ratio']:.3g}" if "cpu_ratio" in result else "",
                "" if extra is None else f"{extra / 2**20:.1f}",
                f"{result['memory_ratio']:.3g}" if "memory_ratio" in result else "",
                ", ".join(f"{key} {value:.4g}" for key, value in result.get("quality", {}).items()),
            )
        )
    return rows


def print_report(measured: dict, console) -> None:
    """Tables of one entry on a rich console."""
    from rich.table import Table

    suffix = " (quick: smaller sizes, no promises checked)" if measured["quick"] else ""
    console.print(f"\n[bold]{measured['title']}[/bold]{suffix}", highlight=False)
    for case in measured["cases"]:
        sizes = {k: f"{v:,}" if isinstance(v, int) else v for k, v in case["case"].items()}
        title = ", ".join(f"{key} = {value}" for key, value in sizes.items())
        table = Table(title=title, title_justify="left")
        reference = measured["reference"]
        headings = ("", "seconds", f"x {reference}", "x CPU", "extra MB", f"x {reference}", "quality")
        for heading in headings:
            table.add_column(heading, overflow="fold")
        for row in table_rows(case):
            table.add_row(*row)
        console.print(table)
    for size, found in measured["exponents"].items():
        text = ", ".join(f"{name} {exponent:.2f}" for name, exponent in found.items())
        console.print(f"seconds ~ {size}^p with p: {text}", highlight=False)
    for check in measured["targets"]:
        verdict = {True: "kept", False: "BROKEN", None: "not measured"}[check["kept"]]
        reached = "-" if check["reached"] is None else f"{check['reached']:.3g}"
        console.print(
            f"{verdict}: {check['promise']} ({check['measure']}); reached {reached} at {check['case']}",
            highlight=False,
        )
