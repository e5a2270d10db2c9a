"""What the first fit of every learner costs on a new machine, where no compiled code is cached yet.

For each learner found, a fresh process with an empty Numba cache fits it twice::

    python -m benchmarks.first_use                 # every learner, 1,200 rows of 10 features
    python -m benchmarks.first_use NCA LMDL --kernels

The difference of the two fits, CPU seconds, is what compiling costs; a process with the cache then filled
shows what later sessions pay. `--kernels` lists what was compiled and how long each took.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

TARGET = 4.0


def data(task: str, n: int = 1_200, d: int = 10):
    """Overlapping classes, or a smooth target: enough rows for lists of near pairs in float32."""
    import numpy as np

    rng = np.random.RandomState(0)
    y = np.arange(n) % 4
    X = rng.standard_normal((n, d)) + 1.5 * rng.standard_normal((4, d))[y]
    return X, (y if task == "classification" else X[:, 0] + 0.1 * rng.standard_normal(n))


def compiled() -> dict:
    """Seconds of compilation by kernel and signature, of what this process has compiled."""
    from numba.core.dispatcher import Dispatcher

    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("nearkin"):
            for kernel in vars(module).values():
                if isinstance(kernel, Dispatcher) and kernel.py_func.__module__ == name:
                    for signature, meta in kernel.get_metadata().items() if kernel.signatures else ():
                        spent = (meta or {}).get("timers", {}).get("compiler_lock", 0.0)
                        found[f"{kernel.__name__}{signature}"] = spent
    return found


def fit_twice(name: str) -> dict:
    """CPU seconds of the first and the second fit; both say the same but for what is compiled or loaded."""
    warnings.simplefilter("ignore")
    from nearkin.learners.discovery import all_learners

    learner = all_learners()[name]
    X, y = data("classification" if "classification" in learner.tasks else "regression")
    seconds = []
    for _ in range(2):
        start = time.process_time()
        learner().fit(X, y)
        seconds.append(time.process_time() - start)
    return {
        "first": seconds[0],
        "second": seconds[1],
        "kernels": compiled() if "numba" in sys.modules else {},
    }


def measured(name: str, cache: str) -> dict:
    """`fit_twice` in a process of its own, with this folder for compiled code."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.first_use", "--inside", name],
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.first_use", description=__doc__)
    parser.add_argument("names", nargs="*", help="learners; all by default")
    parser.add_argument("--kernels", action="store_true", help="list what was compiled")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(fit_twice(options.names[0])))
        return 0
    from nearkin.learners.discovery import all_learners

    worst = 0.0
    print(f"{'learner':22} {'compiling, s':>12} {'kernels':>8} {'next session, s':>16}")
    for name in options.names or all_learners():
        with tempfile.TemporaryDirectory() as cache:
            new, later = measured(name, cache), measured(name, cache)
        if "error" in new:
            print(f"{name:22} {new['error']}")
            continue
        spent, loading = new["first"] - new["second"], later["first"] - later["second"]
        worst = max(worst, spent)
        print(f"{name:22} {spent:12.1f} {len(new['kernels']):8} {loading:16.1f}", flush=True)
        if options.kernels:
            for kernel, seconds in sorted(new["kernels"].items(), key=lambda item: -item[1]):
                print(f"    {seconds:6.2f}  {kernel[:160]}")
    print(f"worst {worst:.1f} s, target {TARGET:.0f} s")
    return int(worst > TARGET)


if __name__ == "__main__":
    sys.exit(main())
