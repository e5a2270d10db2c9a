"""A benchmark of a second or so for the tests of the runner."""

from __future__ import annotations

import time

import numpy as np
from benchmarks.entry import Contestant, Entry, Target


def make_data(n: int) -> np.ndarray:
    return np.ones(n)


def fast(data, case):
    def job():
        print("peers may print")
        time.sleep(0.01)
        return data.sum()

    return job


def slow(data, case):
    def job():
        time.sleep(len(data) / 1000)
        return np.full(4_000_000, 2.0).sum() + len(data)

    return job


def failing(data, case):
    raise RuntimeError("this peer is broken")


def endless(data, case):
    return lambda: time.sleep(60)


ENTRY = Entry(
    title="toy",
    make_data=make_data,
    contestants=(
        Contestant("fast", fast, quality=lambda data, total: {"total": total}, repeats=2),
        Contestant("slow", slow, repeats=1),
        Contestant("failing", failing, in_growth=False),
        Contestant("endless", endless, time_bound=1.5, in_growth=False),
        Contestant("elsewhere", fast, environment="nowhere", in_growth=False),
    ),
    cases=({"n": 100},),
    quick_cases=({"n": 10},),
    growth={"n": ({"n": 50}, {"n": 200})},
    targets=(Target("fast", "slow", 0.9), Target("slow", "fast", 0.9), Target("fast", "endless", 0.5)),
)
