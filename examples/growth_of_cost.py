"""
How the cost of a fit grows
===========================

Seconds and memory decide what can be learned from many rows. Closed forms cost about as much as a pass
over the rows; gradient learners meet pairs of rows, but only those that are near; nothing ever holds a
matrix of all pairs. Here fits of some learners on a doubling number of rows, timed on the machine that
built this page.
"""

import time
import tracemalloc
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from nearkin import GMML, LMDL, LMNN, NCA, MoveLabeled
from nearkin.datasets.synthetic import make_mixture

warnings.simplefilter("ignore", ConvergenceWarning)  # five steps each, to be compared step by step

learners = {
    "GMML": GMML(t=0.5),
    "MoveLabeled": MoveLabeled(n_targets=1, alpha=1.0, share=1.0),
    "LMDL, 5 epochs": LMDL(n_prototypes=2, max_epochs=5, random_state=0),
    "LMNN, 5 steps": LMNN(max_iter=5, euclid_share=0.0),
    "NCA, 5 steps": NCA(max_iter=5, init="identity", random_state=0),
}
sizes = [500, 1000, 2000, 4000]
X, y = make_mixture(max(sizes), 50, 10, random_state=0, separation=4)
seconds = {name: [] for name in learners}
for name, learner in learners.items():
    learner.fit(X[:300], y[:300])  # loads what is compiled
    for n in sizes:
        runs = []
        for _ in range(2):
            begin = time.perf_counter()
            learner.fit(X[:n], y[:n])
            runs.append(time.perf_counter() - begin)
        seconds[name].append(min(runs))
    growth = np.polyfit(np.log(sizes), np.log(seconds[name]), 1)[0]
    print(f"{name:15} {seconds[name][-1]:6.3f} s for {sizes[-1]} rows, grows like n^{growth:.1f}")

# %%
# Memory that NumPy asks for during one more fit. A matrix of all pairs would take n² numbers.

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
for number, (name, learner) in enumerate(learners.items()):
    left.loglog(sizes, seconds[name], "o-", color=f"C{number}", label=name)
    peaks = []
    for n in sizes:
        tracemalloc.start()
        learner.fit(X[:n], y[:n])
        peaks.append(tracemalloc.get_traced_memory()[1] / 2**20)
        tracemalloc.stop()
    right.loglog(sizes, peaks, "o-", color=f"C{number}")
right.loglog(sizes, [8 * n * n / 2**20 for n in sizes], "--", color="0.5")
right.annotate("all pairs", (sizes[-2], 8 * sizes[-2] ** 2 / 2**20), ha="right", color="0.4")
left.set(title="Seconds", xlabel="rows")
right.set(title="Megabytes beside the data", xlabel="rows")
for ax in (left, right):
    ax.set_xticks(sizes, sizes)
    ax.minorticks_off()
fig.legend(loc="outside right center")
plt.show()
