"""Claims on tables made so that the answer is known."""

import pytest

from nearkin.experiments import claims, claims_by_tests
from nearkin.experiments.values import Values


def table(**columns):
    """Values of one metric from a list of numbers per method, data sets being a, b, c, ..."""
    labels = "abcdefgh"[: len(next(iter(columns.values())))]
    means = {("error", label, name): number for name, column in columns.items()
             for label, number in zip(labels, column) if number is not None}  # fmt: skip
    return Values(tuple(labels), means)


def test_all_most_and_none():
    three = table(A=[1, 2, 5], B=[2, 3, 4])
    assert claims.lower("error", "A", "B")(three) == claims.Verdict("mostly", 2, 3, "not on c")
    assert claims.lower("error", "A", "B", needs="most")(three).answer == "yes"
    assert claims.lower("error", "B", "A")(three).answer == "no"
    assert claims.lower("error", "A", "B", among=("a", "b"))(three).answer == "yes"
    assert claims.higher("error", "A", "B")(three) == claims.Verdict("no", 1, 3, "not on a, b")


def test_exactly_half_is_not_most():
    assert claims.lower("error", "A", "B", needs="most")(table(A=[1, 2], B=[2, 1])).answer == "no"


def test_equality_counts_unless_strict_and_slack_forgives():
    same = table(A=[1.0], B=[1.0])
    assert claims.lower("error", "A", "B")(same).answer == "yes"
    assert claims.lower("error", "A", "B", strictly=True)(same).answer == "no"
    assert claims.lower("error", "A", "B", slack=0.5)(table(A=[1.4], B=[1.0])).answer == "yes"
    assert claims.lower("error", "A", "B", slack=0.5)(table(A=[1.6], B=[1.0])).answer == "no"


def test_a_factor_asks_for_a_share_less_or_allows_one_more():
    apart = table(A=[1.8], B=[2.0])
    assert claims.lower("error", "A", "B", factor=0.9)(apart).answer == "yes"
    assert claims.lower("error", "A", "B", factor=0.89)(apart).answer == "no"
    assert claims.lower("error", "B", "A", factor=1.12)(apart).answer == "yes"


def test_lower_than_all_others():
    assert claims.lower("error", "A", ("B", "C"))(table(A=[2], B=[3], C=[1])).answer == "no"


def test_sets_without_every_number_are_not_cases():
    assert claims.lower("error", "A", "B")(table(A=[1, 1], B=[2, None])).total == 1
    assert claims.lower("error", "A", "B")(table(A=[1], B=[None])).answer == claims.NOT_TESTED


def test_below_a_limit():
    assert claims.below("error", ("A", "B"), 2, among=("a", "b"))(table(A=[1, 1], B=[2, 3])).count == 1


def test_where_it_is_not_first_it_may_be_close():
    check = claims.close_where_not_first("error", "A", ["B", "C"], slack=1.0, among="abcd")
    # Ahead on a, equal on b, half a point behind on c, and two on d.
    assert check(table(A=[9, 5, 5, 5], B=[8, 5, 5.5, 7], C=[1, 1, 1, 1])).text == "mostly 2/3 (not on d)"
    assert check(table(A=[9, 9], B=[8, 8], C=[1, 1])).answer == "not tested"


def test_some_sets_are_below_all_others():
    check = claims.all_below("error", "A", among="ab", others="cde")
    assert check(table(A=[1, 2, 5, 3])).text == "yes 2/2 (at least 3.00 on c, d)"
    assert check(table(A=[1, 3, 5, 3])).text == "no 1/2 (not on b; at least 3.00 on c, d)"
    assert check(table(A=[1, 3])).answer == "not tested"


def test_several_values_are_chosen_somewhere():
    def chose(*gates):
        return Values("abc", {}, choices={(n, "A"): {"gate": g} for n, g in zip("abc", gates, strict=True)})

    check = claims_by_tests.several_chosen("A", "gate")
    assert check(chose("one", "other", "one")) == claims.Verdict("yes", detail="one on 2, other on 1")
    assert check(chose("one", "one", "one")).answer == "no"
    assert check(Values("abc", {})).answer == "not tested"


def test_ranks_and_robustness_name_the_leaders():
    three = table(A=[1, 1, 1], B=[2, 2, 4], C=[3, 3, 3])
    methods = ("A", "B", "C")
    assert claims_by_tests.first_in_rank("error", ("A",), methods)(three).answer == "yes"
    assert claims_by_tests.first_in_rank("error", ("B", "A"), methods)(three).answer == "yes"
    assert claims_by_tests.first_in_rank("error", ("C",), methods)(three).answer == "no"
    assert claims_by_tests.most_robust("error", ("A", "B"), methods)(three).answer == "yes"
    assert claims_by_tests.most_robust("error", ("B", "A"), methods)(three).answer == "no"


def test_tests_over_many_sets():
    clear = table(A=range(8), B=range(1, 9), C=range(2, 10))
    methods = ("A", "B", "C")
    assert claims_by_tests.some_differ("error", methods)(clear).answer == "yes"
    assert claims_by_tests.beats_by_finner("error", "A", methods)(clear).count == 2
    # The other way round the differences are as significant, but not in favour of C.
    assert claims_by_tests.beats_by_finner("error", "C", methods)(clear).count == 0
    assert claims_by_tests.lower_by_wilcoxon("error", "A", "B")(clear).answer == "yes"
    assert claims_by_tests.lower_by_wilcoxon("error", "B", "A")(clear).answer == "no"


@pytest.mark.parametrize("shift", [0.0, 10.0])
def test_f_test_needs_ten_folds_and_a_clear_lead(shift):
    noise = (1.0, 2.0, 1.5, 1.0, 2.0, 2.5, 1.0, 1.5, 2.0, 1.0)
    folds = {("accuracy", "a", "A"): tuple(shift + x for x in noise), ("accuracy", "a", "B"): noise[::-1]}
    check = claims_by_tests.higher_by_f_test("accuracy", "A", ("B",), among=("a",))
    assert check(Values(("a",), {}, scores=folds)).answer == ("yes" if shift else "no")
    assert check(Values(("a",), {}, scores={})).answer == claims.NOT_TESTED


def test_growth_with_the_number_of_features():
    growing = table(A=[1, 1, 1, 1, 1], B=[1, 2, 3, 4, 5])
    values = Values(growing.datasets, growing.means, n_features=dict(zip("abcde", (2, 4, 8, 16, 32))))
    check = claims_by_tests.grows_with_features("error", "A", "B")
    assert check(values).answer == "yes"
    assert check(growing).answer == claims.NOT_TESTED


def test_chosen_settings():
    choices = {("a", "A"): {"k": 3}, ("b", "A"): {"k": 9}, ("c", "A"): {"k": 7}, ("c", "B"): {"k": 1}}
    found = claims_by_tests.chosen("A", "k", lambda k: k >= 7)(Values(("a", "b", "c"), {}, choices=choices))
    assert found == claims.Verdict("yes", 2, 3, "not on a (3)")


def test_chosen_means_are_compared_over_sets_that_have_all_of_them():
    choices = {("a", "A"): {"k": 9}, ("a", "B"): {"k": 3}, ("b", "A"): {"k": 3}, ("b", "B"): {"k": 5}}
    values = Values(("a", "b", "c"), {}, choices={**choices, ("c", "B"): {"k": 99}})
    assert claims_by_tests.chosen_more("A", "k", ("B",))(values).answer == "yes"
    assert claims_by_tests.chosen_more("B", "k", ("A",))(values).text == "no (mean over 2 sets: B 4.0, A 6.0)"
    assert claims_by_tests.chosen_more("A", "k", ("C",))(values).answer == claims.NOT_TESTED
