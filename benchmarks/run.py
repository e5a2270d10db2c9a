"""Command line: ``python -m benchmarks.run [NAMES] [--quick] [--out DIR]``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import replace
from pathlib import Path

from benchmarks.entry import Entry, entry_names, load_entry
from benchmarks.environments import ENVIRONMENTS, EnvironmentUnavailable, python_of
from benchmarks.measuring import Measurer
from benchmarks.summary import add_ratios, check_targets, growth_exponents, print_report

FOLDER = Path(__file__).resolve().parent


def parse(arguments: list | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument(
        "names", nargs="*", help=f"entries to run, all by default: {', '.join(entry_names())}"
    )
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, no growth, no promises: a minute or so"
    )
    parser.add_argument(
        "--smoke", action="store_true", help="quick and without peers' environments; fails if anything does"
    )
    parser.add_argument(
        "--no-growth", action="store_true", help="leave out the cases that show how cost grows"
    )
    parser.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="only cases with this, e.g. name=digits or d=50; repeatable",
    )
    parser.add_argument("--without", action="append", default=[], help="contestant to leave out; repeatable")
    parser.add_argument("--out", type=Path, help="folder for one JSON file per entry")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument(
        "--envs", type=Path, default=FOLDER / "envs", help="folder of the peers' environments"
    )
    parser.add_argument("--prepare", action="store_true", help="only make the peers' environments")
    parser.add_argument(
        "--interpreter",
        action="append",
        default=[],
        metavar="VERSION=PATH",
        help="a Python for peers that need an old one, e.g. 3.10=/usr/bin/python3.10; may be repeated",
    )
    return parser.parse_args(arguments)


def machine() -> dict:
    """What the figures depend on."""
    return {
        "platform": platform.platform(),
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "thread_limits": {key: value for key, value in os.environ.items() if key.endswith("_NUM_THREADS")},
    }


def prepare_all(folder: Path, interpreters: dict) -> int:
    """Make every environment; the number that could not be made."""
    failed = 0
    for name in ENVIRONMENTS:
        try:
            python_of(name, folder, interpreters)
            print(f"{name}: ready")
        except EnvironmentUnavailable as why:
            failed += 1
            print(f"{name}: {why}")
    return failed


def only_cases(entry: Entry, wishes: list) -> Entry:
    """The entry with those of its cases that fulfil every wish ``key=value``."""
    pairs = [wish.split("=", 1) for wish in wishes]
    kept = tuple(case for case in entry.cases if all(str(case.get(pair[0])) == pair[-1] for pair in pairs))
    return replace(entry, cases=kept)


def run_entry(
    module: str, measurer: Measurer, *, quick: bool, growth: bool = True, cases: list | None = None
) -> dict:
    """Measure one entry and work out its ratios, exponents and promises."""
    entry = only_cases(load_entry(module), cases or [])
    print(f"{module}: {entry.title}", file=sys.stderr)
    measured = measurer.measure_entry(module, entry, quick, growth)
    add_ratios(measured)
    measured["exponents"] = growth_exponents(measured)
    measured["targets"] = check_targets(entry, measured)
    measured["machine"] = machine()
    return measured


def main(arguments: list | None = None) -> int:
    options = parse(arguments)
    interpreters = dict(pair.split("=", 1) for pair in options.interpreter)
    if options.prepare:
        return prepare_all(options.envs, interpreters)
    unknown = set(options.names) - set(entry_names())
    if unknown:
        print(
            f"no such entry: {', '.join(sorted(unknown))}; there are {', '.join(entry_names())}",
            file=sys.stderr,
        )
        return 2
    measurer = Measurer(options.envs, interpreters, tuple(options.without), ours_only=options.smoke)
    results = []
    for name in options.names or entry_names():
        results.append(
            run_entry(
                name,
                measurer,
                quick=options.quick or options.smoke,
                growth=not options.no_growth,
                cases=options.case,
            )
        )
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / f"{name}.json").write_text(json.dumps(results[-1], indent=2))
    if options.json:
        print(json.dumps(results, indent=2))
    else:
        from rich.console import Console

        for measured in results:
            print_report(measured, Console())
    if options.smoke:
        broken = failures(results)
        print("\n".join(broken) or "every benchmark runs", file=sys.stderr)
        return 1 if broken else 0
    return 1 if any(check["kept"] is False for measured in results for check in measured["targets"]) else 0


def failures(results: list[dict]) -> list[str]:
    """A line for each contestant that did not come to an end."""
    return [
        f"{measured['entry']}, {name}: {result.get('error', 'not done in time')}"
        for measured in results
        for case in measured["cases"]
        for name, result in case["results"].items()
        if "seconds" not in result
    ]


if __name__ == "__main__":
    sys.exit(main())
