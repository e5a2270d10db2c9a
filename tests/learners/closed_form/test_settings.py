"""Checks of settings: what is meant passes, what cannot be meant is named."""

import numpy as np
import pytest

from nearkin.learners.closed_form.settings import check_count, check_n_components, check_number, check_word


def test_what_is_meant_passes():
    for value in (None, "auto", 1, np.int64(4)):
        check_n_components(value, 4, words=("auto", None))
    check_n_components(1000, None)
    check_count("k", np.int32(1))
    check_number("share", np.float32(0.5), 0, 1)
    check_number("share", 1, 0, 1)
    check_word("view", "near", ("near", "far"))


@pytest.mark.parametrize("value", [0, 5, 1.5, True, "auto", "all"])
def test_numbers_of_components_that_cannot_be_meant(value):
    with pytest.raises(ValueError, match=r"n_components=.*expected None or an integer from 1 to 4"):
        check_n_components(value, 4)


@pytest.mark.parametrize("value", [0, 2.0, True, None, "5"])
def test_counts_that_cannot_be_meant(value):
    with pytest.raises(ValueError, match=r"k=.*at least 1"):
        check_count("k", value)


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan, True, "x", None])
def test_numbers_that_cannot_be_meant(value):
    with pytest.raises(ValueError, match=r"share=.*from 0 to 1"):
        check_number("share", value, 0, 1)


@pytest.mark.parametrize("value", ["Near", None, 3, ["near"]])
def test_words_that_cannot_be_meant(value):
    with pytest.raises(ValueError, match=r"view=.*one of"):
        check_word("view", value, ("near", "far"))
