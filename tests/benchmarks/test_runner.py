"""The benchmark runner, on a toy entry in the current interpreter."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
if not (ROOT / "benchmarks").is_dir():
    pytest.skip("the benchmarks folder is not part of an installed package", allow_module_level=True)
for folder in (ROOT, Path(__file__).parent):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from benchmarks.data import gaussian_mixture  # noqa: E402
from benchmarks.entry import PER_STEP, Entry, Target, entry_names, load_entry  # noqa: E402
from benchmarks.run import failures, main, run_entry  # noqa: E402

from benchmarks import environments, measuring, summary, worker  # noqa: E402

TOY = "toy_package.toy_entry"


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The toy entry run once in full."""
    folder = tmp_path_factory.mktemp("toy")
    package = folder / "toy_package"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "toy_entry.py").write_text((Path(__file__).parent / "toy_entry.py").read_text())
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(str(folder))
    patch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
    patch.setitem(environments.ENVIRONMENTS, "nowhere", environments.Environment(("x",), ("2.4",)))
    yield run_entry(TOY, measuring.Measurer(folder / "envs", {}), quick=False)
    patch.undo()


def results(measured):
    return measured["cases"][0]["results"]


def test_times_memory_and_quality_are_reported(measured):
    fast, slow = results(measured)["fast"], results(measured)["slow"]
    assert len(fast["all_seconds"]) == 2 * measuring.ROUNDS
    assert fast["seconds"] == min(fast["all_seconds"]) >= 0.01
    assert fast["quality"] == {"total": 100.0}
    assert fast["data_bytes"] == 800
    assert slow["seconds"] >= 0.1
    assert slow["peak_extra_bytes"] >= 30e6


def test_ratios_are_relative_to_the_first_contestant(measured):
    fast, slow = results(measured)["fast"], results(measured)["slow"]
    assert fast["time_ratio"] == 1
    assert slow["time_ratio"] == pytest.approx(slow["seconds"] / fast["seconds"])


def test_broken_and_missing_peers_do_not_stop_the_run(measured):
    assert "this peer is broken" in results(measured)["failing"]["error"]
    assert "no Python 2.4" in results(measured)["elsewhere"]["error"]
    assert results(measured)["endless"] == {
        "timed_out": 1.5,
        "time_ratio": 1.5 / results(measured)["fast"]["seconds"],
    }


def test_smoke_fails_if_anybody_does(measured):
    broken = failures([measured])
    assert {line.partition(":")[0].partition(", ")[2] for line in broken} == {
        "failing",
        "elsewhere",
        "endless",
    }
    assert "this peer is broken" in broken[0]
    assert not failures([{**measured, "cases": [{"results": {"fast": results(measured)["fast"]}}]}])


def test_growth_exponents_are_those_of_the_power_law(measured):
    assert set(measured["exponents"]["n"]) == {"fast", "slow"}
    steps = [{"case": {"n": n}, "results": {"cubic": {"seconds": 2e-9 * n**3}}} for n in (10, 30, 70)]
    steps[1]["results"]["broken"] = {"error": "no"}
    exponents = summary.growth_exponents({"growth": {"n": steps}})
    assert exponents == {"n": {"cubic": pytest.approx(3)}}


def test_targets_are_checked_at_full_size(measured):
    assert [check["kept"] for check in measured["targets"]] == [True, False, True]


def test_targets_may_count_steps():
    found = {"a": {"seconds": 6.0, "quality": {"steps": 3}}, "b": {"seconds": 9.0, "quality": {"steps": 9}}}
    entry = Entry("", None, (), (), (), targets=(Target("a", "b", 1.3, PER_STEP), Target("b", "c", 1.0)))
    checks = summary.check_targets(entry, {"quick": False, "cases": [{"case": {}, "results": found}]})
    assert [(check["reached"], check["kept"]) for check in checks] == [(2.0, False), (None, None)]


def test_report_mentions_everybody(measured):
    from rich.console import Console

    console = Console(record=True, width=200, file=open(os.devnull, "w"))  # noqa: SIM115
    summary.print_report(measured, console)
    text = console.export_text()
    for words in ("fast", "slow", "this peer is broken", "> 1.5", "BROKEN", "kept", "seconds ~ n^p"):
        assert words in text
    json.dumps(measured)


def test_worker_counts_the_memory_of_the_first_run():
    import numpy as np

    kept = []
    # So large a piece is always asked of the system anew, never found among what was freed before.
    measured = worker.measure(lambda: kept.append(np.ones(6_000_000)) or len(kept), 2)
    seconds, cpu_seconds, extra, outcome = measured
    assert 0 < cpu_seconds < 60
    assert len(seconds) == outcome == 2
    assert 40e6 < extra < 90e6


@pytest.mark.parametrize("name", entry_names())
def test_entries_are_complete(name):
    entry = load_entry(name)
    names = [contestant.name for contestant in entry.contestants]
    assert len(set(names)) == len(names)
    for contestant in entry.contestants:
        assert contestant.environment in {"nearkin", *environments.ENVIRONMENTS}
    for target in entry.targets:
        assert target.contestant in names
        assert target.against in {"data", *names}
    for case in [*entry.cases, *entry.quick_cases]:
        assert json.loads(json.dumps(case)) == case  # it travels to the worker as JSON
    for size, steps in entry.growth.items():
        assert len({case[size] for case in steps}) == len(steps) > 1


def test_unknown_entry_is_named(capsys):
    assert main(["no_such_entry"]) == 2
    assert "no such entry: no_such_entry" in capsys.readouterr().err


def test_mixture_is_the_same_every_time():
    X, y = gaussian_mixture(60, 5, n_classes=3)
    again, _ = gaussian_mixture(60, 5, n_classes=3)
    assert X.dtype == "float32"
    assert (again == X).all()
    assert sorted(set(y)) == [0, 1, 2]
