"""What studies, learners and distances show in a notebook that a real kernel executes."""

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = [
    """from sklearn.datasets import load_wine
from nearkin import GMML, compare
X, y = load_wine(return_X_y=True)
learner = GMML(t=0.5).fit(X, y)
learner""",
    "learner.distance_",
    # In processes, of which threads tell the bar.
    """study = compare(X, y, ["RCA"], folds=2, repeats=1, tune="none", time_budget=None, jobs=2)
study""",
    """silent = dict(folds=2, repeats=1, tune="none", time_budget=None, isolate=False, progress=False)
compare(X, y, ["RCA"], **silent)
None""",
]


@pytest.fixture(scope="module")
def executed():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in CELLS])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return [cell.outputs for cell in notebook.cells]


def html_of(outputs):
    return [output.data["text/html"] for output in outputs if "text/html" in output.get("data", {})]


@pytest.mark.slow
def test_a_learner_shows_its_settings(executed):
    (page,) = html_of(executed[0])
    assert "GMML" in page
    assert "0.5" in page


@pytest.mark.slow
def test_a_distance_shows_what_it_holds(executed):
    (page,) = html_of(executed[1])
    assert "<table>" in page
    assert "EmbeddedDistance" in page
    assert "13 × 13 float64" in page


@pytest.mark.slow
def test_a_study_shows_a_bar_while_it_runs_and_a_table_at_the_end(executed):
    bar, table = html_of(executed[2])  # the bar is one output, drawn anew
    assert "<progress" in bar
    assert 'value="6" max="6"' in bar
    assert "<b>" in table
    assert "RCA" in table
    assert "Euclid" in table


@pytest.mark.slow
def test_no_bar_where_none_is_wanted(executed):
    assert not html_of(executed[3])
