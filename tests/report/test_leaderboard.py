from dataclasses import replace

from nearkin.report.leaderboard import NAMED, explanations, leaderboard_html, leaderboard_text, plain_table


def test_every_row_has_a_cell_per_column(comparison):
    columns, rows = plain_table(comparison)
    titles = [column.title for column in columns]
    assert titles[:6] == ["learner", "accuracy", "vs Euclid", "better/equiv./worse", "p", "p adjusted"]
    assert [column.numeric for column in columns] == [title[:5] not in ("learn", "beats") for title in titles]
    assert all(len(row) == len(columns) for row in rows)
    cells = {row[0]: dict(zip(titles, row)) for row in rows}
    assert cells["LMNN"]["accuracy"] == "98.5 % ± 2.0"
    assert (cells["LMNN"]["p"], cells["LMNN"]["p adjusted"]) == ("0.004", "0.012")
    assert cells["LMNN"]["beats Euclid?"] == "yes"
    assert cells["RBF SVM (not neighbours)"]["hub skewness"] == "–"
    assert cells["Euclid"]["p"] == ""
    assert cells["<Slow & co>"]["accuracy"] == "failed"


def test_unfinished_rows_tell_how_far_they_came(comparison):
    partial = replace(comparison.rows[1], n_folds=4)
    scouted = replace(comparison.rows[-1], status="not run (time budget)", scout_score=0.91)
    rows = plain_table(replace(comparison, rows=(comparison.rows[3], partial, scouted)))[1]
    assert rows[1][0] == "LMNN (4 of 10 folds)"
    assert rows[2][1:3] == ["not run (time budget)", "first look 91.0 %"]


def test_columns_of_the_text_stand_under_each_other(comparison):
    head, rule, *lines = leaderboard_text(comparison).splitlines()
    ends = [i for i, (a, b) in enumerate(zip(rule, rule[1:] + " ")) if (a, b) == ("-", " ")]
    # Where the rule has a gap between columns, no cell has text.
    gaps = [i for i, sign in enumerate(rule) if sign == " "]
    assert len(ends) == len(plain_table(comparison)[0])
    assert all(line[i : i + 1] in ("", " ") for line in (head, *lines) for i in gaps)


def test_text_of_the_data_is_never_markup(comparison):
    page = leaderboard_html(comparison, title="a <b>")
    assert "&lt;Slow &amp; co&gt;" in page
    assert "a &lt;b&gt;" in page
    assert page.count("font-weight: bold") == 1


def test_explanations_say_how_p_was_adjusted_and_what_tags_mean(comparison):
    euclid, lmnn = (next(row for row in comparison.rows if row.label == name) for name in ("Euclid", "LMNN"))
    lmnn = replace(lmnn, could_win=True, tunable=True, tuned=False, n_repeats=2)
    adjusted, repeats, untuned = explanations(replace(comparison, rows=(lmnn, euclid)))
    assert adjusted == (
        "p is adjusted for the 1 that could win, being ahead of Euclid after the first pass: LMNN."
    )
    assert repeats.startswith("×2 marks")
    assert untuned.startswith("“Untuned”")
    many = [replace(lmnn, label=f"L{i}") for i in range(NAMED + 1)]
    assert explanations(replace(comparison, rows=(*many, euclid)))[0].endswith("after the first pass.")
    assert explanations(replace(comparison, rows=(euclid,))) == []
