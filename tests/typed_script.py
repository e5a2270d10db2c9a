"""What a user of most public entry points writes."""

from pathlib import Path

import numpy as np

import nearkin
from nearkin import (
    ITML,
    LMDL,
    LMNN,
    MLKR,
    NCA,
    RCA,
    KNNClassifier,
    KNNRegressor,
    MetricLearner,
    MoLMNN,
    MoveItems,
    MoveLabeled,
    PairClassifier,
    Study,
    TripletScorer,
    compare,
    load,
    open_rows,
    save,
    to_faiss,
    to_onnx,
)
from nearkin.datasets import Dataset, load_dataset
from nearkin.datasets.synthetic import make_mixture
from nearkin.distances import EmbeddedDistance
from nearkin.evaluation import Hubness, ResultsStore
from nearkin.evaluation.significance import friedman, holm
from nearkin.losses import LargeMarginLoss, NCALoss, TotalLoss
from nearkin.maps import GatedMap, KernelMap
from nearkin.scale import fit_blocks, transform_rows
from nearkin.search import ExactIndex
from nearkin.solvers import LBFGS, Solver
from nearkin.stores import LanceStore, Mover, PgVectorStore, QdrantStore, fit_labelled, move_file, move_rows


def learners(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    learner = LMNN(n_targets=3, mu=0.5, kernel="rbf", init="pca", random_state=0).fit(X, y)
    distance: EmbeddedDistance = learner.distance_
    apart: np.ndarray = learner.pair_distances(X, [[0, 1]])
    embedded: np.ndarray = learner.transform(X)
    near: np.ndarray = distance.pairwise(X, X)
    LMDL(n_prototypes="auto").fit(X, y).predict(X)
    MoLMNN(n_regions=2).fit(X, y).gate(X)
    ITML(gamma=1.0).fit(X, pairs=[[0, 1]], similar=[1])
    RCA().fit(X, chunklets=y)
    moved: np.ndarray = MoveLabeled(alpha="auto").fit(X, y).move(X)
    items = MoveItems().fit(X, X, pairs=[[0, 1]])
    places: tuple[np.ndarray, np.ndarray] = items.kneighbors(X, X, n_neighbors=3)
    return np.concatenate([embedded, near, moved, apart, places[0]])


def composed(X: np.ndarray, y: np.ndarray) -> MetricLearner:
    loss = TotalLoss([(1.0, NCALoss()), (0.5, LargeMarginLoss(n_targets=2))])
    solver: Solver = LBFGS(max_iter=50, tol=1e-4)
    return MetricLearner(KernelMap(GatedMap(2), gamma=0.5), loss, solver=solver, n_init=2).fit(X, y)


def predictors(X: np.ndarray, y: np.ndarray, folder: Path) -> float:
    model = KNNClassifier(NCA(n_components=2), n_neighbors=3, weights="distance", index=ExactIndex()).fit(
        X, y
    )
    first: np.ndarray = model.predict_proba(X)[:, 0]
    distances, indices = model.kneighbors(X)
    rows: np.ndarray = model.kneighbors(X, return_distance=False)
    hubness: Hubness = model.hubness(X, k=5)
    model.add_references(X, y).remove_references([0])
    pairs = PairClassifier(threshold="f1", points=X).fit([[0, 1]], [1])
    same: np.ndarray = pairs.predict([[0, 1]])
    TripletScorer().fit(X[None, :3]).score(X[None, :3])
    KNNRegressor(MLKR()).fit(X, y).predict(X)
    to_faiss(model, kind="hnsw"), to_onnx(model, folder / "model.onnx")
    save(model, folder / "model.nearkin", metadata={"by": "us"})
    load(folder / "model.nearkin").predict(X)
    return float(first.mean() + distances.sum() + indices.sum() + rows.sum() + same.sum()) + hubness.skewness


def study(table: Path, folder: Path) -> str:
    data: Dataset = load_dataset(str(table))
    judged: Study = compare(
        data, learners=["RCA", LMNN()], folds=5, time_budget=60, jobs=2, results=folder / "r"
    )
    winner: str | None = judged.winner
    judged.report(folder / "report.html")
    judged.fit(winner).predict(data.X)
    best = judged.leaderboard["mean"].max()
    with ResultsStore.open(folder / "results") as store:
        store.frame()
    ranks = friedman([[0.1, 0.2], [0.2, 0.3], [0.1, 0.4]], greater_is_better=True)
    return f"{judged.statement} {best} {holm([ranks.p_value])[0]:.2f}"


def stored(database: str, folder: Path) -> int:
    with PgVectorStore(database, "items", "embedding", into="moved", label="topic") as store:
        learner = fit_labelled(store)
        return move_rows(store, learner).moved
    with (
        LanceStore(folder, "items", "vector", into="moved") as lance,
        QdrantStore(folder, "items", "vector", into="moved") as qdrant,
    ):
        move_rows(lance, Mover(learner)), qdrant.search([0.0, 1.0], k=5)


def beyond_memory(path: Path) -> None:
    rows = open_rows(path)
    learner = fit_blocks(MoveLabeled(), rows, np.zeros(len(rows)))
    transform_rows(RCA(n_components=2).fit(rows, np.zeros(len(rows))), rows, path.with_suffix(".out.npy"))
    move_file(path, path.with_suffix(".moved.npy"), learner)
    X, y = make_mixture(1_000, 10, 3, random_state=0)
    learners(X, y), composed(X, y), predictors(X, y, path.parent), nearkin.__version__
