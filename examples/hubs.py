"""Hubs before and after learning: who is everybody's neighbour, and does it vote wrongly?

python examples/hubs.py
"""

from sklearn.model_selection import train_test_split

from nearkin import KNNClassifier, MoveLabeled, MoveQuery
from nearkin.datasets.synthetic import make_mixture
from nearkin.evaluation import hubness_report

if __name__ == "__main__":
    X, y = make_mixture(1500, 200, 20, random_state=0, separation=4)
    train, test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    for learner in (None, MoveLabeled(n_targets=10), MoveQuery(n_targets=10)):
        model = KNNClassifier(learner, n_neighbors=10).fit(train, y_train)
        neighbours = model.kneighbors(test, return_distance=False)
        hubs = hubness_report(neighbours, len(train), y_test, y_train)
        name = "Euclid" if learner is None else type(learner).__name__
        print(f"{name}: accuracy {model.score(test, y_test):.2f}")
        print(f"  skewness of N10 {hubs.skewness:.1f}, largest N10 {hubs.occurrences.max()}")
        print(f"  never found: {hubs.anti_hub_share:.0%}, neighbours of another class: {hubs.bad_share:.0%}")
        print(f"  hubs that vote wrongly most of the time: {len(hubs.bad_hubs())} of {len(hubs.hubs)}")
