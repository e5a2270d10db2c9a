"""Measure the contestants of an entry, each in a fresh process of its own environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.entry import HERE, Contestant, Entry
from benchmarks.environments import EnvironmentUnavailable, python_of

ROOT = Path(__file__).resolve().parent.parent
#: Contestants that take less than so many seconds have so many turns each, one after the other in every
#: round: a machine is now faster, now slower, for seconds on end.
SHORT_RUN_SECONDS = 2.0
ROUNDS = 4


class Measurer:
    """Knows where environments live and which interpreters there are.

    Parameters
    ----------
    environments : Path
        Folder of the peers' environments.
    interpreters : dict of str -> str
        Interpreters named by the user, by version.
    left_out : tuple of str
        Contestants not to measure.
    ours_only : bool
        Whether to measure only those that run in this environment.
    """

    def __init__(self, environments: Path, interpreters: dict, left_out: tuple = (), ours_only: bool = False):
        self.environments = environments
        self.interpreters = interpreters
        self.left_out = left_out
        self.ours_only = ours_only

    def measure_entry(self, module: str, entry: Entry, quick: bool, growth: bool = True) -> dict:
        """All measurements of an entry: its cases, and the cases along which sizes grow."""
        cases = entry.quick_cases if quick else entry.cases
        grown = entry.growth if growth and not quick else {}
        return {
            "entry": module,
            "title": entry.title,
            "quick": quick,
            "reference": entry.contestants[0].name,
            "cases": [self._measure_case(module, entry, case, 1 if quick else ROUNDS) for case in cases],
            "growth": {
                size: [self._measure_case(module, entry, case, 1, growing=True) for case in steps]
                for size, steps in grown.items()
            },
        }

    def _measure_case(
        self, module: str, entry: Entry, case: dict, rounds: int, growing: bool = False
    ) -> dict:
        chosen = [
            c
            for c in entry.contestants
            if (c.in_growth or not growing)
            and c.name not in self.left_out
            and (c.environment == HERE or not self.ours_only)
        ]
        results = {c.name: self.measure(module, c, case) for c in chosen}
        for contestant in (rounds - 1) * chosen:
            result = results[contestant.name]
            if result.get("seconds", SHORT_RUN_SECONDS) < SHORT_RUN_SECONDS:
                again = self.measure(module, contestant, case)
                result["all_seconds"] += again.get("all_seconds", [])
                result["seconds"] = min(result["all_seconds"])
                result["cpu_seconds"] = min(result["cpu_seconds"], again.get("cpu_seconds", np.inf))
        return {"case": case, "results": results}

    def measure(self, module: str, contestant: Contestant, case: dict) -> dict:
        """What the worker answers, or {"error": why} or {"timed_out": seconds}."""
        print(f"  {contestant.name} at {case} ...", file=sys.stderr, flush=True)
        try:
            python = python_of(contestant.environment, self.environments, self.interpreters)
        except EnvironmentUnavailable as why:
            return {"error": str(why)}
        request = {
            "entry": module,
            "contestant": contestant.name,
            "case": case,
            "repeats": contestant.repeats,
        }
        # Only the project's root, not its sources: a peer's environment must not see nearkin.
        inherited = os.environ.get("PYTHONPATH", "") if contestant.environment == HERE else ""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), inherited]))}
        try:
            answer = subprocess.run(
                [str(python), "-m", "benchmarks.worker"],
                input=json.dumps(request),
                capture_output=True,
                text=True,
                timeout=contestant.time_bound,
                env=environment,
                cwd=ROOT,
            )
        except subprocess.TimeoutExpired:
            return {"timed_out": contestant.time_bound}
        if answer.returncode or not answer.stdout:
            last = answer.stderr.strip().splitlines()[-1:] or [f"exit code {answer.returncode}"]
            return {"error": f"the worker died: {last[0]}"}
        return json.loads(answer.stdout)
