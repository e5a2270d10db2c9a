"""What `n_targets="auto"` chooses, and what it averages."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_wine, make_blobs

from nearkin import KNNClassifier, MoveLabeled
from nearkin.evaluation.retrieval import Relevance, map_at_r
from nearkin.learners.closed_form.alpha import Trial, held_out_rows
from nearkin.learners.closed_form.setting_choice import STAY, Choice, Setting, _Division


class TestAuto:
    def test_broad_classes_take_many_targets(self):
        rng = np.random.default_rng(0)
        y = rng.integers(5, size=600)
        X = 2.5 * np.eye(5, 60)[y] + rng.normal(size=(600, 60))
        fitted = MoveLabeled().fit(X[:300], y[:300])
        assert fitted.n_targets_ in (20, "all")
        assert fitted.share_ == 1.0
        scores = [
            KNNClassifier(learner, 5).fit(X[:300], y[:300]).score(X[300:], y[300:])
            for learner in (MoveLabeled(), MoveLabeled(n_targets=1), None)
        ]
        assert scores[0] > max(scores[1:])

    def test_classes_of_several_parts_are_not_drawn_together(self):
        """A ring around a blob: the mean of either class is the same point."""
        rng = np.random.default_rng(0)
        y = np.arange(400) % 2
        angle, radius = rng.uniform(0, 2 * np.pi, 400), np.where(y, 3.0, 1.0) + 0.2 * rng.normal(size=400)
        X = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        model = KNNClassifier(MoveLabeled(), 5).fit(X[:300], y[:300])
        assert model.learner_.n_targets_ != "all" or model.learner_.share_ == 0.0
        assert model.score(X[300:], y[300:]) >= KNNClassifier(None, 5).fit(X[:300], y[:300]).score(
            X[300:], y[300:]
        )

    def test_staying_is_among_the_choices(self):
        rng = np.random.default_rng(0)
        X, y = rng.uniform(size=(500, 2)), np.arange(500) % 2
        y = (np.floor(X[:, 0] * 4) + np.floor(X[:, 1] * 4)).astype(int) % 2  # a chequerboard
        fitted = MoveLabeled().fit(X, y)
        assert (1, 1.0, 0.0) in [tried[:3] for tried in fitted.choices_]
        best = max(tried[3] for tried in fitted.choices_)
        assert fitted.choices_[0][3] == best

    def test_what_is_given_is_kept(self):
        X, y = load_wine(return_X_y=True)
        fitted = MoveLabeled(alpha=7.0, share=0.25).fit(X, y)
        assert (fitted.alpha_, fitted.share_) == (7.0, 0.25)
        assert {tried[2] for tried in fitted.choices_} == {0.25}
        given = MoveLabeled(n_targets=4).fit(X, y)
        assert (given.n_targets_, given.share_) == (4, 1.0)
        assert not hasattr(given, "choices_")

    def test_of_penalties_alike_the_one_with_fewer_hubs_is_taken(self):
        right = np.array([1.0, 1.0, 0.0, 1.0])
        alphas = Choice.relative_alphas
        tried = {
            Setting(5, alpha, 1.0): Trial(right, skewness)
            for alpha, skewness in zip(alphas, [9.0, 8.0, 7.0, 2.0, 5.0, 6.0])
        }
        tried[Setting()] = Trial(np.zeros(4), 0.0)
        chosen = Choice(n_targets=(5,), shares=(1.0,))._best(tried)
        assert chosen.relative_alpha == alphas[3]

    def test_a_penalty_clearly_worse_is_not_taken_for_its_hubs(self):
        better, worse = np.ones(400), (np.arange(400) % 20 > 0).astype(float)
        assert Trial(better, 9.0).clearly_above(Trial(worse, 1.0))
        assert not Trial(better, 9.0).clearly_above(Trial(better, 1.0))
        tried = {Setting(5, 1.0, 1.0): Trial(better, 9.0), Setting(5, 10.0, 1.0): Trial(worse, 1.0)}
        choice = Choice(n_targets=(5,), shares=(1.0,), relative_alphas=(1.0, 10.0))
        assert choice._best(tried) == Setting(5, 1.0, 1.0)

    def test_the_score_joins_votes_and_places_in_the_list(self):
        """Against the definition, row by row, of rows that stay."""
        X, y = make_blobs(60, 3, centers=3, cluster_std=4.0, random_state=0)
        choice = Choice(neighbourhoods=(1, 5), depth=12)
        held_out = next(held_out_rows(y))
        kept = np.setdiff1d(np.arange(60), held_out)
        setting, found, _ = next(_Division(choice, X, y, kept, held_out, None).results([1]))
        assert setting == Setting()
        expected = []
        for row in held_out:
            near = y[kept][np.argsort(((X[kept] - X[row]) ** 2).sum(axis=1))][:12]
            votes = [near[0] == y[row], np.bincount(near[:5], minlength=3).argmax() == y[row]]
            there = min(int((y[kept] == y[row]).sum()), 12)
            hits = near[:there] == y[row]
            precision = sum(hits[: place + 1].mean() for place in range(there) if hits[place]) / there
            expected.append(0.9 * (0.75 * np.mean(votes) + 0.25 * votes[0]) + 0.1 * precision)
        # A tie of votes goes to the nearest, which bincount does not know: few rows differ by a vote.
        assert np.mean(np.abs(found - expected) < 1e-9) > 0.8

    def test_whole_classes_are_tried_part_of_the_way(self):
        X, y = make_blobs(120, 4, centers=3, random_state=0)
        tried = {(n_targets, share) for n_targets, _, share, *_ in MoveLabeled().fit(X, y).choices_}
        assert {share for n_targets, share in tried if n_targets == "all"} == set(Choice.shares)
        assert {share for n_targets, share in tried if n_targets == 5} == {1.0}

    @pytest.mark.parametrize("shape", [(90, 7), (60, 80)], ids=["primal", "dual"])
    @pytest.mark.parametrize("kind", ["dense", "sparse", "kernel"])
    def test_moves_are_averaged_by_their_weights(self, shape, kind):
        rng = np.random.default_rng(0)
        y = np.arange(shape[0]) % 3
        X = rng.normal(size=shape) + y[:, None] * np.eye(shape[1])[0]
        rows = sparse.csr_array(X) if kind == "sparse" else X
        fitted = MoveLabeled(kernel="linear" if kind == "kernel" else None).fit(rows, y)
        weights = {tried[:3]: tried[5] for tried in fitted.choices_ if tried[5] > 0}
        assert len(weights) > 5
        assert sum(weights.values()) == pytest.approx(1)
        average = np.zeros_like(X)
        for (n_targets, relative, share), weight in weights.items():
            pairs = MoveLabeled(n_targets, 1.0).fit(X, y)._pairs(X, y, None)
            rank, inputs = min(shape), pairs.sum(axis=1) if n_targets == "all" else pairs.sum(axis=0)
            unit = (np.asarray(inputs).ravel() @ ((X - X.mean(axis=0)) ** 2).sum(axis=1)) / rank
            if n_targets != "all":
                rank = min(rank, np.count_nonzero(inputs))
                unit *= min(shape) / rank
            one = MoveLabeled(n_targets, alpha=relative * unit, share=share)
            average += weight * one.fit(X, y).move(X)
        expected = ((X[:6, None] - average[None]) ** 2).sum(axis=2)
        np.testing.assert_allclose(fitted.distance_.pairwise(rows[:6], rows), expected, rtol=1e-6, atol=1e-8)

    def test_a_setting_weighs_less_the_more_clearly_it_is_behind(self):
        rng = np.random.default_rng(0)
        right = {Setting(5, alpha, 1.0): rng.uniform(size=50) for alpha in (0.1, 1.0, 10.0)}
        right[Setting()] = np.full(50, -9.0)
        top = max(right.values(), key=np.mean)
        expected = {}
        for setting, scores in right.items():
            error = np.std(top - scores) / np.sqrt(50)
            behind = (top.mean() - scores.mean()) / error if error else 0.0
            expected[setting] = np.exp(-(behind**2) / 2)
        expected = {setting: weight for setting, weight in expected.items() if weight >= 0.01}
        found = Choice()._weights({setting: Trial(scores, 0.0) for setting, scores in right.items()})
        assert Setting() not in found
        assert found == pytest.approx({s: w / sum(expected.values()) for s, w in expected.items()})

    def test_rows_that_had_no_say_leave_one_move(self):
        """Of sparse rows 1,500 choose; beyond, the best setting alone is used."""
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(1510, 3)), rng.integers(2, size=1510)
        rows = sparse.csr_array(X)
        fitted = MoveLabeled().fit(rows, y)
        assert sorted(tried[5] for tried in fitted.choices_)[-2:] == [0.0, 1.0]
        again = MoveLabeled(fitted.n_targets_, fitted.alpha_, share=fitted.share_).fit(rows, y)
        np.testing.assert_allclose(fitted.components_, again.components_, rtol=1e-9)

    def test_gains_are_those_of_the_averaged_move(self):
        rng = np.random.default_rng(0)
        y = np.arange(80) % 3
        X = rng.normal(size=(80, 4)) + y[:, None] * np.eye(4)[0]
        held_out = next(held_out_rows(y))
        kept = np.setdiff1d(np.arange(80), held_out)
        weights = {
            STAY: 0.5,
            Setting(1, 0.3, 1.0): 0.2,
            Setting(1, 3.0, 1.0): 0.1,
            Setting("all", 0.3, 0.5): 0.2,
        }
        found = _Division(Choice(neighbourhoods=(1,)), X, y, kept, held_out, None).gains(weights)
        moved = np.zeros_like(X[kept])
        for setting, weight in weights.items():
            one = MoveLabeled(setting.n_targets, 1.0).fit(X[kept], y[kept])
            pairs = one._pairs(X[kept], y[kept], None)
            inputs = pairs.sum(axis=1) if setting.n_targets == "all" else pairs.sum(axis=0)
            centred = X[kept] - X[kept].mean(axis=0)
            unit = np.asarray(inputs).ravel() @ (centred**2).sum(axis=1) / 4
            one.set_params(alpha=setting.relative_alpha * unit, share=setting.share)
            moved += weight * one.fit(X[kept], y[kept]).move(X[kept])

        def right(references):
            apart = ((X[held_out][:, None] - references) ** 2).sum(axis=2)
            return y[kept][apart.argmin(axis=1)] == y[held_out]

        expected = right(moved).astype(int) - right(X[kept])
        assert expected.any()
        np.testing.assert_array_equal(found, expected[None])

    @pytest.mark.parametrize("harmful", [(), ("average",), ("average", "best"), ("best",)])
    def test_the_first_move_that_costs_nothing_is_made(self, harmful):
        class Division:
            def gains(self, weights):
                name = "average" if len(weights) > 1 else "best"
                # A gain of one neighbour does not outweigh what five lose.
                return np.array([np.ones(40), np.full(40, -1 if name in harmful else 0)])

        best = Setting(5, 1.0, 1.0)
        average = {best: 0.6, STAY: 0.4}
        found = Choice()._harmless([Division()], best, average)
        assert (
            found
            == {
                (): (best, average),
                ("average",): (best, {best: 1.0}),
                ("average", "best"): (STAY, {STAY: 1.0}),
                ("best",): (best, average),
            }[harmful]
        )

    def test_a_loss_within_one_standard_error_is_borne(self):
        class Division:
            gained = np.array([[-1.0] * 11 + [1.0] * 9])

            def gains(self, weights):
                return self.gained

        assert not Choice()._harms([Division()], {STAY: 1.0})
        Division.gained = np.array([[-1.0] * 13 + [1.0] * 7])
        assert Choice()._harms([Division()], {STAY: 1.0})

    def test_aiming_at_lists_draws_classes_closer(self):
        X, y = load_digits(return_X_y=True)
        lists, votes = (MoveLabeled(aim=aim).fit(X[:900], y[:900]) for aim in ("lists", "votes"))

        def precision(learner):
            found = KNNClassifier(learner).fit(X[:900], y[:900]).kneighbors(X[900:], 120)[1]
            return map_at_r(found, Relevance.of_labels(y[900:], y[:900]))

        assert precision(lists) > precision(votes) + 0.02

    def test_five_rows_per_class_are_enough(self):
        rng = np.random.default_rng(0)
        y = np.repeat(np.arange(12), 5)
        X = 2.0 * rng.normal(size=(12, 80))[y] + rng.normal(size=(60, 80)) * 2
        fitted = MoveLabeled().fit(X, y)
        assert fitted.choices_
        assert np.isfinite(fitted.distance_.pairwise(X, X)).all()

    def test_pairs_of_rows_are_enough(self):
        X, y = np.random.default_rng(0).normal(size=(12, 3)), np.repeat(np.arange(6), 2)
        assert np.isfinite(MoveLabeled().fit(X, y).distance_.pairwise(X, X)).all()
