"""Which distance is best on this data, and is it really better than Euclid?

The same question as ``nearkin compare wine``, from Python: same folds for all, settings tuned inside the
training folds only, and a paired test against plain Euclid.

    python examples/compare_learners.py
"""

from sklearn.datasets import load_wine

from nearkin import NCA, compare

if __name__ == "__main__":
    X, y = load_wine(return_X_y=True)
    # By name or class a learner is tuned; an instance keeps the settings it has.
    learners = ["MoveLabeled", "RCA", NCA(n_components=2)]
    study = compare(X, y, learners, folds=5, time_budget=None, isolate=False, name="wine")
    print(study)
    print(f"{study.winner} learned from all rows:", study.fit())
