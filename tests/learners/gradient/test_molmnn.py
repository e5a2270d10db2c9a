import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from nearkin.learners.gradient import LMCA, MoLMNN

X, y = load_wine(return_X_y=True)
X = scale(X)


@pytest.fixture(scope="module", params=["softmax", "sigmoid"])
def mixture(request):
    return MoLMNN(3, request.param, 2, random_state=0).fit(X, y)


def test_lowers_the_objective(mixture):
    assert mixture.objective_ < 0.5 * mixture.history_[0]
    assert mixture.transform(X).shape == (178, 6)
    assert mixture.get_feature_names_out().shape == (6,)


def test_gates_and_regions(mixture):
    gates = mixture.gate(X)
    assert gates.shape == (178, 3)
    assert gates.min() >= 0
    assert gates.max() <= 1
    np.testing.assert_array_equal(mixture.region(X), gates.argmax(axis=1))
    if mixture.gating == "softmax":
        np.testing.assert_allclose(gates.sum(axis=1), 1)


def test_distance_is_the_gated_sum_of_local_distances(mixture):
    centred = X - X.mean(axis=0)
    local = mixture.gate(X)[:, :, None] * np.einsum("ned,md->mne", mixture.projections_, centred)
    expected = ((local[0] - local[9]) ** 2).sum()
    np.testing.assert_allclose(mixture.distance_.pairwise(X[:1], X[9:10])[0, 0], expected)


def test_region_embedding_keeps_the_regions_distances(mixture):
    flat = mixture.region_embedding(X, 1)
    local = X @ mixture.projections_[1].T
    np.testing.assert_allclose(
        np.linalg.norm(flat[0] - flat[5]), np.linalg.norm(local[0] - local[5]), rtol=1e-8
    )
    assert mixture.region_embedding(X, 0, n_dimensions=3).shape == (178, 3)
    with pytest.raises(ValueError, match="region"):
        mixture.region_embedding(X, 3)


def test_seed_decides_everything():
    settings = {"n_components": 2, "max_iter": 2, "tol": 1.0}
    first, again, other = (MoLMNN(random_state=seed, **settings).fit(X, y) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.gates_, again.gates_)
    assert not np.array_equal(first.gates_, other.gates_)


def test_one_region_with_fresh_targets_is_lmca_with_fresh_targets():
    settings = {"tol": 1e-5, "max_iter": 200, "steps_per_round": 50, "early_stopping": False}
    mixture = MoLMNN(1, n_components=2, **settings).fit(X, y)
    plain = LMCA(2, refresh_targets=50, max_iter=500).fit(X, y)
    assert mixture.objective_ == pytest.approx(plain.objective_, rel=0.15)


def test_more_regions_than_samples_are_refused():
    with pytest.raises(ValueError, match="n_regions"):
        MoLMNN(n_regions=200).fit(X, y)
