"""What Rajabzadeh and others (2018) print, and why our numbers are worse where they are."""

from __future__ import annotations

from nearkin.experiments.published import PublishedTable

METHODS = ("1NN", "LPD", "LMNN", "LDDM", "GLML", "PLML", "MLEV", "DMLMJ", "KDMLMJ", "LMDL", "kLMDL")
#: Methods that Table 5 has numbers of.
LARGE_METHODS = ("1NN", "LMNN", "PLML", "GLML", "MLEV", "LMDL", "kLMDL")

TABLE_2 = PublishedTable.by_dataset(
    "Table 2",
    "error",
    """
    Dataset    | 1NN        | LPD        | LMNN       | LDDM       | GLML       | PLML      | MLEV       | DMLMJ      | KDMLMJ     | LMDL       | kLMDL
    Australian | 30.32±0.65 | 13.9       | 20.11±0.47 | 21.13±1.2  | 19.5±0.8   | 19.8±1.0  | 21.3±0.6   | 19.37±0.61 | 20.26±0.79 | 13.7±1.22  | 13.5±1.34
    Balance    | 30.59±1.62 | 16.3       | 9.09±0.65  | 9.32±0.87  | 11.2±0.5   | 8.2±0.2   | 10.3±0.76  | 22.66±0.55 | 2.92±0.78  | 9.21±1.13  | 9.07±1.31
    Cancer     | 4.53±0.3   | 3.4        | 3.38±1.5   | 3.18±1.2   | 3.6±0.2    | 4.9±0.7   | 3.7±1.0    | 4.22±0.18  | 4.52±0.57  | 3.22±1.5   | 3.18±1.4
    Diabetes   | 29.32±0.75 | 26.0       | 25.86±1.07 | 26.34±2.14 | 25.12±1.09 | 26.4±0.8  | 26.7±1.3   | 26.16      | 26.78±1.2  | 25.5±1.6   | 26.33±1.12
    German     | 32.65±0.66 | 26.0       | 31.2±0.66  | 29.76±2.4  | 30.32±1.3  | 30.43±1.3 | 33.7±2.3   | 33.38±0.73 | 31.44±1.16 | 26.2±1.32  | 26.6±1.56
    Glass      | 27.86±1.68 | 28.0       | 34.30±1.87 | 27.62±7.03 | 31.94±1.1  | 32.18±2.3 | 31.4±7.2   | 31.21±1.08 | 32.91±2.64 | 26.33±1.87 | 27.1±2.1
    Heart      | 24.25±1.41 | 18.6       | 19.56±0.99 | 19.45±0.76 | 19.33±0.45 | 20.11±0.8 | 20.12±2.6  | 26.7±1.17  | 23.5±1.6   | 18.5±1.42  | 18.4±1.76
    Ionosphere | 13.59±0.77 | 9.51±1.97  | 9.86±1.34  | 10.86±2.63 | 9.9±1.25   | 10.23±2.1 | 10.3±1.5   | 13.55±0.42 | 5.36±0.77  | 8.76±1.82  | 8.3±1.33
    Iris       | 4.20±0.64  | 3.93±0.79  | 4.23±1.8   | 3.33±4.71  | 3.65±1.6   | 4.11±0.76 | 4.44±2.34  | 4.13±0.52  | 4.13±1.39  | 3.12±1.34  | 2.98±1.18
    Letter     | 4.35±0.02  | 3.5        | 3.92±2.5   | 3.86±3.45  | 6.14±0.87  | 2.78±7.0  | 4.1±1.9    | 2.5        | 2.6±1.1    | 2.7±1.6    | 2.9±1.21
    Liver      | 37.57±1.28 | 33.3       | 35.74±1.7  | 36.11±2.7  | 34.83±2.1  | 34.33±1.6 | 36.2±1.8   | 40.03±1.02 | 39.43±1.8  | 33.1±1.9   | 32.6±2.12
    Seeds      | 6.23±0.99  | 10.33±2.80 | 6.67±3.5   | 7.23±1.0   | 6.82±2.34  | 7.17±2.33 | 7.43±2.1   | 8.71±0.67  | 11.57±1.7  | 8.44±1.78  | 7.32±1.3
    Sonar      | 13.53±1.07 | 16.24±2.76 | 12.77±1.76 | 12.9±0.7   | 11.9±1.41  | 12.23±1.4 | 15.4±4.82  | 13.88±1.21 | 13.65±1.7  | 12.3±1.57  | 12.1±1.4
    Vehicle    | 30.51±0.67 | 27.4       | 30.16±1.02 | 31.17±1.48 | 23.4±0.8   | 18.7±0.5  | 31.7±1.8   | 24.11±0.61 | 30.66±0.78 | 21.3±2.32  | 20.89±2.2
    Wine       | 2.64±2.81  | 5.0        | 2.42±2.12  | 3.53±4.76  | 3.9±1.1    | 2.5±1.1   | 3.4±1.6    | 2.24±0.48  | 2.68±0.86  | 2.33±1.64  | 2.1±0.97
    Yeast      | 47.91±0.52 | 44.87±3.24 | 46.44±0.34 | 46.32±1.14 | 46.43±1.3  | 45.98±2.1 | 47.1±3.2   | 47.19±0.71 | 47.65±0.71 | 44.7±2.62  | 44.6±2.45
    """,  # noqa: E501
)
TABLE_5 = PublishedTable.by_dataset(
    "Table 5",
    "error",
    """
    Dataset | 1NN  | LMNN  | PLML | GLML  | MLEV  | LMDL  | kLMDL
    Isolet  | 8.79 | 4.49  | 4.75 | 15.97 | 15.58 | 4.3   | 4.4
    MNIST   | 2.87 | 2.28  | 2.54 | 15.98 | 4.37  | 2.2   | 2.1
    Semeion | 8.54 | 6.09  | 7.66 | 8.34  | 7.43  | 6.8   | 6.4
    USPS    | 5.08 | 5.38  | 6.73 | 3.75  | 6.7   | 4.7   | 5.1
    20NEWS  | 29.7 | 22.34 | 21.2 | 27.65 | 21.3  | 20.78 | 21.13
    """,
)


#: Two kinds of reasons, by the setting that is best for the test rows (`benchmarks/short_cells.py`).
NONE_REACHES = "no setting offered reaches it: the best for the test rows has {} %"
CHOICE = "the choice inside few training rows: the setting best for the test rows has {} %"
#: The same of the first ten folds only.
CHOICE_OF_TEN = "the choice inside few training rows: the setting best for the first ten folds has {} %"
#: Why our errors are larger.
REASONS = {
    ("Balance", "LDDM"): NONE_REACHES.format(10.4),
    ("Balance", "PLML"): CHOICE.format(7.7),
    ("Balance", "MLEV"): CHOICE.format(10.0),
    ("Balance", "KDMLMJ"): "256 landmarks: with 600 and a width chosen from finer steps it has 3.4 %",
    ("Glass", "LMDL"): CHOICE.format(27.3),
    ("Ionosphere", "KDMLMJ"): CHOICE_OF_TEN.format(5.7),
    ("Letter", "LPD"): "five prototypes per class: 20 have 6.5 %, 60 have 6.4 % on the first fold",
    ("Liver", "LMNN"): CHOICE_OF_TEN.format(34.5),
    ("Liver", "MLEV"): CHOICE_OF_TEN.format(35.0),
    ("Sonar", "DMLMJ"): CHOICE_OF_TEN.format(11.5),
    ("Sonar", "LMNN"): CHOICE_OF_TEN.format(13.5),
    ("Vehicle", "PLML"): CHOICE_OF_TEN.format(18.8),
    ("Wine", "DMLMJ"): CHOICE_OF_TEN.format(2.2),
    ("Isolet", "1NN"): "not known: on all 617 features it has 11.4 %, with five neighbours 8.0",
    ("20NEWS", "GLML"): "not known: a class has 90 training rows for a Gaussian in 100 directions",
}
