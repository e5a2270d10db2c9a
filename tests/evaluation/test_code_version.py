"""Which code a result depends on."""

import subprocess
from types import SimpleNamespace

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nearkin import LMNN, NCA, RCA, KNNClassifier
from nearkin.evaluation import code_version as module
from nearkin.evaluation.code_version import code_version, commit


def reached(estimator):
    return module._reached({*module._modules_of(estimator), module.MEASURING})


def test_it_is_the_same_for_other_settings_and_differs_between_learners():
    assert code_version(LMNN(n_targets=1)) == code_version(LMNN())
    assert len({code_version(learner) for learner in (LMNN(), NCA(), RCA(), LogisticRegression())}) == 4


def test_it_reaches_what_a_learner_uses_and_not_its_neighbours_in_the_room():
    found = reached(make_pipeline(StandardScaler(), KNNClassifier(LMNN())))
    for needed in (
        "nearkin.learners.gradient.lmnn",
        "nearkin.losses.large_margin",
        "nearkin.pairwise.kernels",
        "nearkin.solvers.lbfgs",
        "nearkin.predictors.classifier",
        "nearkin.search.exact",
        "nearkin.evaluation.metrics",
    ):
        assert needed in found
    assert not found & {
        "nearkin.learners.gradient.nca",
        "nearkin.losses.nca",
        "nearkin.learners.closed_form.rca",
    }


def test_a_change_of_one_file_changes_those_that_reach_it(monkeypatch):
    before = {name: code_version(learner) for name, learner in (("lmnn", LMNN()), ("rca", RCA()))}
    digest = module._source_digest
    monkeypatch.setattr(
        module, "_source_digest", lambda name: "new" if name.endswith("large_margin") else digest(name)
    )
    assert code_version(LMNN()) != before["lmnn"]
    assert code_version(RCA()) == before["rca"]


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"ls-files": "__init__.py", "rev-parse": "abc", "status": ""}, "abc"),
        ({"ls-files": "__init__.py", "rev-parse": "abc", "status": " M x.py"}, "abc+changes"),
        ({}, None),
    ],
)
def test_the_commit_is_told_where_there_is_one(monkeypatch, answers, expected):
    def run(command, **_):
        if command[3] not in answers:
            raise subprocess.CalledProcessError(128, command)
        return SimpleNamespace(stdout=answers[command[3]] + "\n")

    monkeypatch.setattr(subprocess, "run", run)
    assert commit.__wrapped__() == expected
