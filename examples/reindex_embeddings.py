"""Re-index stored embeddings, leave the query encoder alone.

Someone with sentence embeddings in a FAISS index wants better answers but cannot touch the encoder
that runs in production. Move-labeled moves only the stored vectors, so re-indexing is all it takes.

Two sets of MiniLM sentence embeddings show when that helps and when it does not:

- ``trec-minilm``: questions labelled by the type of their answer, which the encoder was not made for;
- ``banking77-minilm``: customer queries labelled by intent, which is what the encoder does anyway.

Run it with ``NEARKIN_DATA`` set to a folder that holds these sets as npz files::

    NEARKIN_DATA=~/data python examples/reindex_embeddings.py
"""

import sys

import numpy as np

from nearkin import KNNClassifier, MoveLabeled
from nearkin.datasets import DatasetNotFoundError, load_dataset

# An accuracy this close to the old one, in standard errors, is no reason to re-index.
NOTICEABLE = 2.0


def vote(labels_of_neighbours: np.ndarray) -> np.ndarray:
    """Majority label of each row; the nearest neighbour breaks ties."""
    codes = np.unique(labels_of_neighbours, return_inverse=True)[1].reshape(labels_of_neighbours.shape)
    counts = (codes[:, :, None] == codes[:, None, :]).sum(axis=2)
    return labels_of_neighbours[np.arange(len(codes)), counts.argmax(axis=1)]


def accuracy(index, queries: np.ndarray, labels: np.ndarray, truth: np.ndarray, k: int) -> np.ndarray:
    _, neighbours = index.search(queries, k)
    return vote(labels[neighbours]) == truth


def compare_indexes(name: str) -> None:
    data = load_dataset(name)
    stored, queries = data.train(), data.test()
    stored_vectors, query_vectors = stored.X.astype(np.float32), queries.X.astype(np.float32)

    running = KNNClassifier().fit(stored_vectors, stored.y).to_faiss()  # what is in production today
    model = KNNClassifier(MoveLabeled()).fit(stored_vectors, stored.y)
    moved = model.to_faiss()  # one call; queries need no change

    print(f"\n{name}: {running.ntotal} stored vectors, {len(query_vectors)} queries")
    for k in (1, 10):
        before = accuracy(running, query_vectors, stored.y, queries.y, k)
        after = accuracy(moved, query_vectors, stored.y, queries.y, k)
        gain = after.astype(float) - before
        error = gain.std() / np.sqrt(len(gain))
        verdict = (
            "re-index" if gain.mean() > NOTICEABLE * error else "nothing gained: keep the index you have"
        )
        print(f"  {k:2d}-NN  {before.mean():.1%} -> {after.mean():.1%}  ({verdict})")


if __name__ == "__main__":
    try:
        for name in sys.argv[1:] or ["trec-minilm", "banking77-minilm"]:
            compare_indexes(name)
    except DatasetNotFoundError as error:
        sys.exit(f"{error}")
