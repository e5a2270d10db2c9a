"""Which distance is best on this data, and is it really better than Euclid?

The same question as ``nearkin compare wine``, from Python: same folds for all, settings tuned inside the
training folds only, and a paired test against plain Euclid.

    python examples/compare_learners.py
"""

from sklearn.datasets import load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nearkin import NCA, KNNClassifier, MoveLabeled
from nearkin.evaluation import Candidate, StratifiedFolds, compare


def candidate(label: str, learner=None) -> Candidate:
    model = make_pipeline(StandardScaler(), KNNClassifier(learner))
    # The number of neighbours can change after fitting, so tuning it costs no further fits.
    k = "knnclassifier__n_neighbors"
    return Candidate(label, model, grid={k: [1, 3, 5, 9]}, predict_time=(k,))


if __name__ == "__main__":
    X, y = load_wine(return_X_y=True)
    candidates = [
        candidate("Euclid"),
        candidate("MoveLabeled", MoveLabeled(alpha=10.0)),
        candidate("NCA", NCA(n_components=2, random_state=0)),
    ]
    result = compare(X, y, candidates, StratifiedFolds(5), name="wine", isolate=False)
    for row in result.rows:
        p = "" if row.p_value is None else f"p = {row.p_value:.2f}"
        print(f"{row.label:12} {row.mean:.3f} ± {row.sd:.3f}  {p}")
    print(result.statement)
