"""
Re-index stored embeddings
==========================

You have embeddings in a FAISS index and an encoder in production that nobody may touch. `MoveLabeled`
learns one matrix from labels and moves only the stored vectors: the index is filled anew, queries stay as
they are.

The embeddings here are those of paragraphs in the documentation of NumPy, SciPy and scikit-learn, by
latent semantic analysis; labels say which part of these packages a paragraph describes.
"""

import importlib
import inspect
import re

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from nearkin import KNNClassifier, MoveLabeled

PACKAGES = ["interpolate", "ndimage", "optimize", "signal", "special", "stats"]
PACKAGES = [f"scipy.{name}" for name in PACKAGES] + [
    "sklearn.cluster",
    "sklearn.linear_model",
    "sklearn.metrics",
]


def paragraphs(package):
    """Paragraphs of prose in the docstrings of a package, each once."""
    module = importlib.import_module(package)
    docs = [inspect.getdoc(getattr(module, name, None)) or "" for name in sorted(module.__all__)]
    found = {" ".join(text.split()) for doc in docs for text in re.split(r"\n\s*\n", doc)}
    return sorted(
        text for text in found if len(re.findall(r"\b[a-z]{3,}\b", text)) > 12 and ">>>" not in text
    )


rng = np.random.default_rng(0)
texts = {package: rng.permutation(paragraphs(package))[:180] for package in PACKAGES}
labels = np.repeat(list(texts), [len(some) for some in texts.values()])
stored, queries, y_stored, y_queries = train_test_split(
    np.concatenate(list(texts.values())), labels, test_size=0.3, random_state=0, stratify=labels
)
encoder = make_pipeline(
    TfidfVectorizer(sublinear_tf=True, stop_words="english"), TruncatedSVD(128, random_state=0), Normalizer()
)
vectors = encoder.fit_transform(stored).astype(np.float32)
asked = encoder.transform(queries).astype(np.float32)

# %%
# The index as it is, and the one to put in its place. Both take the same queries.

running = KNNClassifier().fit(vectors, y_stored).to_faiss(metric="cosine")
moved = KNNClassifier(MoveLabeled()).fit(vectors, y_stored).to_faiss(metric="cosine")

found = {}
for name, index in {"as it is": running, "moved": moved}.items():
    _, rows = index.search(asked, 50)
    found[name] = y_stored[rows] == y_queries[:, None]
    first, ten = found[name][:, 0].mean(), found[name][:, :10].mean()
    print(f"{name}: the first answer is of the right kind in {first:.1%}, the first ten in {ten:.1%}")

# %%
# How many of the first answers are of the query's kind, and for which kinds of query that changed:

fig, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4))
places = np.arange(1, 51)
for name, right_kind in found.items():
    left.plot(places, right_kind.cumsum(axis=1).mean(axis=0) / places, label=name)
left.set(title="Share of the right kind among the first k", xlabel="k", xscale="log")
left.set_xticks([1, 2, 5, 10, 20, 50], [1, 2, 5, 10, 20, 50])
left.yaxis.set_major_formatter("{x:.0%}")
left.legend()
for offset, (name, right_kind) in enumerate(found.items()):
    share = [right_kind[y_queries == package, :10].mean() for package in PACKAGES]
    right.barh(np.arange(len(PACKAGES)) + 0.4 * offset, share, height=0.38, label=name)
right.set_yticks(np.arange(len(PACKAGES)) + 0.2, PACKAGES)
right.xaxis.set_major_formatter("{x:.0%}")
right.set(title="The same by kind of query, k = 10")
plt.show()

# %%
# Whether it helps depends on whether the encoder does already what the labels say: hold queries out and
# look before you switch, as above.
