import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nearkin import LPD, KNNClassifier, KNNRegressor
from nearkin.predictors import prediction_table

X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0]])


def test_rows_count_from_one_and_neighbours_are_training_rows():
    model = make_pipeline(StandardScaler(), KNNClassifier(n_neighbors=1)).fit(X, [0, 0, 1, 1])
    table = prediction_table(model, X[[3, 0]], n_neighbors=2, class_names=["low", "high"])
    assert table["row"].tolist() == [1, 2]
    assert table["prediction"].tolist() == ["high", "low"]
    assert table["neighbor1_row"].tolist() == [4, 1]
    assert table["neighbor2_label"].tolist() == ["high", "low"]
    assert (table["neighbor1_distance"] == 0).all()
    assert prediction_table(model, X[[3]], first_row=11)["row"].tolist() == [11]


def test_probabilities_are_named_by_class():
    model = KNNClassifier(n_neighbors=3).fit(X, ["a", "a", "b", "b"])
    table = prediction_table(model, X[:1], proba=True)
    assert table.filter(like="proba").iloc[0].to_dict() == {
        "proba_a": pytest.approx(2 / 3),
        "proba_b": pytest.approx(1 / 3),
    }


def test_several_targets_and_more_neighbours_than_there_are():
    Y = np.column_stack([X[:, 0], -X[:, 1]])
    model = KNNRegressor(n_neighbors=1).fit(X, Y)
    table = prediction_table(model, X, n_neighbors=99, target_names=["u", "v"])
    assert {"u", "v", "neighbor4_u", "neighbor4_v"} < set(table.columns)
    assert "neighbor5_row" not in table
    np.testing.assert_array_equal(table[["neighbor1_u", "neighbor1_v"]], Y)
    with pytest.raises(ValueError, match="predicts numbers"):
        prediction_table(model, X, proba=True)


def test_prototypes_sparse_rows_and_models_without_neighbours():
    model = LPD(n_prototypes=1, max_epochs=2, random_state=0).fit(X, [0, 0, 1, 1])
    table = prediction_table(model, X, n_neighbors=2)
    assert (table["prototype1_label"] == table["prediction"]).all()
    sparse = KNNClassifier(n_neighbors=1).fit(csr_matrix(X), [0, 0, 1, 1])
    assert prediction_table(sparse, csr_matrix(X))["prediction"].tolist() == [0, 0, 1, 1]
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(ValueError, match="does not decide by neighbours"):
        prediction_table(LogisticRegression().fit(X, [0, 0, 1, 1]), X, n_neighbors=1)


def test_a_data_frame_goes_through_the_pipeline_by_name():
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = KNNClassifier(n_neighbors=1).fit(frame, [0, 0, 1, 1])
    assert len(prediction_table(model, frame)) == 4
