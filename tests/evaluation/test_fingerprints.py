from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from nearkin.evaluation.fingerprints import array_digest, describe, digest

SCRIPT = """
import numpy as np
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from nearkin.evaluation.fingerprints import describe, digest
model = make_pipeline(FunctionTransformer(np.log1p), KNeighborsClassifier(3, metric_params={"b": 1, "a": 2}))
print(digest(describe(model)))
"""


class Plain:
    def __init__(self, value):
        self.value = value


def test_descriptions_are_the_same_in_every_process():
    knn = KNeighborsClassifier(3, metric_params={"a": 2, "b": 1})
    model = make_pipeline(FunctionTransformer(np.log1p), knn)
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == digest(describe(model))


def test_every_setting_changes_the_description():
    models = [
        KNeighborsClassifier(),
        KNeighborsClassifier(3),
        KNeighborsClassifier(metric="manhattan"),
        make_pipeline(KNeighborsClassifier()),
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        make_pipeline(StandardScaler(with_mean=False), KNeighborsClassifier()),
        KNeighborsClassifier(metric_params={"V": np.ones(2)}),
        KNeighborsClassifier(metric_params={"V": np.zeros(2)}),
        KNeighborsClassifier(metric_params=Plain(1)),
        KNeighborsClassifier(metric_params=Plain(2)),
    ]
    assert len({digest(describe(model)) for model in models}) == len(models)


def test_lambdas_are_told_apart_by_what_they_do():
    twice, thrice, again = (lambda x: 2 * x), (lambda x: 3 * x), (lambda x: 2 * x)
    assert digest(describe(twice)) == digest(describe(again))
    assert digest(describe(twice)) != digest(describe(thrice))
    assert digest(describe(np.log1p)) != digest(describe(np.log))


def test_sets_have_no_order():
    assert describe({"b", "a", "c"}) == describe({"c", "a", "b"})


def test_contents_decide_about_arrays():
    dense = np.eye(3)
    variants = [
        dense,
        dense.astype(np.float32),
        2 * dense,
        dense[:2],
        sparse.csr_matrix(dense),
        sparse.csr_matrix(2 * dense),
        pd.DataFrame(dense),
        pd.DataFrame(dense, columns=list("abc")),
        pd.DataFrame({"a": ["x", "y"]}),
        np.array(["x", "y"], dtype=object),
    ]
    assert len({array_digest(variant) for variant in variants}) == len(variants)
    assert array_digest(dense) == array_digest(np.asfortranarray(dense))
    assert array_digest(dense[::-1]) == array_digest(dense[::-1].copy())
