"""Gonzalez, Morell, Ferri (2016): metric learning for multi-target nearest neighbours (DMLMTP)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from nearkin.evaluation import Candidate, Folds, RandomSplits
from nearkin.experiments.claims import Claim, Verdict, at_least, below, counted, lower
from nearkin.experiments.claims_by_tests import grows_with_features, lower_by_wilcoxon
from nearkin.experiments.drawings import neighbour_curves
from nearkin.experiments.figures import Figure
from nearkin.experiments.metric_curves import EUCLID, DistanceVotingRegressor, MetricPathRegressor
from nearkin.experiments.paper import DatasetUse, Method, Paper, Setup
from nearkin.experiments.published import PublishedTable
from nearkin.experiments.relative_error import VARYING_ARRMSE
from nearkin.experiments.statistics import signed_ranks, wilcoxon
from nearkin.experiments.values import Values

# The paper's reading: the best point of the curves over all settings, chosen by the test rows.
KNN_SP, LEARNED = "KNN-SP", "DMLMTP"
# The strict reading: the same settings, chosen inside the training rows.
TUNED_KNN_SP, TUNED = "KNN-SP tuned", "DMLMTP tuned"
# Beyond the paper, and chosen inside the training rows.
MIXED, FULL = "DMLMTP + Euclid tuned", "DMLMTP full tuned"
WEIGHTED_KNN_SP, WEIGHTED = "KNN-SP 1/d tuned", "DMLMTP + Euclid 1/d tuned"
NEIGHBOURS = tuple(range(3, 36, 2))
TRIPLET_NEIGHBOURS, FEW_TRIPLET_NEIGHBOURS = (2, 3, 4, 5, 6), (2, 4, 6)
NUS, FEW_NUS, QUICK_NUS = (1.0, 0.98, 0.95, 0.9, 0.8), (1.0, 0.95, 0.9, 0.8), (1.0, 0.9)
EUCLID_SHARES = (0.0, 0.25, 0.5, 0.75)
#: How far a full metric is drawn towards the diagonal one (1 would be the diagonal one itself).
SHRINKAGES, FEW_SHRINKAGES = (0.0, 0.5, 0.9), (0.0, 0.5)
#: Most rows and features for which the full metric is tuned.
FULL_SIZE, QUICK_FULL_SIZE = (1200, 100), (200, 100)

TABLE_2 = PublishedTable.by_dataset(
    "Table 2",
    "aRRMSE",
    """
    Dataset | DMLMTP | KNN-SP
    sf1     | 0.971  | 0.973
    sf2     | 0.976  | 0.977
    wq      | 0.947  | 0.948
    edm     | 0.823  | 0.836
    oes97   | 0.704  | 0.716
    oes10   | 0.574  | 0.605
    atp1d   | 0.415  | 0.451
    atp7d   | 0.515  | 0.605
    rf1     | 0.238  | 0.290
    osales  | 1.012  | 1.012
    scpf    | 0.956  | 0.958
    jura    | 0.674  | 0.725
    enb     | 0.134  | 0.283
    slump   | 0.682  | 0.760
    andro   | 0.799  | 0.931
    rf2     | 0.460  | 0.516
    """,
    dimensions={
        "sf1": 10,
        "sf2": 10,
        "wq": 16,
        "edm": 16,
        "oes97": 263,
        "oes10": 298,
        "atp1d": 411,
        "atp7d": 411,
        "rf1": 64,
        "osales": 413,
        "scpf": 23,
        "jura": 15,
        "enb": 8,
        "slump": 7,
        "andro": 30,
        "rf2": 576,
    },
    remark=f"{KNN_SP} and {LEARNED} at the settings best for the test rows, as in the paper; all other "
    "columns chosen inside the training rows",
)
#: Said wherever these two columns are read.
BY_TEST_ROWS = f"{KNN_SP} and {LEARNED} are at the settings best for the test rows, as in the paper."
QUICK_ROWS = {"rf1": 1500, "rf2": 1500}
#: Training and test rows of the sets that the paper splits once.
SPLIT_ONCE = {"atp1d": (201, 136), "atp7d": (188, 108), "rf1": (4108, 5017), "rf2": (4108, 5017)}
#: How often they are split here: the small ones more often, as their error depends on the split.
N_SPLITS = {"atp1d": 60, "atp7d": 60, "rf1": 5, "rf2": 5}
#: Why atp1d and atp7d are worse (`python -m benchmarks.printed_reasons splits`).
SPLIT_UNKNOWN = (
    "which of the rows the paper trains on is not known, and the error depends on it: over 60 random splits "
    "KNN-SP, each time at the best point of its own curve, has 0.464 ± 0.031 on atp1d, at most the printed "
    "0.451 on 43 % of them, and 0.638 ± 0.051 on atp7d, at most the printed 0.605 on 25 %; that is not all "
    "of DMLMTP's difference on atp7d, whose gain over KNN-SP is smaller here"
)
#: The sets of more than 1,000 rows.
LARGE = ("sf2", "wq", "rf1", "scpf", "rf2")
#: Those on which the paper's metrics have many weights of zero.
SPARSE = ("osales", "rf1", "scpf")
REMARKS = {
    "rf1": "missing cells filled with the median",
    "rf2": "missing cells filled with the median",
    "sf1": "10 categorical attributes, one-hot (24 columns)",
    "sf2": "10 categorical attributes, one-hot (24 columns)",
    "osales": "401 of 413 features, missing cells filled with the median",
    "scpf": "missing cells filled with the median",
    "oes10": "403 rows; the paper counts 410",
}


def _split_protocol(label: str) -> RandomSplits | None:
    if label not in SPLIT_ONCE:
        return None
    train, test = SPLIT_ONCE[label]
    return RandomSplits(N_SPLITS[label], test_share=test / (train + test), stratified=False)


def _paper_points(setup: Setup, shares: tuple[float, ...] = (0.0,)) -> list[tuple]:
    """K, nu, shrinkage and share of Euclid of each diagonal metric."""
    if setup.quick:
        return list(product(FEW_TRIPLET_NEIGHBOURS, QUICK_NUS, (1.0,), shares))
    return list(product(TRIPLET_NEIGHBOURS, NUS, (1.0,), shares))


def _full_points(setup: Setup) -> list[tuple]:
    """The same for full metrics, fewer because each takes longer."""
    nus, shrinkages = (QUICK_NUS, FEW_SHRINKAGES) if setup.quick else (FEW_NUS, SHRINKAGES)
    return list(product(FEW_TRIPLET_NEIGHBOURS, nus, shrinkages, EUCLID_SHARES))


def _curves(
    setup: Setup, label: str, metric: str, points=(), *, by_test_rows=False, regressor=MetricPathRegressor
) -> Candidate:
    """KNN-SP under every metric of a path that is learned as a whole.

    The setting is chosen inside the training rows, or by the test rows where the paper does so.
    """
    offered = tuple(point for point in points if point[0] < setup.smallest_training_part)
    grid: dict[str, list] = {"model__n_neighbors": setup.neighbour_counts(NEIGHBOURS)}
    if offered:
        grid["model__metric_point"] = list(offered)
    model = regressor(metric, offered, contradictory="error" if by_test_rows else EUCLID)
    return Candidate(
        label,
        Pipeline([("scale", MinMaxScaler()), ("model", model)]),
        grid,
        predict_time=tuple(grid),
        every_setting=by_test_rows,
    )


def few_neighbours(method: str, most: int, among: Sequence[str]) -> Callable[[Values], Verdict]:
    """The best metric of the method is learned from at most this many neighbours (K)."""

    def check(values: Values) -> Verdict:
        points = {label: values.choices.get((label, method), {}).get("metric_point") for label in among}
        found = {label: point[0] for label, point in points.items() if point}
        failing = [f"{label} ({K})" for label, K in found.items() if most < K]
        absent = [label for label in among if label not in found]
        remarks = [f"no numbers of {', '.join(absent)}"] if absent else []
        return counted(list(found), failing, remarks=remarks)

    return check


def _exceeds(setup: Setup, size: tuple[int, int]) -> bool:
    return setup.data.n_samples > size[0] or setup.encoded.n_features > size[1]


def _no_full(setup: Setup) -> str:
    if _exceeds(setup, QUICK_FULL_SIZE if setup.quick else FULL_SIZE):
        return "too large to be tuned in reasonable time"
    return ""


PAPER = Paper(
    key="gonzalez2016",
    citation=(
        "H. Gonzalez, C. Morell, F. J. Ferri, Improving nearest neighbor based multi-target prediction "
        "through metric learning, CIARP 2016"
    ),
    datasets=tuple(
        DatasetUse(
            f"mtr-{label}",
            label,
            protocol=_split_protocol(label),
            quick_rows=QUICK_ROWS.get(label),
            remark=REMARKS.get(label, ""),
        )
        for label in TABLE_2.rows
    ),
    methods=(
        Method(KNN_SP, lambda setup: _curves(setup, KNN_SP, EUCLID, by_test_rows=True)),
        Method(
            LEARNED,
            lambda setup: _curves(setup, LEARNED, "diagonal", _paper_points(setup), by_test_rows=True),
            own=True,
        ),
        Method(TUNED_KNN_SP, lambda setup: _curves(setup, TUNED_KNN_SP, EUCLID)),
        Method(TUNED, lambda setup: _curves(setup, TUNED, "diagonal", _paper_points(setup))),
        Method(MIXED, lambda setup: _curves(setup, MIXED, "diagonal", _paper_points(setup, EUCLID_SHARES))),
        Method(FULL, lambda setup: _curves(setup, FULL, "full", _full_points(setup)), _no_full),
        Method(
            WEIGHTED_KNN_SP,
            lambda setup: _curves(setup, WEIGHTED_KNN_SP, EUCLID, regressor=DistanceVotingRegressor),
        ),
        Method(
            WEIGHTED,
            lambda setup: _curves(
                setup,
                WEIGHTED,
                "diagonal",
                _paper_points(setup, EUCLID_SHARES),
                regressor=DistanceVotingRegressor,
            ),
        ),
    ),
    protocol=Folds(5),
    quick_protocol=Folds(5),
    metric=VARYING_ARRMSE,
    tables=(TABLE_2,),
    claims=(
        Claim(
            "DMLMTP is equal to or better than KNN-SP on all sets (both at their best for the test rows)",
            lower("aRRMSE", LEARNED, KNN_SP),
        ),
        Claim(
            "... and significantly better over all sets (Wilcoxon; p = 6.1e-5 in the paper)",
            lower_by_wilcoxon("aRRMSE", LEARNED, KNN_SP),
        ),
        Claim(
            "The difference increases with the number of features (here: a rank correlation above 0, p < "
            "0.05)",
            grows_with_features("aRRMSE", LEARNED, KNN_SP),
        ),
        Claim(
            "Over large sets the best performance of DMLMTP is obtained with small K (here: 2 or 3 of 2 to 6 "
            "on sets of more than 1,000 rows)",
            few_neighbours(LEARNED, 3, LARGE),
            in_quick=False,
        ),
        Claim(
            "Less than half of the weights are zero on all sets but osales, rf1 and scpf",
            below(
                "sparsity",
                [LEARNED],
                math.nextafter(0.5, 0),
                [label for label in TABLE_2.rows if label not in SPARSE],
            ),
        ),
        Claim("... and half of them or more on these three", at_least("sparsity", LEARNED, 0.5, SPARSE)),
        Claim(
            "DMLMTP lowers the aRRMSE of KNN-SP by 40 % or more on enb (by 53 % in the paper's table; both "
            "at their best for the test rows)",
            lower("aRRMSE", LEARNED, KNN_SP, factor=0.6, among=("enb",)),
            beyond=True,
        ),
        Claim(
            "With every setting chosen inside the training rows, DMLMTP is equal to or better than KNN-SP on "
            "all sets",
            lower("aRRMSE", TUNED, TUNED_KNN_SP),
            beyond=True,
        ),
        Claim(
            "With every setting chosen inside the training rows, DMLMTP is significantly better over all "
            "sets (Wilcoxon)",
            lower_by_wilcoxon("aRRMSE", TUNED, TUNED_KNN_SP),
            beyond=True,
        ),
        Claim(
            "With a share of Euclid left in it, the learned metric is equal to or better than KNN-SP on all "
            "sets",
            lower("aRRMSE", MIXED, TUNED_KNN_SP),
            beyond=True,
        ),
        Claim(
            "... and significantly better over all sets (Wilcoxon)",
            lower_by_wilcoxon("aRRMSE", MIXED, TUNED_KNN_SP),
            beyond=True,
        ),
        Claim(
            "A full metric is equal to or better than the diagonal one (both with a share of Euclid) on most "
            "sets that it is run on",
            lower("aRRMSE", FULL, MIXED, needs="most"),
            beyond=True,
        ),
        Claim(
            "Where votes are weighted by 1 / distance, the diagonal metric (with a share of Euclid) is equal "
            "to or better than KNN-SP with such votes on most sets",
            lower("aRRMSE", WEIGHTED, WEIGHTED_KNN_SP, needs="most"),
            beyond=True,
        ),
    ),
    statistics=(
        signed_ranks("aRRMSE", LEARNED, KNN_SP, decimals=3, remark=BY_TEST_ROWS),
        wilcoxon(
            "aRRMSE",
            [
                (LEARNED, KNN_SP),
                (TUNED, TUNED_KNN_SP),
                (MIXED, TUNED_KNN_SP),
                (FULL, TUNED_KNN_SP),
                (FULL, MIXED),
                (WEIGHTED, WEIGHTED_KNN_SP),
            ],
            remark=BY_TEST_ROWS,
        ),
    ),
    facts=(
        "five-fold cross-validation; for atp1d, atp7d, rf1 and rf2 random splits of the paper's sizes; K of "
        "2 to 6 for the triplets, an odd number of 3 to 35 neighbours for prediction (andro: to 25)"
    ),
    deviations=(
        "The columns KNN-SP and DMLMTP, here as in the paper, are the best points of the test curves over K "
        "and the number of neighbours (of KNN-SP over the latter only), and here over five values of nu "
        "too, of which the paper says nothing: optimistic, the more so the more settings there are. All "
        "columns named tuned choose every setting by three folds inside the training part and show what to "
        "expect. On atp1d, atp7d and rf1 the curves are means over the splits here, with one best point, "
        "where the paper's are of a single split: ours are less optimistic there.",
        "The paper does not say which nu it tried (here 1, 0.98, 0.95, 0.9 and 0.8) nor whether inputs are "
        "scaled (here to [0, 1]).",
        "A target that is constant in the test rows of a fold is left out of that fold: relative to the "
        "spread around its training mean its error has any size, and on sf1 and sf2, where flares are rare, "
        "the printed numbers cannot be reached if it is kept (KNN-SP on three draws of the folds of sf2: "
        "1.04 to 1.25 with, 0.95 to 0.97 without; printed 0.977).",
        "atp1d and atp7d are split sixty times, rf1 and rf2 five times, at random into parts of the paper's "
        "sizes: the errors of atp1d and atp7d scatter by 0.03 to 0.07 from split to split, so that a mean "
        "over sixty is known to 0.004 to 0.009. The paper splits all four once and does not say how: with "
        "the first rows to train KNN-SP has an aRRMSE of 0.61, 0.89 and 1.0 on atp1d, atp7d and rf1, so "
        "these were not its training parts (0.451, 0.605, 0.290).",
        "Rows are shuffled before they are cut into folds, and much depends on it: in the order of the "
        "files KNN-SP has 0.94 on andro and 0.86 on edm, near the printed 0.93 and 0.84, but 0.56 and 0.74 "
        "on another draw of shuffled rows than that of the table, as rows that follow each other are alike. "
        "On oes97, oes10, osales and scpf Euclid is far below print in either order, scaled or not (0.54, "
        "0.46, 0.87 and 0.84 in the order of the files; printed 0.72, 0.61, 1.01 and 0.96): the paper's "
        "rows or targets were others there. That we are at or below print on these sets says nothing of the "
        "method; the difference between the columns does.",
        "Targets are standardised before their distances are compared, and comparisons that tie are left "
        "out (the paper: distances of the targets as they are, and ties belong). The problem is solved by a "
        "Newton method to a relative duality gap of 0.001, the paper's by an SMO that it does not describe; "
        "how many weights are exactly zero may depend on that. On sf1 and sf2 they are counted over 24 "
        "one-hot columns, not over the 10 attributes. Errors are relative to the mean of the training rows.",
        "Settings whose triplets contradict each other in a fold have no point on the curves; where one is "
        "chosen inside the training rows, plain Euclid predicts.",
        "DMLMTP + Euclid leaves a share of 0 to 0.75 of plain Euclid in the metric; DMLMTP full is a "
        "positive semidefinite matrix, mixed with 0, 0.5 or 0.9 of the diagonal one and again a share of "
        "Euclid, with K of 2, 4 and 6 and nu of 1, 0.95, 0.9 and 0.8; the columns with 1/d weight the votes "
        "of the neighbours by 1 / distance. The paper has none of these.",
    ),
    quick_deviations=(
        "K of 2, 4 and 6 and nu of 1 and 0.9; rf1 and rf2 cut to 1,500 of 9,125 rows; five folds of atp1d, "
        "atp7d, rf1 and rf2 too; full metrics are mixed with 0 or 0.5 of the diagonal one and left out above "
        "200 rows or 100 features.",
    ),
    figures=(
        Figure(
            "Figure 1: aRRMSE over the number of neighbours",
            "curves of KNN-SP and of DMLMTP at its best K over 3 to 35 neighbours for nine of the sixteen "
            "sets, the best points marked by a circle and a diamond.",
            neighbour_curves(tuple(TABLE_2.rows), {KNN_SP: None, LEARNED: "model__metric_point"}),
        ),
    ),
    reasons={
        ("aRRMSE", label, method): SPLIT_UNKNOWN
        for label in ("atp1d", "atp7d")
        for method in (KNN_SP, LEARNED)
    },
    further_metrics=("sparsity",),
)
