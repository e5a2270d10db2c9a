"""Comparison as a library: from data to candidates, runner, leaderboard, views and saved winner.

`compare` is what the command line and a notebook both call; it returns a `Study`.
"""

from nearkin import _discovery

# Loaded on first use: the command line's help asks for constants of this room only.
__getattr__, __dir__ = _discovery.lazy_names(
    __name__,
    dict,
    homes={
        "Study": "nearkin.study.study",
        "compare": "nearkin.study.study",
        "hubness_by_folds": "nearkin.study.hubness",
        "make_model": "nearkin.study.models",
    },
)
