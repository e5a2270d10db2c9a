"""What the thresholds of the engine room and the solvers are worth: whole fits with each halved and doubled.

::

    python -m benchmarks.policy_fields                 # a table in Markdown: some minutes
    python -m benchmarks.policy_fields tile_rows oldest

Figures are CPU time relative to the default, the least of several fits taken in turn with it, on one thread;
where the objective ends more than 1 % apart, by how much is said too. A field for which neither value matters
anywhere is a candidate for removal.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from dataclasses import fields, replace

from benchmarks.labelled import labelled_data

STEPS = 30
#: Learner, data, rows, features: sharp neighbourhoods, broad ones, many impostors.
CASES = (
    ("NCA", "mnist", 2_500, 50),
    ("MEGM", "letter", 2_500, 16),
    ("LMNN", "mnist", 2_500, 164),
    ("LMNN", "mixture", 2_500, 50),
)


def fit(learner: str, X, y, pairs, descent):
    """CPU seconds and objective of a fit of at most `STEPS` steps with these policies."""
    import nearkin
    from nearkin.losses import LargeMarginLoss, MEGMLoss, NCALoss
    from nearkin.solvers import LBFGS

    losses = {"NCA": NCALoss(pairs), "MEGM": MEGMLoss(policy=pairs), "LMNN": LargeMarginLoss(policy=pairs)}
    kind = type(learner, (getattr(nearkin, learner),), {"_loss": lambda self: losses[learner]})
    settings = {"early_stopping": False} if learner == "MEGM" else {}
    estimator = kind(solver=LBFGS(STEPS, 1e-5, descent), euclid_share=0.0, **settings)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, y)
    return time.process_time() - start, estimator.objective_


def usual_policies(learner: str) -> tuple:
    from nearkin.losses.megm import MEGM_POLICY
    from nearkin.pairwise import HingePolicy, SoftPolicy
    from nearkin.solvers.policy import DescentPolicy

    return {"NCA": SoftPolicy(), "MEGM": MEGM_POLICY, "LMNN": HingePolicy()}[learner], DescentPolicy()


def variants(policy, names: list):
    """(class and field, factor, policy with that field changed) for every number, inner policies too."""
    for field in fields(policy):
        value = getattr(policy, field.name)
        if hasattr(value, "__dataclass_fields__"):
            for label, factor, inner in variants(value, names):
                yield label, factor, replace(policy, **{field.name: inner})
        elif not names or field.name in names:
            for factor in (0.5, 2.0):
                changed = replace(policy, **{field.name: type(value)(value * factor)})
                yield f"{type(policy).__name__}.{field.name}", factor, changed


def measured(case: tuple, names: list, repeats: int) -> dict:
    """Ratios of time and objective to the default, by field and factor."""
    learner, name, n, d = case
    X, y, _, _ = labelled_data(name, n, d)
    pairs, descent = usual_policies(learner)
    todo = [(label, factor, changed, descent) for label, factor, changed in variants(pairs, names)]
    todo += [(label, factor, pairs, changed) for label, factor, changed in variants(descent, names)]
    fit(learner, X, y, pairs, descent)
    found = {}
    for label, factor, *policies in todo:
        times = [[], []]
        for _ in range(repeats):
            for which, given in enumerate((policies, (pairs, descent))):
                seconds, objective = fit(learner, X, y, *given)
                times[which].append(seconds)
                if which:
                    usual = objective
                else:
                    changed = objective
        found[label, factor] = min(times[0]) / min(times[1]), changed / usual
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.policy_fields", description=__doc__)
    parser.add_argument("names", nargs="*", help="fields; all by default")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    table: dict = {}
    titles = []
    for case in CASES:
        titles.append("{}, {} {:,} x {}".format(*case))
        print(titles[-1], file=sys.stderr, flush=True)
        for (label, factor), result in measured(case, options.names, options.repeats).items():
            table.setdefault((label, factor), {})[titles[-1]] = result
    print("| field | | " + " | ".join(titles) + " |")
    print("|---|---" * 1 + "|---" * len(titles) + "|")
    for (label, factor), results in sorted(table.items()):
        cells = []
        for title in titles:
            ratio, objective = results.get(title, (None, 1.0))
            cell = "" if ratio is None else f"{ratio:.2f}"
            cells.append(cell if abs(objective - 1) <= 0.01 else f"{cell} (objective {objective:.2f})")
        print(f"| `{label}` | {'halved' if factor < 1 else 'doubled'} | " + " | ".join(cells) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
