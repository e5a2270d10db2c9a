import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs, make_classification
from sklearn.preprocessing import scale

from nearkin import KNNClassifier
from nearkin.learners.euclid_share import halves_of
from nearkin.learners.gradient import MEGM, NCA, MoLMNN
from nearkin.learners.gradient.base import usual_spread
from nearkin.learners.gradient.early_stopping import (
    Half,
    errors_of_unseen,
    steps_by_halves,
    stops_early,
)
from nearkin.losses import MEGMLoss, NCALoss
from nearkin.maps import LinearMap
from nearkin.pairwise import SoftPolicy
from nearkin.solvers import LBFGS

X, y = load_wine(return_X_y=True)
X = scale(X)


def noisy_classes(n=160, seed=0):
    """Labels that hardly depend on the features: whatever is learned beyond a little is noise."""
    data, codes = make_classification(
        n, 12, n_informative=2, n_redundant=0, flip_y=0.4, class_sep=0.5, random_state=seed
    )
    return scale(data), np.sort(codes), np.argsort(codes, kind="stable")


def steps(data, codes, **settings):
    settings = {"rng": np.random.RandomState(0), **settings}
    theta0 = np.eye(data.shape[1]).ravel()
    return steps_by_halves(
        LinearMap(init="identity"),
        MEGMLoss(),
        LBFGS(100).minimise,
        data,
        codes,
        theta0,
        most_steps=100,
        **settings,
    )


def test_noise_is_not_followed_and_a_clear_structure_is():
    data, codes, order = noisy_classes()
    assert steps(data[order], codes) <= 5
    rng = np.random.RandomState(1)
    clear = rng.standard_normal((200, 6)) * [1, 1, 5, 5, 5, 5]
    codes = (clear[:, 0] + clear[:, 1] > 0).astype(int)
    order = np.argsort(codes, kind="stable")
    found = steps(clear[order], codes[order])
    assert found is None or found > 5


def test_a_budget_shorter_than_the_best_count_is_used_up():
    order = np.argsort(y, kind="stable")
    theta0 = np.eye(X.shape[1]).ravel()
    short = steps_by_halves(
        LinearMap(init="identity"),
        MEGMLoss(),
        LBFGS(1).minimise,
        X[order],
        y[order],
        theta0,
        most_steps=1,
        rng=np.random.RandomState(0),
    )
    assert short is None


def test_learner_takes_as_many_steps_as_the_halves_recommend():
    data, codes, order = noisy_classes()
    early = MEGM(init="identity", random_state=0).fit(data[order], codes)
    recommended = steps(data[order] - data[order].mean(axis=0), codes)
    assert early.n_iter_ == max(1, recommended)
    assert len(early.history_) == recommended + 1
    assert early.n_iter_ < MEGM(early_stopping=False).fit(data[order], codes).n_iter_


def test_no_step_is_taken_where_none_helps():
    rng = np.random.RandomState(3)
    data, codes = rng.standard_normal((60, 20)), np.repeat([0, 1], 30)
    fits = [MEGM(init="identity", random_state=seed).fit(data, codes) for seed in range(4)]
    still = [fitted for fitted in fits if len(fitted.history_) == 1]
    assert still, "labels that are pure noise should not move the map every time"
    np.testing.assert_allclose(still[0].components_, np.eye(20) / usual_spread(data), atol=1e-15)
    assert still[0].objective_ == still[0].history_[0]


def test_the_objective_is_exact_even_if_no_step_is_taken():
    class Still(NCA):
        def _last_step(self, map_, training, theta0, rng):
            return 0

        def _loss(self):
            # Lists that leave out a fifth of the neighbours, except from exact values.
            return NCALoss(SoftPolicy(smallest_listed=50, neglected_share=0.2))

    rows, codes = make_blobs(600, 4, centers=6, cluster_std=4, random_state=0)
    still = Still(init=np.eye(4)).fit(rows, codes)
    Z, whole = still.transform(rows), NCALoss(SoftPolicy(smallest_listed=10**9))
    expected = whole.value_and_grad(Z, whole.prepare(Z, codes))[0]
    assert still.objective_ == pytest.approx(expected, rel=1e-3)
    assert still.history_.tolist() == [still.objective_]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_large_samples_and_other_wishes_are_left_alone():
    assert not stops_early("auto", 1_000)
    assert stops_early(True, 1_000)
    assert not stops_early(False, 100)
    assert not stops_early(True, 19)
    plain = NCA(max_iter=30).fit(X, y)
    early = NCA(max_iter=30, early_stopping=True, random_state=0).fit(X, y)
    assert early.n_iter_ <= plain.n_iter_
    with pytest.raises(ValueError, match="early_stopping"):
        NCA(early_stopping="maybe").fit(X, y)


def test_a_warm_start_goes_on():
    data, codes, order = noisy_classes()
    learner = MEGM(init="identity", warm_start=True, random_state=0).fit(data[order], codes)
    stopped = learner.objective_
    assert learner.fit(data[order], codes).objective_ < stopped


def test_weights_are_split_with_their_rows():
    data, codes, order = noisy_classes()
    even = steps(data[order], codes, weights=np.full(len(codes), 3.0))
    assert even == steps(data[order], codes)
    # A row of almost all the weight leaves the half without it nothing to go by but the rest.
    heavy = np.where(np.arange(len(codes)) == 5, 1.0, 1e-6)
    assert steps(data[order], codes, weights=heavy) != even


@pytest.mark.parametrize("codes", [np.repeat([0, 1, 2], [1, 6, 9]), np.repeat([0, 1], [10, 11])])
def test_halves_hold_every_row_once_and_every_class(codes):
    first, second = halves_of(codes, np.random.RandomState(0))
    assert sorted([*first, *second]) == list(range(len(codes)))
    for half in (first, second):
        counts, whole = np.bincount(codes[half], minlength=codes.max() + 1), np.bincount(codes)
        assert (np.abs(counts - whole / 2) <= 1).all()
        assert (counts[whole >= 2] > 0).all()


def test_real_targets_are_halved_at_random():
    targets = np.random.RandomState(0).standard_normal((30, 2))
    first, second = halves_of(targets, np.random.RandomState(0))
    assert len(first) == len(second) == 15
    assert not set(first) & set(second)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_mixture_takes_as_many_rounds_as_classify_unseen_rows_better():
    data, codes, order = noisy_classes()
    settled = MoLMNN(early_stopping=False, euclid_share=0.0, random_state=0).fit(data[order], codes)
    early = MoLMNN(euclid_share=0.0, random_state=0).fit(data[order], codes)
    assert early.n_iter_ < settled.n_iter_
    again = MoLMNN(max_iter=early.n_iter_, early_stopping=False, euclid_share=0.0, random_state=0)
    assert again.fit(data[order], codes).n_iter_ == early.n_iter_


def test_errors_of_unseen_rows_are_those_of_a_neighbour_classifier():
    order = np.argsort(y, kind="stable")
    rows, codes = X[order], y[order]
    seen, unseen = halves_of(codes, np.random.RandomState(0))
    theta = np.random.RandomState(1).standard_normal((3, X.shape[1])).ravel()
    half = Half(LinearMap(3), MEGMLoss(), rows, codes, None, seen, unseen, theta)
    Z = rows @ theta.reshape(3, -1).T
    errors = [
        1 - KNNClassifier(n_neighbors=k).fit(Z[seen], codes[seen]).score(Z[unseen], codes[unseen])
        for k in (1, 5)
    ]
    assert errors_of_unseen(half, (1, 5))(theta) == pytest.approx(np.mean(errors))
