"""
The neighbours that decide
==========================

A prediction by neighbours can be explained by showing them. Here handwritten digits that plain Euclid
gets wrong and a learned distance right, each with the five training rows that voted.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from nearkin import LMNN, KNNClassifier

X, y = load_digits(return_X_y=True)
train, test, y_train, y_test = train_test_split(X, y, train_size=300, random_state=0, stratify=y)
euclid = KNNClassifier(n_neighbors=5).fit(train, y_train)
learned = KNNClassifier(LMNN(), n_neighbors=5).fit(train / 16, y_train)
answers = {"Euclid": euclid.predict(test), "LMNN": learned.predict(test / 16)}
for name, predicted in answers.items():
    print(f"{name}: {np.mean(predicted == y_test):.1%} of {len(test)} new digits right")

# %%
# On the left the digit in question; then its neighbours under Euclid and under the learned distance, with
# their labels.

wrong_before = np.flatnonzero((answers["Euclid"] != y_test) & (answers["LMNN"] == y_test))[:4]
fig, axes = plt.subplots(len(wrong_before), 12, figsize=(9, 0.95 * len(wrong_before)))
for row, number in zip(axes, wrong_before):
    near = euclid.kneighbors(test[[number]], return_distance=False)[0]
    near_learned = learned.kneighbors(test[[number]] / 16, return_distance=False)[0]
    pictures = [test[number], *train[near], None, *train[near_learned]]
    labels = [y_test[number], *y_train[near], None, *y_train[near_learned]]
    for ax, pixels, label in zip(row, pictures, labels):
        ax.set_axis_off()
        if pixels is not None:
            ax.imshow(pixels.reshape(8, 8), cmap="gray_r")
            ax.set_title(str(label), loc="center", color="C2" if label == y_test[number] else "C1", pad=2)
fig.text(0.02, 1.02, "in question")
fig.text(0.12, 1.02, "five nearest under Euclid")
fig.text(0.61, 1.02, "five nearest under LMNN")
plt.show()
