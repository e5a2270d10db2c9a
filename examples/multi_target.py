"""Several regression targets under one learned metric, and the features that turn out not to matter.

python examples/multi_target.py
"""

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from nearkin import DMLMTP, MEGM, KNNRegressor
from nearkin.evaluation import arrmse

if __name__ == "__main__":
    X, y = make_friedman1(400, n_features=10, noise=0.5, random_state=0)
    Y = np.column_stack([y, X[:, 0] * X[:, 1], X[:, 3] ** 2])
    train, test, Y_train, Y_test = train_test_split(X, Y, random_state=0)
    for name, learner in {"KNN-SP": None, "MEGM": MEGM(), "DMLMTP": DMLMTP()}.items():
        model = make_pipeline(MinMaxScaler(), KNNRegressor(learner, n_neighbors=5)).fit(train, Y_train)
        error = arrmse(Y_test, model.predict(test), Y_train.mean(axis=0))
        print(f"{name:7} aRRMSE {error:.3f} (1 is no better than the mean)")
    print("left out by DMLMTP:", ", ".join(model[-1].learner_.ignored_features_))
