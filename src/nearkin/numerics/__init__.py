"""Functions of arrays, NumPy or compiled, that know nothing of estimators; few classes, no other rooms."""
