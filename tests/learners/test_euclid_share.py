"""The share of plain Euclid: the blend is what it says, and the choice tells signal from accident."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

from nearkin import LMCA, LMNN, MEGM, NCA, MoLMNN, load, save
from nearkin.distances import AffineEmbedding, EmbeddedDistance
from nearkin.learners.base import EmbeddingLearner
from nearkin.learners.euclid_share import SharePolicy, chosen_share

X, y = load_iris(return_X_y=True)
BLENDED = [
    LMNN(max_iter=20, tol=1e-2),
    NCA(max_iter=20, tol=1e-2),
    MEGM(max_iter=20, tol=1e-2, random_state=0),
    MoLMNN(max_iter=3, tol=1.0, random_state=0),
    LMNN(kernel="rbf", max_iter=20, tol=1e-2),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", BLENDED, ids=lambda learner: type(learner).__name__ + str(learner.kernel))
def test_blended_distances_are_the_weighted_sum(learner, tmp_path):
    rows = X[::3]
    plain = EmbeddedDistance().pairwise(rows, rows)
    learned = learner.set_params(euclid_share=0.0).fit(X, y).distance_
    D, Z = learned.pairwise(rows, rows), learned.embed_queries(X)
    assert learner.euclid_share_ == 0
    scale = Z.var(axis=0).sum() / X.var(axis=0).sum()
    learner.set_params(euclid_share=0.3).fit(X, y)
    np.testing.assert_allclose(
        learner.distance_.pairwise(rows, rows), 0.7 * D + 0.3 * scale * plain, rtol=1e-5, atol=1e-6 * D.max()
    )
    assert learner.transform(X).shape[1] == learner.n_components_ == len(learner.get_feature_names_out())
    save(learner, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").transform(X), learner.transform(X))


def test_linear_blends_are_no_wider_than_the_features():
    learner = LMNN(euclid_share=0.5).fit(X, y)
    assert learner.components_.shape == (4, 4)
    np.testing.assert_allclose(learner.transform(X), X @ learner.components_.T)


def test_all_euclid_ranks_as_euclid():
    learner = LMNN(euclid_share=1.0).fit(X, y)
    plain = EmbeddedDistance().pairwise(X, X)
    np.testing.assert_allclose(
        learner.distance_.pairwise(X, X) / learner.components_[0, 0] ** 2, plain, atol=1e-9
    )


class OneFeature(EmbeddingLearner):
    """Looks at one feature only, whatever it is told."""

    def __init__(self, feature=0, euclid_share="auto"):
        self.feature = feature
        self.euclid_share = euclid_share

    def fit(self, X, y):
        self.components_ = np.eye(X.shape[1])[[self.feature]]
        self.distance_ = EmbeddedDistance.symmetric(AffineEmbedding(self.components_))
        return self


def test_what_tells_the_classes_apart_is_kept_and_what_does_not_is_blended_away():
    rng = np.random.RandomState(0)
    codes = np.arange(300) % 2
    rows = 2 * rng.standard_normal((300, 12))
    rows[:, 0] = 3 * codes + rng.standard_normal(300)
    assert chosen_share(OneFeature(0), rows, codes) <= 0.1
    assert chosen_share(OneFeature(1), rows, codes) >= 0.75


def test_of_many_rows_a_sample_judges():
    class Remembering(OneFeature):
        seen = 0

        def fit(self, X, y):
            Remembering.seen = max(Remembering.seen, len(X))
            return super().fit(X, y)

    share = chosen_share(Remembering(3), X, y, policy=SharePolicy(most_rows=60))
    assert Remembering.seen == 30
    assert share == chosen_share(Remembering(3), X, y, policy=SharePolicy(most_rows=60))
    assert chosen_share(Remembering(3), X, y, policy=SharePolicy(most_rows=60, auto_below=100)) == 0
    assert Remembering.seen == 30


def test_regression_targets_are_judged_by_squared_errors():
    rng = np.random.RandomState(0)
    rows = rng.standard_normal((200, 10))
    share = chosen_share(MEGM(task="regression", max_iter=30, tol=1e-3), rows, 3 * rows[:, 0])
    assert share <= 0.1


def test_few_dimensions_asked_for_are_kept_and_many_rows_are_not_halved():
    wine, labels = load_wine(return_X_y=True)
    wine = scale(wine)
    assert LMCA(2).fit(wine, labels).components_.shape == (2, 13)
    assert LMNN(init=np.eye(2, 13), n_components=2).fit(wine, labels).euclid_share_ == 0
    assert chosen_share(LMNN(), wine, labels, policy=SharePolicy(auto_below=100)) == 0
    assert chosen_share(LMNN(), wine[:12], labels[:12]) == 0


def test_the_choice_does_not_depend_on_the_seed_and_a_warm_start_keeps_it():
    wine, labels = load_wine(return_X_y=True)
    wine = scale(wine)
    first, other = (LMNN(random_state=seed).fit(wine, labels) for seed in (0, 1))
    assert first.euclid_share_ == other.euclid_share_
    np.testing.assert_array_equal(first.components_, other.components_)
    warm = LMNN(euclid_share=0.25, warm_start=True).fit(wine, labels).set_params(euclid_share="auto")
    assert warm.fit(wine, labels).euclid_share_ == 0.25


@pytest.mark.parametrize("share", ["some", -0.1, 1.5, None])
def test_impossible_shares_are_refused(share):
    with pytest.raises(ValueError, match="euclid_share"):
        LMNN(euclid_share=share).fit(X, y)
