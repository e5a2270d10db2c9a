from __future__ import annotations

import numpy as np
import pytest

from nearkin.evaluation.results import Record
from nearkin.evaluation.rows import COLUMNS, FILE_COLUMNS, pack_array, to_record, to_row, unpack_array


@pytest.mark.parametrize(
    "values",
    [
        np.arange(6).reshape(2, 3),
        np.array(["ä", "b"]),
        np.array(["x", "yy"], dtype=object),
        np.array([1.5], "f4"),
    ],
)
def test_arrays_survive_packing(values):
    assert np.array_equal(unpack_array(pack_array(values)), values)


def test_nothing_packed_can_run_code():
    with pytest.raises(ValueError, match="pickle"):
        unpack_array(pack_object_array())


def pack_object_array():
    import io
    import zlib

    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    return zlib.compress(buffer.getvalue())


def test_files_keep_the_column_names_of_the_first_release():
    assert [(old, new) for old, new in zip(FILE_COLUMNS, COLUMNS) if old != new] == [("learner", "label")]
    record = Record("k", "d", "LMNN", "0.0", 0, {})
    with pytest.warns(FutureWarning, match="Record.learner is now label"):
        assert record.learner == "LMNN"


def test_a_record_survives_its_row():
    record = Record(
        key="k",
        dataset="d",
        label="l",
        fold="0.1",
        seed=3,
        setting={"a": [1, 2]},
        status="done",
        reference=True,
        chosen={"k": 5},
        warnings=["one"],
        predictions=np.array(["x"]),
    )
    again = to_record(dict(zip(COLUMNS, to_row(record), strict=True)))
    for name in COLUMNS:
        assert np.array_equal(getattr(again, name), getattr(record, name)), name
