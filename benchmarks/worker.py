"""Run one contestant on one case in this interpreter: JSON in on stdin, JSON out on stdout.

Kept to the standard library, so that it runs in every peer's environment.
"""

from __future__ import annotations

import json
import os
import sys
import time

LONG_RUN_SECONDS = 15.0


def measure(job, repeats: int):
    """Seconds of each run, the least CPU seconds, peak extra bytes of the first run, and the last outcome.

    Memory is taken on the first run: later ones reuse what the allocator kept.
    """
    before = _resident_bytes()
    _reset_peak()
    seconds, cpu_seconds = [], []
    for run in range(max(1, repeats)):
        start, cpu_start = time.perf_counter(), time.process_time()
        outcome = job()
        seconds.append(time.perf_counter() - start)
        cpu_seconds.append(time.process_time() - cpu_start)
        if run == 0:
            extra = max(0, _peak_bytes() - before)
        if seconds[-1] > LONG_RUN_SECONDS:
            break
    return seconds, min(cpu_seconds), extra, outcome


def _status(key: str):
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(key + ":"):
                return 1024 * int(line.split()[1])
    raise OSError(key)


def _resident_bytes() -> int:
    try:
        return _status("VmRSS")
    except OSError:
        return _peak_bytes()


def _reset_peak() -> None:
    # Linux forgets the high-water mark on request; elsewhere earlier peaks may hide a small one.
    try:
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")
    except OSError:
        pass


def _peak_bytes() -> int:
    try:
        return _status("VmHWM")
    except OSError:
        import resource

        unit = 1 if sys.platform == "darwin" else 1024
        return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def data_bytes(data) -> int:
    """Bytes of the arrays in a data set, however nested; sparse matrices by their parts."""
    if hasattr(data, "nbytes"):
        return int(data.nbytes)
    if hasattr(data, "indptr"):
        return sum(int(part.nbytes) for part in (data.data, data.indices, data.indptr))
    if isinstance(data, dict):
        data = list(data.values())
    return sum(data_bytes(part) for part in data) if isinstance(data, (tuple, list)) else 0


def run(request: dict) -> dict:
    """The measurements of one request: entry, contestant, case, repeats."""
    from benchmarks.entry import load_entry

    entry = load_entry(request["entry"])
    contestant = entry.contestant(request["contestant"])
    data = entry.make_data(**request["case"])
    job = contestant.prepare(data, request["case"])
    seconds, cpu_seconds, extra, outcome = measure(job, request["repeats"])
    quality = contestant.quality(data, outcome) if contestant.quality else {}
    return {
        "seconds": min(seconds),
        "all_seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "peak_extra_bytes": extra,
        "data_bytes": data_bytes(data),
        "quality": {key: float(value) for key, value in quality.items()},
    }


def main() -> None:
    # What peers print must not mix with the answer.
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        result = run(json.load(sys.stdin))
    except Exception as error:
        import traceback

        traceback.print_exc()
        result = {"error": f"{type(error).__name__}: {error}"}
    answer.write(json.dumps(result))
    answer.close()


if __name__ == "__main__":
    main()
