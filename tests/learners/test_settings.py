"""Checks of settings: what is meant passes, what cannot be meant is named."""

import numpy as np
import pytest

from nearkin.learners.settings import check_choice, check_count, check_number, check_positive, check_share


def test_what_is_meant_passes():
    for value in (None, "auto", 1, np.int64(4)):
        check_count(most=4, words=("auto", None), n_components=value)
    check_count(words=(None,), n_components=1000)
    check_count(k=np.int32(1))
    check_number(high=1, share=np.float32(0.5))
    check_number(high=1, share=1)
    check_choice(("near", "far"), view="near")


@pytest.mark.parametrize("value", [0, 5, 1.5, True, "auto", "all"])
def test_numbers_of_components_that_cannot_be_meant(value):
    with pytest.raises(ValueError, match=r"n_components=.*expected None or an integer from 1 to 4"):
        check_count(most=4, words=(None,), n_components=value)


@pytest.mark.parametrize("value", [0, 2.0, True, None, "5"])
def test_counts_that_cannot_be_meant(value):
    with pytest.raises(ValueError, match=r"k=.*at least 1"):
        check_count(k=value)


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan, True, "x", None])
def test_numbers_that_cannot_be_meant(value):
    with pytest.raises(ValueError, match=r"share=.*from 0 to 1"):
        check_number(high=1, share=value)


@pytest.mark.parametrize("value", ["Near", None, 3, ["near"]])
def test_words_that_cannot_be_meant(value):
    with pytest.raises(ValueError, match=r"view=.*one of"):
        check_choice(("near", "far"), view=value)


@pytest.mark.parametrize(("check", "value"), [(check_positive, 0), (check_share, 1), (check_share, -0.1)])
def test_open_ends_are_not_included(check, value):
    with pytest.raises(ValueError, match=r"ridge=.*expected"):
        check(ridge=value)
