"""The OpenML client against a local server that speaks the two addresses it uses."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from nearkin.datasets import DataError, DatasetNotFoundError, load_dataset
from nearkin.datasets.openml import fetch_openml_table, is_cached, server_url


def arff(n, d, labels="abc", extra=""):
    rng = np.random.default_rng(0)
    head = "@relation t\n@attribute id numeric\n" + "".join(f"@attribute f{i} real\n" for i in range(d))
    head += f"@attribute class {{{','.join(labels)}}}\n@data\n"
    rows = [
        f"{i}," + ",".join(f"{v:.3f}" for v in rng.normal(size=d)) + f",{labels[i % len(labels)]}"
        for i in range(n)
    ]
    return (head + "\n".join(rows) + extra + "\n").encode()


class StandIn:
    """Answers like openml.org for the sets put into it, and counts what it was asked."""

    def __init__(self):
        self.answers, self.asked = {}, []
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                stand_in.asked.append(self.path)
                body = stand_in.answers.get(self.path)
                self.send_response(200 if body is not None else 412)
                self.end_headers()
                self.wfile.write(body or b"{}")

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def put(self, data_id, raw, **description):
        described = {
            "id": str(data_id),
            "file_id": str(data_id + 1000),
            "default_target_attribute": "class",
            "row_id_attribute": "id",
            "md5_checksum": hashlib.md5(raw).hexdigest(),
        } | description
        self.answers[f"/api/v1/json/data/{data_id}"] = json.dumps(
            {"data_set_description": described}
        ).encode()
        self.answers[f"/data/v1/download/{data_id + 1000}"] = raw


@pytest.fixture
def openml(monkeypatch, tmp_path):
    stand_in = StandIn()
    monkeypatch.delenv("NEARKIN_DATA", raising=False)
    monkeypatch.setenv("NEARKIN_OPENML_URL", stand_in.url)
    monkeypatch.setenv("NEARKIN_CACHE", str(tmp_path))
    yield stand_in
    stand_in.server.shutdown()
    stand_in.server.server_close()


def test_a_known_set_is_downloaded_checked_and_cached(openml):
    openml.put(1499, arff(210, 7))
    assert not is_cached(1499)
    first = load_dataset("seeds")
    assert (first.source, first.n_features, first.n_classes) == ("OpenML 1499", 7, 3)
    assert len(openml.asked) == 2
    assert is_cached(1499)
    again = load_dataset("seeds", download=False)
    assert len(openml.asked) == 2
    np.testing.assert_array_equal(first.X, again.X)


def test_wrong_shape_is_an_error(openml):
    openml.put(1499, arff(200, 7))
    with pytest.raises(DataError, match=r"expected 210 rows but found 200 rows"):
        load_dataset("seeds")


def test_rows_with_missing_cells_are_dropped_where_declared(openml):
    holes = "".join(f"\n{700 + i},?,1,1,1,1,1,1,1,1,a" for i in range(16))
    openml.put(15, arff(683, 9, "ab", holes))
    assert load_dataset("breast-cancer-wisconsin").n_samples == 683
    openml.put(40, arff(208, 60))


def test_declared_targets_win_over_one_default(openml):
    text = "@relation t\n" + "".join(f"@attribute w{i} real\n" for i in range(30))
    text += (
        "@attribute Target real\n" + "".join(f"@attribute Target_{i} real\n" for i in range(2, 7)) + "@data\n"
    )
    text += "\n".join(
        ",".join(f"{v:.2f}" for v in row) for row in np.random.default_rng(0).normal(size=(49, 36))
    )
    openml.put(41474, text.encode(), default_target_attribute="Target_6", row_id_attribute=None)
    data = load_dataset("andro")
    assert (data.n_targets, data.n_features, data.task) == (6, 30, "regression")


def test_a_damaged_download_is_refused_and_not_cached(openml):
    openml.put(1499, arff(210, 7), md5_checksum="0" * 32)
    with pytest.raises(DatasetNotFoundError, match=r"arrived damaged"):
        load_dataset("seeds")
    assert not is_cached(1499)


def test_an_unknown_id_and_a_strange_answer(openml):
    with pytest.raises(DataError, match=r"answered 412"):
        fetch_openml_table(77)
    openml.answers["/api/v1/json/data/78"] = b"<html>"
    with pytest.raises(DataError, match=r"could not be understood"):
        fetch_openml_table(78)
    # A bad answer is not kept.
    openml.put(78, arff(5, 2))
    assert len(fetch_openml_table(78)[0]) == 5


def test_offline_says_how_to_get_the_data(openml):
    openml.server.shutdown()
    openml.server.server_close()
    with pytest.raises(
        DatasetNotFoundError, match=r"could not be downloaded.*openml.org/d/1499.*NEARKIN_DATA"
    ):
        load_dataset("seeds")


def test_ignored_attributes_are_left_out(openml):
    openml.put(5, arff(6, 3), ignore_attribute=["f0", "f2"], row_id_attribute=None)
    table, targets = fetch_openml_table(5)
    assert table.columns.tolist() == ["id", "f1", "class"]
    assert targets == ["class"]


def test_only_web_addresses_are_asked(monkeypatch):
    with pytest.raises(DataError, match=r"must begin with http"):
        server_url("file:///etc")
