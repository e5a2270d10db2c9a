"""
Hubs in text, before and after
==============================

In many dimensions a few stored texts turn up among the neighbours of almost every query, whatever it
says. These *hubs* decide the votes. `MoveLabeled` moves the stored texts, and only those, and the
greatest hubs go.

The texts are paragraphs of the documentation of NumPy, SciPy and scikit-learn, which are installed
wherever nearkin is; the question is which part of these packages a paragraph describes.

Hubs are strong here because the 100 dimensions are not brought to unit length. Where vectors are (cosine),
hubs are fewer from the start and there is less to gain; `nearkin hubness` tells which is your case.
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

from nearkin import KNNClassifier, MoveLabeled
from nearkin.evaluation import Hubness

SCIPY = ["integrate", "interpolate", "ndimage", "optimize", "signal", "special", "stats"]
SKLEARN = ["cluster", "linear_model", "metrics", "preprocessing"]
PACKAGES = ["numpy.random", *(f"scipy.{name}" for name in SCIPY), *(f"sklearn.{name}" for name in SKLEARN)]


def paragraphs(package):
    """Paragraphs of prose in the docstrings of a package, each once."""
    module = importlib.import_module(package)
    docs = [inspect.getdoc(getattr(module, name, None)) or "" for name in sorted(module.__all__)]
    found = {" ".join(text.split()) for doc in docs for text in re.split(r"\n\s*\n", doc)}
    return sorted(
        text for text in found if text.count(" ") >= 15 and not re.search(">>>|----|Array API", text)
    )


rng = np.random.default_rng(0)
texts = {package: rng.permutation(paragraphs(package))[:150] for package in PACKAGES}
labels = np.repeat(list(texts), [len(some) for some in texts.values()])
stored, queries, y_stored, y_queries = train_test_split(
    np.concatenate(list(texts.values())), labels, test_size=0.3, random_state=0, stratify=labels
)
words = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2)
encoder = make_pipeline(words, TruncatedSVD(100, random_state=0)).fit(stored)
X, Q = encoder.transform(stored), encoder.transform(queries)
print(f"{len(X)} stored paragraphs, {len(Q)} queries, {X.shape[1]} dimensions")

# %%
# N₁₀ counts in how many of the queries' ten nearest a stored paragraph appears. Without hubs all counts
# would be near their mean; here one paragraph is found by more than half of the queries, and a quarter of
# them by none.

counts = {}
for name, learner in {"as they are": None, "moved": MoveLabeled(n_targets=10)}.items():
    model = KNNClassifier(learner, n_neighbors=10).fit(X, y_stored)
    hubs = Hubness.of(model.kneighbors(Q, return_distance=False), len(X), y_queries, y_stored)
    counts[name] = hubs.occurrences
    print(f"{name}: accuracy {model.score(Q, y_queries):.1%}, skewness of N₁₀ {hubs.skewness:.1f}")
    print(f"  the greatest hub is found by {hubs.occurrences.max()} of {len(Q)} queries:")
    print(f"  “{stored[hubs.occurrences.argmax()][:90]}…”")

# %%

fig, (left, right) = plt.subplots(1, 2, width_ratios=(3, 2))
for name, found in counts.items():
    left.plot(np.sort(found)[::-1][:200], label=name)
left.set(
    title="The 200 paragraphs found most often",
    xlabel="rank",
    ylabel="queries that find it (N₁₀)",
    yscale="symlog",
)
left.legend()
never = [np.mean(found == 0) for found in counts.values()]
most = [np.sort(found)[-len(found) // 100 :].sum() / found.sum() for found in counts.values()]
for offset, (name, values) in enumerate(zip(counts, zip(never, most))):
    right.bar(np.arange(2) + 0.4 * offset, values, width=0.36, label=name)
right.set_xticks([0.2, 1.2], ["never found", "share of the\ntop 1 % in all finds"])
right.yaxis.set_major_formatter("{x:.0%}")
right.set_title("Anti-hubs and hubs")
plt.show()

# %%
# Queries are encoded as before: only the stored vectors changed.
