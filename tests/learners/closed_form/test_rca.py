"""RCA: whitening checked by its definition, and its ways out of singular data."""

import tracemalloc

import numpy as np
import pytest
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_wine

from nearkin import RCA, MoveLabeled

X, y = load_wine(return_X_y=True)


def within(Z, labels):
    classes = [Z[labels == label] for label in np.unique(labels)]
    return np.concatenate([rows - rows.mean(axis=0) for rows in classes])


def test_without_shrinkage_the_variation_inside_classes_becomes_white():
    Z = within(RCA(shrinkage=0.0, euclid_share=0.0).fit_transform(X, y), y)
    np.testing.assert_allclose(Z.T @ Z / len(Z), np.eye(X.shape[1]), atol=1e-8)


def test_components_are_those_of_greatest_whitened_variance():
    whole, part = RCA(euclid_share=0.0).fit(X, y), RCA(n_components=4, euclid_share=0.0).fit(X, y)
    assert part.components_.shape == (4, 13)
    total = np.linalg.eigvalsh(np.cov(whole.transform(X).T, bias=True))[::-1][:4]
    np.testing.assert_allclose(part.transform(X).var(axis=0), total)


def test_chunklets_equal_labels_where_they_say_the_same():
    np.testing.assert_allclose(
        RCA(euclid_share=0.0).fit(X, chunklets=y).components_, RCA(euclid_share=0.0).fit(X, y).components_
    )


def test_rows_in_no_chunklet_do_not_count():
    chunklets = y.copy()
    chunklets[::2] = -1
    some = RCA(shrinkage=0.1, euclid_share=0.0).fit(X, chunklets=chunklets)
    np.testing.assert_allclose(
        some.components_, RCA(shrinkage=0.1, euclid_share=0.0).fit(X[1::2], y[1::2]).components_
    )


def test_label_minus_one_is_a_class_like_any_other():
    signs = np.where(y == 0, -1, 1)
    np.testing.assert_allclose(
        RCA(euclid_share=0.0).fit(X, signs).components_, RCA(euclid_share=0.0).fit(X, y == 0).components_
    )


def test_mahalanobis_matrix_gives_the_learned_distances():
    rca = RCA(euclid_share=0.0).fit(X, y)
    difference = X[0] - X[1]
    expected = difference @ rca.get_mahalanobis_matrix() @ difference
    assert rca.distance_.pairwise(X[:1], X[1:2])[0, 0] == pytest.approx(expected)


def test_singular_covariances_are_survived():
    wide = np.random.default_rng(0).normal(size=(20, 50))
    constant = np.column_stack([X, np.ones(len(X)), X[:, 0]])
    for data, labels in [(wide, np.arange(20) % 2), (constant, y)]:
        for shrinkage in ("auto", 0.0, 0.5):
            assert np.isfinite(RCA(shrinkage=shrinkage, euclid_share=0.0).fit(data, labels).components_).all()


def test_identical_rows_fall_back_to_euclid_with_a_warning():
    with pytest.warns(UserWarning, match="coincide"):
        rca = RCA(euclid_share=0.0).fit(np.repeat([[1.0, 2.0], [3.0, 5.0]], 3, axis=0), [0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(rca.components_, np.eye(2))


def test_clear_errors():
    with pytest.raises(ValueError, match="at least two rows"):
        RCA(euclid_share=0.0).fit(X, np.arange(len(X)))
    with pytest.raises(ValueError, match="n_components"):
        RCA(n_components=14, euclid_share=0.0).fit(X, y)
    with pytest.raises(ValueError, match="shrinkage"):
        RCA(shrinkage=2.0, euclid_share=0.0).fit(X, y)
    with pytest.raises(ValueError, match="one number per row"):
        RCA(euclid_share=0.0).fit(X, chunklets=[0, 0, 1])


def test_automatic_shrinkage_is_that_of_ledoit_and_wolf():
    _, expected = ledoit_wolf(within(X, y), assume_centered=True)
    assert RCA(euclid_share=0.0).fit(X, y).shrinkage_ == pytest.approx(expected)
    Z = within(X, y)
    fitted = RCA(shrinkage=0.2, euclid_share=0.0).fit(X, y)
    assert fitted.objective_ == pytest.approx(np.mean(np.sum((Z @ fitted.components_.T) ** 2, axis=1)))


@pytest.mark.parametrize(
    "learner",
    [RCA(euclid_share=0.0), RCA(3, euclid_share=0.0), MoveLabeled(1, 1.0), MoveLabeled("all", 1.0)],
    ids=repr,
)
def test_memory_beside_the_data_is_less_than_two_copies_of_it(learner):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60_000, 128)).astype(np.float32)
    labels = np.arange(60_000) % 200
    learner.fit(rows[:400], labels[:400])  # what is loaded on first use does not count
    tracemalloc.start()
    learner.fit(rows, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Labels and their codes are beside the rows themselves.
    assert peak < 2 * rows.nbytes + 8 * labels.nbytes
