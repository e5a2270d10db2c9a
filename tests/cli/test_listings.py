import subprocess
import sys

import numpy as np
import pytest

from nearkin.learners import all_learners


def test_learners_lists_all_that_discovery_finds(nearkin):
    found = {row["name"]: row for row in nearkin("learners", "--json").json()}
    assert set(found) == set(all_learners())
    assert found["MoveLabeled"]["accepts_sparse"] is True
    assert "alpha" in found["MoveLabeled"]["settings"]
    text = nearkin("learners").out
    assert all(name in text for name in found)


def test_datasets_says_where_each_comes_from(nearkin):
    found = {row["name"]: row for row in nearkin("datasets", "--json").json()}
    assert found["wine"]["n_samples"] == 178
    assert found["wine"]["available"]
    text = nearkin("datasets").out
    assert "wine" in text
    (abalone,) = [line for line in text.splitlines() if line.strip().startswith("abalone ")]
    assert "classes, number unknown" in abalone


def test_hubness_before_and_after(nearkin, iris_csv):
    options = ("--target", "species", "--learner", "rca", "--k", "5")
    before, after = nearkin("hubness", iris_csv, *options, "--json").json()
    assert (before["label"], after["label"]) == ("Euclid", "RCA")
    assert sum(before["occurrences"]) == sum(after["occurrences"]) == 150 * 5
    assert before["largest"][0]["occurrences"] == max(before["occurrences"])
    counts = np.asarray(after["occurrences"], dtype=float)
    centred = counts - counts.mean()
    assert after["skewness"] == pytest.approx((centred**3).mean() / (centred**2).mean() ** 1.5)
    assert after["anti_hubs"] == np.flatnonzero(counts == 0).tolist()
    assert after["n_anti_hubs"] == len(after["anti_hubs"])
    assert sorted(after["hubs"]) == np.flatnonzero(counts > counts.mean() + 2 * counts.std()).tolist()
    text = nearkin("hubness", iris_csv, *options).out
    assert "anti-hubs" in text
    assert "largest hubs under RCA" in text
    assert "beside another class" in text


def test_hubness_of_lists_longer_than_the_references(nearkin, iris_csv):
    called = nearkin("hubness", iris_csv, "--target", "species", "--k", "150")
    assert called.code == 1
    assert "--k 150" in called.err


@pytest.mark.parametrize("command", [(), ("compare",), ("fit",), ("predict",), ("hubness",), ("report",)])
def test_help(nearkin, command):
    called = nearkin(*command, "--help")
    assert called.code == 0
    assert "Usage" in called.out


def test_version(nearkin):
    from nearkin import __version__

    assert __version__ in nearkin("--version").out


def test_help_loads_nothing_heavy():
    heavy = ("numba", "faiss", "plotly", "matplotlib")
    code = f"import sys, nearkin.cli.app; print(*[name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.split() == []


def test_learners_are_listed_with_their_settings(nearkin):
    called = nearkin("learners")
    assert called.code == 0
    assert "n_targets=3" in called.out


def test_hubness_has_a_learner_for_regression_too(nearkin, wave_csv):
    called = nearkin("hubness", wave_csv, "--target", "Y1", "--json")
    assert called.code == 0, called.err
    assert [found["label"] for found in called.json()] == ["Euclid", "DMLMTP"]
