"""Workers of Dask keep freed memory while they compute, and only then."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import resource
import time
from contextlib import nullcontext
import numpy as np
from nearkin.scale.allocation import kept_memory

def faults(context):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    with context:
        for _ in range(50):
            np.ones(100_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

kept_memory.seconds = 0.05
before, inside = faults(nullcontext()), faults(kept_memory)
time.sleep(0.3)
print(before, inside, faults(nullcontext()))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a setting of glibc")
def test_freed_memory_is_kept_inside_and_handed_back_outside():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"MALLOC_TRIM_THRESHOLD_": "65536"},
        capture_output=True,
        text=True,
        check=True,
    )
    before, inside, after = map(int, done.stdout.split())
    if before < 5_000:
        pytest.skip("this C library does not hand memory back at once")
    assert inside < before / 5
    assert after > before / 2
