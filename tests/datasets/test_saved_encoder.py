import numpy as np
import pandas as pd
import pytest

from nearkin.datasets import DataError
from nearkin.datasets.saved_encoder import encoder_from_state

TABLE = pd.DataFrame(
    {
        "size": [1.0, None, 3.0, 8.0, 2.0],
        "colour": ["red", "blue", None, "red", "green"],
        "warm": [True, True, None, False, True],
        "rank": [3, 1, 2, 2, 1],
    }
)
# As the first versions of nearkin wrote it for this table, and what they made of its rows.
STATE = {
    "impute": "median",
    "dtype": "float64",
    "columns": [
        {"name": "size", "kind": "number", "categories": [], "fill": 2.5},
        {"name": "colour", "kind": "category", "categories": ["blue", "green", "red"], "fill": "red"},
        {"name": "warm", "kind": "boolean", "categories": [], "fill": 1.0},
        {"name": "rank", "kind": "number", "categories": [], "fill": 2.0},
    ],
}
ENCODED = [
    [1.0, 0.0, 0.0, 1.0, 1.0, 3.0],
    [2.5, 1.0, 0.0, 0.0, 1.0, 1.0],
    [3.0, 0.0, 0.0, 1.0, 1.0, 2.0],
    [8.0, 0.0, 0.0, 1.0, 0.0, 2.0],
    [2.0, 0.0, 1.0, 0.0, 1.0, 1.0],
]


def test_an_old_description_encodes_as_it_did():
    np.testing.assert_array_equal(encoder_from_state(STATE).transform(TABLE), ENCODED)


def test_dtype_and_refusal_of_holes_are_kept():
    columns = [{"name": "a", "kind": "number", "categories": [], "fill": None}]
    encoder = encoder_from_state({"impute": None, "dtype": "float32", "columns": columns})
    assert encoder.transform(pd.DataFrame({"a": [1, 2]})).dtype == np.float32
    with pytest.raises(DataError, match=r"missing values.*'a'"):
        encoder.transform(pd.DataFrame({"a": [1, None]}))


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"columns": 3, "impute": None, "dtype": "float64"},
        {"columns": [{"name": "a"}], "impute": None, "dtype": "float64"},
        {"columns": [{**STATE["columns"][0], "kind": "code"}], "impute": None, "dtype": "float64"},
        {"columns": [], "impute": None, "dtype": "object"},
        {"columns": [], "impute": None, "dtype": "float64"},
        {**STATE, "impute": "guess"},
    ],
)
def test_damaged_state_is_refused(state):
    with pytest.raises(DataError, match=r"not the saved state"):
        encoder_from_state(state)
