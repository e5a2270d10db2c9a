"""`nearkin reproduce` with every output, on a bundled set."""

import re

import pytest

from nearkin.experiments import load_paper


@pytest.fixture(scope="module")
def reproduced(nearkin, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reproduced")
    paths = {
        "report": folder / "page.html",
        "results": folder / "runs.sqlite",
        "markdown": folder / "table.md",
    }
    outputs = [item for name, path in paths.items() for item in (f"--{name}", path)]
    options = ("--datasets", "iris,seeds", "--quick", "--jobs", "1", *outputs)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NEARKIN_DATA", raising=False)
        called = nearkin("reproduce", "rajabzadeh2018", *options, "--json")
    assert called.code == 0, called.err
    return called, paths, options


def test_json_has_both_numbers_verdicts_and_the_missing_set(reproduced):
    found = reproduced[0].json()
    cells = {cell["method"]: cell for cell in found["tables"][0]["rows"][0]["cells"]}
    assert set(cells) == set(load_paper("rajabzadeh2018").tables[0].methods)
    assert cells["LMDL"]["published"] == 3.12
    assert cells["LMDL"]["ours"] < 10
    assert cells["LMDL"]["in_sd"] is not None
    assert [absent["label"] for absent in found["absent"]] == ["Seeds"]
    assert "openml" in found["absent"][0]["how"]
    assert all(claim["here"]["text"] and claim["published"]["text"] for claim in found["claims"])


def test_table_and_page_are_written(reproduced):
    paths = reproduced[1]
    table = paths["markdown"].read_text("utf-8")
    assert re.search(r"\| Iris \| \d+\.\d\d / 4\.20±0\.64 \([+−]\d+\.\d sd\)", table)
    assert "https://www.openml.org/d/1499" in table
    page = paths["report"].read_text("utf-8")
    assert "rajabzadeh2018 (quick)" in page
    assert page.count('data-role="published"') == 1
    assert "Figure 2: concentric circles" in page
    assert page.count('data-role="figure"') >= 9


def test_a_second_run_prints_the_same_without_running_again(reproduced, nearkin, monkeypatch):
    monkeypatch.delenv("NEARKIN_DATA", raising=False)
    called = nearkin("reproduce", "rajabzadeh2018", *reproduced[2])
    assert called.code == 0, called.err
    ours = reproduced[0].json()["tables"][0]["rows"][0]["cells"][0]["ours"]
    # Cells of a wide table are wrapped.
    assert f"{ours:.2f}" in called.out
    assert "4.20±0.64" in called.out
    assert "Absent data sets" in called.out
    assert "Once five-fold" in called.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nobody2000",), "there is no paper 'nobody2000'; known: gonzalez2016"),
        (("shigeto2017", "--datasets", "mushroom"), "no data set 'mushroom'"),
        (("shigeto2017", "--markdown", "/no/such/folder/table.md"), "does not exist"),
    ],
)
def test_bad_input(nearkin, arguments, message):
    called = nearkin("reproduce", *arguments)
    assert called.code == 1
    assert message in called.err.replace("\n", " ")
