"""
Several regression targets under one metric
===========================================

`DMLMTP` learns one distance for several targets at once, and by default a weight for every feature.
Features that no target depends on get the weight zero.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from nearkin import DMLMTP, MEGM, KNNRegressor
from nearkin.evaluation import arrmse

# %%
# Three targets of the first five features; the other five are noise.

X, y = make_friedman1(400, n_features=10, noise=0.5, random_state=0)
Y = np.column_stack([y, X[:, 0] * X[:, 1], X[:, 3] ** 2])
train, test, Y_train, Y_test = train_test_split(X, Y, random_state=0)
errors = {}
for name, learner in {"Euclid": None, "MEGM": MEGM(), "DMLMTP": DMLMTP()}.items():
    model = make_pipeline(MinMaxScaler(), KNNRegressor(learner, n_neighbors=5)).fit(train, Y_train)
    errors[name] = arrmse(Y_test, model.predict(test), Y_train.mean(axis=0))
    print(f"{name:7} aRRMSE {errors[name]:.3f} (1 is no better than the mean)")
learned = model[-1].learner_
print("left out by DMLMTP:", ", ".join(learned.ignored_features_))

# %%

fig, (left, right) = plt.subplots(1, 2, width_ratios=(2, 3))
left.bar(list(errors), list(errors.values()), color=["C0", "C1", "C2"], width=0.6)
left.set(title="Error over the three targets (aRRMSE)")
colours = ["C2" if number < 5 else "0.6" for number in range(10)]
right.bar(range(10), learned.weights_, color=colours, width=0.7)
right.set_xticks(range(10), [f"x{number}" for number in range(10)])
right.set(title="Weights learned by DMLMTP; grey features are noise")
plt.show()
