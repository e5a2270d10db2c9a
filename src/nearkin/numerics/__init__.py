"""Functions of arrays, in NumPy or compiled, that know nothing about estimators and import no other room."""
