"""What all gradient learners promise, tried on each of them."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from nearkin.learners.gradient import LMCA, LMNN, MEGM, NCA, MetricLearner, MoLMNN
from nearkin.learners.gradient.ldml import LDML
from nearkin.learners.gradient.mcml import MCML
from nearkin.learners.gradient.ncmml import NCMML
from nearkin.losses import DriftLoss, LargeMarginLoss, MEGMLoss, NCALoss, TotalLoss
from nearkin.maps import DiagonalMap, GatedMap, KernelMap

X, y = load_iris(return_X_y=True)
LEARNERS = [NCA, LMNN, LMCA, MEGM, MoLMNN, MetricLearner, NCMML, MCML, LDML]
each_learner = pytest.mark.parametrize("learner", LEARNERS)


@each_learner
def test_budget_that_runs_out_is_told(learner):
    unfitted = learner(max_iter=1, tol=0.0, random_state=0)
    if "early_stopping" in unfitted.get_params():
        unfitted.set_params(early_stopping=False)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        unfitted.fit(X, y)


@each_learner
def test_objective_never_rises_above_the_start(learner):
    fitted = learner(random_state=0).fit(X, y)
    assert fitted.objective_ <= fitted.history_[0]
    assert fitted.objective_ == fitted.history_[-1]
    assert fitted.n_iter_ >= 1


@each_learner
def test_distance_is_euclid_after_transform(learner):
    fitted = learner(random_state=0).fit(X, y)
    Z = fitted.transform(X)
    expected = ((Z[:4, None] - Z[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(fitted.distance_.pairwise(X[:4], X), expected, atol=1e-8)
    assert Z.shape[1] == len(fitted.get_feature_names_out())


@pytest.mark.parametrize("learner", [NCA, LMNN, LMCA, MEGM, NCMML, MCML, LDML])
def test_linear_learners_have_a_matrix(learner):
    fitted = learner().fit(X, y)
    np.testing.assert_allclose(fitted.transform(X), X @ fitted.components_.T)
    np.testing.assert_allclose(fitted.get_mahalanobis_matrix(), fitted.components_.T @ fitted.components_)


@pytest.mark.parametrize("learner", [NCA, LMNN, LMCA, MEGM, MoLMNN, NCMML, MCML, LDML])
def test_one_argument_makes_a_kernel_learner(learner):
    rng = np.random.RandomState(0)
    rings = rng.standard_normal((120, 2))
    rings /= np.linalg.norm(rings, axis=1, keepdims=True)
    labels = np.arange(120) % 2
    rings = rings * (1 + labels[:, None]) + 0.15 * rng.standard_normal((120, 2))
    fitted = learner(n_components=2, kernel="rbf", tol=1e-3, random_state=0).fit(rings, labels)
    width = 4 if learner is MoLMNN else 2
    assert fitted.transform(rings).shape == (120, width)
    assert not hasattr(fitted, "components_")
    with pytest.raises(AttributeError, match="linear"):
        fitted.get_mahalanobis_matrix()


def test_kernel_takes_its_settings_from_a_kernel_map():
    fitted = NCA(n_components=2, kernel=KernelMap(gamma=0.3, n_landmarks=20)).fit(X, y)
    assert fitted.lift_.gamma == 0.3
    assert len(fitted.lift_.landmarks) == 20


@pytest.mark.parametrize("learner", [NCA, LMNN, MEGM, MoLMNN])
def test_warm_start_goes_on(learner):
    part = learner(warm_start=True, random_state=0, tol=1e-2).fit(X, y)
    before = part.objective_
    part.set_params(tol=1e-4)
    part.fit(X, y)
    # Targets or widths are taken anew, so that only the start of the second fit is comparable.
    assert part.history_[0] <= before * 1.5 + 1e-3
    assert part.objective_ <= part.history_[0]


@pytest.mark.parametrize("learner", [NCA, lambda **to: NCA(kernel="rbf", **to), LMNN, MoLMNN])
def test_a_first_fit_before_warm_starts_is_one_without(learner):
    # Far from the origin, from which gates and kernels must not measure.
    rows, settings = X + 100, {"tol": 1.0, "random_state": 0, "euclid_share": 0.0}
    plain, first = (learner(warm_start=warm, **settings).fit(rows, y) for warm in (False, True))
    np.testing.assert_array_equal(first.parameters_, plain.parameters_)
    assert first.objective_ == plain.objective_
    np.testing.assert_array_equal(first.transform(rows), plain.transform(rows))


@pytest.mark.parametrize("settings", [{}, {"kernel": "rbf"}], ids=str)
@pytest.mark.parametrize("learner", [NCA, MoLMNN])
def test_warm_start_on_other_features_is_refused(learner, settings):
    fitted = learner(warm_start=True, tol=10.0, **settings).fit(X, y)
    with pytest.raises(ValueError, match=f"warm_start: X has 3 features, the fitted map {X.shape[1]}"):
        fitted.fit(X[:, :3], y)


@each_learner
def test_fitted_learners_can_be_pickled(learner):
    fitted = learner(random_state=0, tol=1e-2).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))


@each_learner
def test_identical_points_are_survived(learner):
    fitted = learner(random_state=0).fit(np.ones((20, 3)), np.arange(20) % 2)
    assert np.isfinite(fitted.transform(np.ones((2, 3)))).all()


@each_learner
def test_one_class_is_refused(learner):
    with pytest.raises(ValueError, match="class"):
        learner().fit(X, np.zeros(150))


@pytest.mark.parametrize("learner", [NCA, LMNN, LMCA, MEGM, MoLMNN, NCMML, MCML, LDML])
def test_too_many_components_are_refused(learner):
    with pytest.raises(ValueError, match="n_components=5"):
        learner(n_components=5).fit(X, y)


@pytest.mark.parametrize("learner", [NCA, LMNN, LMCA, MEGM, NCMML, MCML, LDML])
def test_diverging_start_is_named(learner):
    with pytest.raises(ValueError, match="scale the features"):
        learner(init=np.full((2, 4), 1e200)).fit(X, y)


@each_learner
@pytest.mark.parametrize("settings", [{"max_iter": 0}, {"tol": -1.0}, {"n_init": 0}, {"solver": "newton"}])
def test_impossible_settings_are_named(learner, settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        learner(**settings).fit(X, y)


@each_learner
def test_bad_weights_are_refused(learner):
    with pytest.raises(ValueError, match="weight"):
        learner().fit(X, y, sample_weight=-np.ones(150))
    with pytest.raises(ValueError, match="weight"):
        learner().fit(X, y, sample_weight=np.zeros(150))


@each_learner
def test_progress_is_printed_on_demand(learner, capsys):
    learner(verbose=1, tol=1e-1).fit(X, y)
    assert f"[{learner.__name__}]" in capsys.readouterr().out


@pytest.mark.parametrize("learner", [NCA, LMNN, LMCA, MEGM, MoLMNN, NCMML, MCML, LDML])
def test_tuning_grid_is_small_and_valid(learner):
    grid = learner.tuning_grid(150, 4, 3)
    assert 1 <= np.prod([len(values) for values in grid.values()]) <= 6
    for name, values in grid.items():
        for value in values:
            learner(**{name: value}, tol=1e-1).fit(X, y)


@pytest.mark.parametrize(
    "loss",
    [
        TotalLoss([(1.0, MEGMLoss()), (0.5, NCALoss())]),
        TotalLoss([(1.0, LargeMarginLoss()), (0.1, DriftLoss())]),
    ],
)
@pytest.mark.parametrize("map_", [DiagonalMap(), GatedMap(2, n_components=2)])
def test_compositions_of_ones_own(map_, loss):
    fitted = MetricLearner(map_, loss, tol=1e-3).fit(X, y)
    assert fitted.objective_ < fitted.history_[0]


def test_callbacks_see_every_step_and_may_stop():
    callback = pytest.importorskip("sklearn.callback")

    class Recorder:
        def __init__(self):
            self.steps = 0
            self.dimensions = set()

        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            if context.task_name == "step":
                self.steps += 1
                self.dimensions.add(fitted_estimator.transform(X[:2]).shape)
            return self.steps == 3

        def teardown(self, estimator, context):
            pass

    assert callback is not None
    recorder = Recorder()
    fitted = NCA(tol=0.0).set_callbacks(recorder).fit(X, y)
    assert recorder.steps == fitted.n_iter_ == 3
    assert recorder.dimensions == {(2, 4)}
