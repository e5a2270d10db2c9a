"""Learners fitted on a sample that does not depend on how rows are read."""

from __future__ import annotations

import numpy as np
import pytest

from nearkin.scale import fit_sample


class Recorder:
    """Remembers what it was fitted to."""

    def fit(self, X, y):
        self.X, self.y = X, y
        return self


@pytest.fixture(scope="module")
def labelled():
    rng = np.random.default_rng(0)
    y = np.array(["a", "b", "c"])[rng.choice(3, 4_000, p=[0.7, 0.299, 0.001])]
    return np.c_[np.arange(4_000.0), rng.normal(size=4_000)], y


def test_classes_keep_their_shares_and_rows_their_labels(labelled):
    X, y = labelled
    sample = fit_sample(Recorder(), X, y, n_rows=400)
    numbers = sample.X[:, 0].astype(int)
    np.testing.assert_array_equal(sample.X, X[numbers])
    np.testing.assert_array_equal(sample.y, y[numbers])
    for name in "abc":
        expected = max(2, np.mean(y == name) * 400)
        assert abs(np.count_nonzero(sample.y == name) - expected) <= 1
    # Spread over the file and not its beginning.
    assert abs(numbers.mean() - 2_000) < 200


def test_the_sample_does_not_depend_on_the_file(labelled, tmp_path):
    X, y = labelled
    np.save(tmp_path / "x.npy", X)
    np.testing.assert_array_equal(
        fit_sample(Recorder(), X, y, n_rows=100).X,
        fit_sample(Recorder(), tmp_path / "x.npy", y, n_rows=100).X,
    )


def test_a_sample_larger_than_the_data_is_the_data(labelled):
    X, y = labelled
    np.testing.assert_array_equal(fit_sample(Recorder(), X, y).X, X)
    with pytest.raises(ValueError, match="n_rows=1"):
        fit_sample(Recorder(), X, y, n_rows=1)
