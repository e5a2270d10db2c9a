"""What the tricks of the engine room, the solvers and the fits are worth: whole fits with each switched off.

::

    python -m benchmarks.tricks                       # a table in Markdown: some minutes
    python -m benchmarks.tricks variance_share expansion --repeats 5

Figures are CPU time relative to the default, the least of several fits taken in turn with it, on one thread;
where the objective ends more than 1 % apart, by how much is said too. A trick that saves less than a
tenth of a fit on every set is removed, with its lines.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import fields, replace

from benchmarks.labelled import labelled_data

STEPS = 30
#: Learner, data, rows, features.
CASES = (
    ("NCA", "digits", 1_257, 64),
    ("NCA", "letter", 2_500, 16),
    ("NCA", "mnist", 2_500, 50),
    ("NCA", "mixture", 3_000, 100),
    ("MEGM", "digits", 1_257, 64),
    ("MEGM", "letter", 2_500, 16),
    ("MEGM", "mnist", 2_500, 50),
    ("MEGM", "mixture", 2_500, 50),
    ("LMNN", "digits", 1_257, 64),
    ("LMNN", "letter", 2_500, 16),
    ("LMNN", "mnist", 2_500, 164),
    ("LMNN", "mixture", 2_500, 50),
    ("LMNN", "isolet", 1_500, 617),
)
NEVER = 10**9
#: What each field is when its trick is off, and what that means.
OFF = {
    "variance_share": (1.0, "no principal dimensions"),
    "evaluations_ahead": (1.0, "lists for one evaluation ahead"),
    "entered_share": (0.01, "twice as many may come in"),
    "largest_margin": (0.0, "no list is kept"),
    "listed_per_near": (float("inf"), "no list is too long"),
    "largest_listed_share": (0.08, "half as long lists"),
    "rows_probed": (120, "twice as many rows probed"),
    "neglected_share": (5e-5, "half as much neglected"),
    "expansion": (4.0, "steps grow by 4"),
    "negligible_fall": (0.0, "no bracket is given up"),
    "first_step": (float("inf"), "a first step of one"),
    "steps_to_settle": (1, "one step settles"),
    "gradient_share": (1.0, "a gradient vanishes sooner"),
    "smallest_sampled": (NEVER, "no sample"),
    "narrow": (0.0, "never narrow"),
    "steps_per_look": (NEVER, "no look at the other sample"),
    "float32_from": (NEVER, "float64"),
    "_coordinates": (lambda self, objective: None, "no whitened coordinates"),
    "_improved_start": (lambda self, objective, theta: theta, "no fitting scale of the start"),
}


def usual(learner: str) -> dict:
    """The policies of a learner, by the places where a fit takes them."""
    from nearkin.learners.gradient.lmnn import LARGE_MARGIN_DESCENT
    from nearkin.learners.gradient.policy import FitPolicy
    from nearkin.losses.megm import MEGM_POLICY
    from nearkin.pairwise import ListPolicy, SoftPolicy
    from nearkin.solvers.policy import DescentPolicy

    pairs = {"NCA": SoftPolicy(), "MEGM": MEGM_POLICY, "LMNN": ListPolicy()}[learner]
    descent = LARGE_MARGIN_DESCENT if learner == "LMNN" else DescentPolicy()
    return {"pairs": pairs, "descent": descent, "fit": FitPolicy()}


def without(policies: dict, name: str, learner: str) -> dict | None:
    """The same with one trick off; None where the learner does not have it."""
    value = OFF[name][0]
    if name.startswith("_"):
        return {**policies, "methods": {name: value}} if learner == "LMNN" else None
    for place, policy in policies.items():
        if name in (field.name for field in fields(policy)):
            changed = replace(policy, **{name: value})
            return {**policies, place: changed} if changed != policy else None
    if learner == "MEGM" and hasattr(policies["fit"].coarse, name):
        coarse = replace(policies["fit"].coarse, **{name: value})
        return {**policies, "fit": replace(policies["fit"], coarse=coarse)}
    return None


def fit(learner: str, X, y, pairs, descent, fit, methods=None):
    """CPU seconds and objective of a fit of at most `STEPS` steps with these policies."""
    import nearkin
    from nearkin.losses import LargeMarginLoss, MEGMLoss, NCALoss
    from nearkin.solvers import LBFGS

    loss = {"NCA": NCALoss, "MEGM": MEGMLoss, "LMNN": LargeMarginLoss}[learner](policy=pairs)
    solver = LBFGS(STEPS, 1e-5, descent)
    members = {
        "_loss": lambda self: loss,
        "_solver": lambda self: solver,
        "fit_policy": fit,
        **(methods or {}),
    }
    kind = type(learner, (getattr(nearkin, learner),), members)
    settings = {"NCA": {}, "MEGM": {"early_stopping": False}, "LMNN": {"refresh_targets": 0}}[learner]
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = kind(euclid_share=0.0, **settings).fit(X, y)
    return time.process_time() - start, estimator.objective_


def measured(case: tuple, names: list, repeats: int) -> dict:
    """Ratios of time and objective to the default, by trick."""
    learner, name, n, d = case
    X, y, _, _ = labelled_data(name, n, d)
    policies = usual(learner)
    fit(learner, X, y, **policies)
    found = {}
    for trick in names:
        changed = without(policies, trick, learner)
        if changed is not None:
            pairs = [[fit(learner, X, y, **given) for given in (changed, policies)] for _ in range(repeats)]
            off, on = (min(seconds for seconds, _ in results) for results in zip(*pairs))
            found[trick] = off / on, pairs[0][0][1] / pairs[0][1][1]
    return found


def table(columns: dict, names: list) -> str:
    """Markdown with a row for each trick and a column for each learner, its data in the order of `CASES`.

    >>> print(table({("NCA", "digits", 1_257, 64): {"expansion": (1.2, 2.0)}}, ["expansion"]))
    | off | NCA: digits |
    |---|---|
    | `expansion`: steps grow by 4 | 1.20 (objective 2.00) |
    """
    learners = {learner: [case for case in columns if case[0] == learner] for learner, *_ in columns}
    heads = [f"{learner}: {', '.join(case[1] for case in cases)}" for learner, cases in learners.items()]
    lines = ["| off | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for name in names:
        groups = [
            [columns[case][name] for case in cases if name in columns[case]] for cases in learners.values()
        ]
        cells = [", ".join(cell(*found) for found in group) for group in groups]
        lines.append(f"| `{name}`: {OFF[name][1]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def cell(seconds: float, objective: float) -> str:
    """The ratio of times, and that of the objectives where it is not about one."""
    return f"{seconds:.2f}" + ("" if abs(objective - 1) <= 0.01 else f" (objective {objective:.2f})")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tricks", description=__doc__)
    parser.add_argument("names", nargs="*", help="fields; all by default")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    names = options.names or list(OFF)
    columns = {}
    for case in CASES:
        print("{} {} {:,}".format(*case[:3]), file=sys.stderr, flush=True)
        columns[case] = measured(case, names, options.repeats)
    print(table(columns, names))
    return 0


if __name__ == "__main__":
    sys.exit(main())
