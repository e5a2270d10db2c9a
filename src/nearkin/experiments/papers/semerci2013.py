"""Semerci, Alpaydin (2013): mixtures of large margin nearest neighbour classifiers (MoLMNN)."""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from nearkin.evaluation import Candidate, FiveByTwo
from nearkin.experiments.claims import Claim, higher
from nearkin.experiments.claims_by_tests import chosen, chosen_more, higher_by_f_test, several_chosen
from nearkin.experiments.drawings import map_panel, validation_curves
from nearkin.experiments.estimators import neighbours
from nearkin.experiments.figures import Figure, Material
from nearkin.experiments.halving import Halving
from nearkin.experiments.paper import DatasetUse, Method, Paper, Setup
from nearkin.experiments.published import PublishedTable
from nearkin.experiments.statistics import five_by_two
from nearkin.learners.gradient import LMCA, LMNN, MoLMNN

NEIGHBOURS, QUICK_NEIGHBOURS = (3, 5, 7, 9), (3, 9)
EXPLAINED, QUICK_EXPLAINED = (0.90, 0.95, 0.98), (0.95,)
REGIONS, QUICK_REGIONS = tuple(range(1, 11)), (1, 3)
GATES = ("softmax", "sigmoid")
QUICK_ROUNDS = 8
#: The set that figures are drawn of.
MAPPED = "Musk"

TABLE_2 = PublishedTable.by_dataset(
    "Table 2",
    "accuracy",
    """
    Data set       | MoLMNN     | LMCA        | LMNN
    Abalone        | 77.86±1.01 | 78.21±1.97  | 78.03±1.33
    Arabidopsis    | 81.89±0.97 | 77.21±1.92  | 69.24±2.17
    Australian     | 86.17±1.42 | 85.83±2.15  | 86.43±1.08
    Bupa           | 61.65±4.27 | 58.61±2.79  | 59.57±3.13
    Ctg            | 89.73±0.80 | 89.96±0.62  | 89.83±0.71
    Faults         | 98.52±0.58 | 98.48±0.25  | 98.56±0.16
    German Numeric | 70.21±2.27 | 72.10±2.84  | 72.01±1.95
    Heart          | 83.89±4.10 | 82.44±4.38  | 85.22±3.10
    Ionosphere     | 81.54±2.36 | 83.25±2.65  | 82.91±2.88
    Mg             | 83.58±0.79 | 82.34±0.61  | 82.34±0.61
    Musk           | 86.01±2.66 | 80.82±2.88  | 79.62±4.00
    Optdigits      | 96.98±0.31 | 97.26±0.35  | 97.33±0.35
    Pendigits      | 97.33±0.31 | 97.49±0.15  | 97.31±0.23
    Pima           | 72.93±0.96 | 73.32±1.90  | 73.32±1.90
    Segment        | 99.95±0.14 | 100.00±0.00 | 100.00±0.00
    Sonar          | 76.52±3.60 | 71.16±3.01  | 68.55±5.11
    Splice         | 89.03±0.71 | 84.97±0.83  | 85.81±0.76
    Transfusion    | 78.67±1.13 | 79.40±1.34  | 79.36±1.37
    Wdbc           | 94.97±1.35 | 94.02±2.23  | 94.29±1.94
    Yeast          | 60.57±2.58 | 59.39±2.38  | 59.33±2.52
    Yale           | 93.51±0.77 | 94.90±0.50  | 92.77±0.56
    """,
)
# (k of MoLMNN, its regions and gate, k of LMCA, k of LMNN) that were chosen, in the order of the table.
CHOSEN = (
    (9, 1, "softmax", 9, 9), (9, 1, "sigmoid", 5, 3), (9, 7, "softmax", 5, 9),
    (5, 4, "sigmoid", 9, 9), (9, 2, "softmax", 5, 5), (9, 4, "sigmoid", 9, 9),
    (9, 1, "sigmoid", 9, 9), (5, 5, "sigmoid", 5, 7), (9, 3, "sigmoid", 3, 3),
    (9, 1, "softmax", 3, 3), (7, 4, "softmax", 5, 5), (9, 3, "sigmoid", 3, 3),
    (5, 2, "softmax", 3, 5), (9, 2, "softmax", 9, 9), (7, 9, "sigmoid", 7, 7),
    (7, 10, "sigmoid", 3, 3), (9, 1, "sigmoid", 5, 9), (9, 2, "sigmoid", 9, 9),
    (9, 4, "softmax", 7, 3), (9, 6, "sigmoid", 5, 5), (3, 3, "sigmoid", 3, 7),
)  # fmt: skip


#: Why cells fall short: what is reached where the thirds that are held out are other ones (two models each;
#: mean and standard deviation over the thirds). For Euclid, and for LMCA and LMNN on Faults, Heart and
#: Transfusion, settings are chosen anew (`python -m benchmarks.printed_reasons thirds`, the last two sets
#: with `--draws 10`); for all others they are those that the run chose.
_LUCK = "the luck of the held-out third: on five others it has {} %"
_NOT_OUR_THIRD = (
    "not known, and not our third: on ten others it has {} %, at least the printed number on two of them, "
    "and Euclid has {}"
)
_ALL_BELOW = (
    "not known: on five other thirds it has {} % and Euclid 97.2; the printed numbers of all three methods "
    "are 98.5 to 98.6"
)
_OVERFIT = "overfitting: after ten steps instead of convergence it has {} % on five other thirds, else {}"
_CODING = (
    "how the nucleotides are numbered, which the paper does not say: in other orders of the letters {} %"
)
REASONS = {
    ("Ctg", "LMCA"): _LUCK.format("89.8 ± 1.1"),
    ("Ctg", "LMNN"): _LUCK.format("89.7 ± 1.3"),
    ("Faults", "MoLMNN"): _ALL_BELOW.format("96.9 ± 0.8"),
    ("Faults", "LMCA"): _ALL_BELOW.format("97.3 ± 1.2"),
    ("Faults", "LMNN"): _ALL_BELOW.format("97.4 ± 1.0"),
    ("Heart", "LMNN"): _NOT_OUR_THIRD.format("81.3 ± 3.0", "82.1"),
    ("Musk", "LMCA"): _OVERFIT.format("84.9", "78.0"),
    ("Musk", "MoLMNN"): _LUCK.format("84.5 ± 3.1"),
    ("Sonar", "LMCA"): _OVERFIT.format("71.6", "61.3"),
    ("Splice", "LMCA"): _CODING.format("LMNN has 85.0 and 86.2"),
    ("Splice", "LMNN"): _CODING.format("it has 85.0 and 86.2"),
    ("Transfusion", "LMCA"): _NOT_OUR_THIRD.format("77.6 ± 2.0", "77.7"),
    ("Transfusion", "LMNN"): _NOT_OUR_THIRD.format("77.7 ± 1.9", "77.7"),
}


def explaining(X, shares) -> list[int]:
    """Numbers of principal components that explain these shares of the variance of z-scores.

    >>> explaining(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), [0.9])
    [1]
    """
    Z = StandardScaler().fit_transform(X)
    variances = np.linalg.svd(Z, compute_uv=False) ** 2
    reached = np.cumsum(variances) / variances.sum()
    return sorted({int(np.searchsorted(reached, share - 1e-12) + 1) for share in shares})


def _with_k(setup: Setup, label: str, learner, **grid) -> Candidate:
    """A candidate whose k is both the number of target neighbours in training and of neighbours that vote."""
    base = neighbours(label, [StandardScaler()], learner)
    settings = [
        {
            "model__n_neighbors": [k],
            "model__learner__n_targets": [k],
            **{f"model__learner__{name}": list(offered) for name, offered in grid.items()},
        }
        for k in (QUICK_NEIGHBOURS if setup.quick else NEIGHBOURS)
    ]
    return Candidate(label, base.estimator, settings)


def _dimensions(setup: Setup) -> list[int]:
    return explaining(setup.encoded.X, QUICK_EXPLAINED if setup.quick else EXPLAINED)


def _lmnn(setup: Setup) -> Candidate:
    return _with_k(setup, "LMNN", LMNN(euclid_share=0.0))


def _lmca(setup: Setup) -> Candidate:
    return _with_k(setup, "LMCA", LMCA(euclid_share=0.0), n_components=_dimensions(setup))


def _mixture(setup: Setup) -> Candidate:
    return _with_k(
        setup,
        "MoLMNN",
        MoLMNN(max_iter=QUICK_ROUNDS if setup.quick else 30, euclid_share=0.0),
        n_components=_dimensions(setup),
        n_regions=QUICK_REGIONS if setup.quick else REGIONS,
        gating=GATES,
    )


def _known(label: str, name: str, **options) -> DatasetUse:
    return DatasetUse(name, label, quick_rows=options.pop("quick_rows", 450), **options)


def _maps(material: Material) -> dict | None:
    """The set with the most features at hand, as the paper's is no longer available; fitted to all rows."""
    if MAPPED not in material.datasets:
        return None
    data = material.datasets[MAPPED]
    X, y = StandardScaler().fit_transform(data.X), np.asarray(data.y)
    projected = LMCA(2, euclid_share=0.0, random_state=0).fit(X, y).transform(X)
    mixture = MoLMNN(2, "softmax", 2, euclid_share=0.0, random_state=0).fit(X, y)
    region = mixture.region(X)
    panels = [
        map_panel("principal components", PCA(2).fit_transform(X), y),
        map_panel("LMCA", projected, y),
        *(
            map_panel(
                f"MoLMNN, region {number + 1}",
                mixture.region_embedding(X[region == number], number),
                y[region == number],
            )
            for number in range(2)
            if np.sum(region == number) > 1
        ),
    ]
    return {
        "kind": "maps",
        "text": f"the same of {MAPPED}, all rows, fitted to all of them.",
        "panels": panels,
    }


WINS = ("Arabidopsis", "Musk", "Yeast", "Sonar")

PAPER = Paper(
    key="semerci2013",
    citation="M. Semerci, E. Alpaydin, Mixtures of large margin nearest neighbor classifiers, ECML PKDD 2013",
    datasets=(
        _known(
            "Abalone",
            "abalone",
            remark="up to and above 9 rings; how the paper cut the ages into classes is not said",
        ),
        _known("Arabidopsis", "arabidopsis"),
        _known("Australian", "australian"),
        _known("Bupa", "bupa"),
        _known("Ctg", "ctg"),
        _known("Faults", "steel-faults", classes=("K_Scatch", "Bumps")),
        _known("German Numeric", "german-numeric"),
        _known("Heart", "heart-statlog"),
        _known("Ionosphere", "ionosphere"),
        _known("Mg", "mg"),
        _known("Musk", "musk1"),
        _known("Optdigits", "optdigits"),
        _known("Pendigits", "pendigits"),
        _known("Pima", "pima"),
        _known("Segment", "segment", classes=("sky", "window")),
        _known("Sonar", "sonar"),
        _known(
            "Splice",
            "splice-60",
            remark="nucleotides as 1 to 4 and two classes (a junction or none), as 60 features and the "
            "accuracies suggest",
        ),
        _known("Transfusion", "transfusion"),
        _known("Wdbc", "wdbc"),
        _known("Yeast", "yeast", classes=("NUC", "CYT")),
        _known("Yale", "yale"),
    ),
    methods=(Method("MoLMNN", _mixture, own=True), Method("LMCA", _lmca), Method("LMNN", _lmnn)),
    halving=Halving(keep=1 / 3, at_least=3, after=(1, 2, 4, 6)),
    protocol=FiveByTwo(),
    quick_protocol=FiveByTwo(),
    tables=(TABLE_2,),
    claims=(
        Claim(
            "MoLMNN is more accurate than LMCA and LMNN on Arabidopsis, Musk, Yeast and Sonar",
            higher("accuracy", "MoLMNN", ("LMCA", "LMNN"), among=WINS, strictly=True),
        ),
        Claim(
            "... and significantly so (5 x 2 cv F test)",
            higher_by_f_test("accuracy", "MoLMNN", ("LMCA", "LMNN"), among=WINS),
        ),
        Claim(
            "MoLMNN is significantly more accurate than LMCA on Splice",
            higher_by_f_test("accuracy", "MoLMNN", ("LMCA",), among=("Splice",)),
        ),
        Claim(
            "... and than LMNN on Yale",
            higher_by_f_test("accuracy", "MoLMNN", ("LMNN",), among=("Yale",)),
        ),
        Claim(
            "LMCA is more accurate than MoLMNN on Yale and Ionosphere",
            higher("accuracy", "LMCA", "MoLMNN", among=("Yale", "Ionosphere"), strictly=True),
        ),
        Claim(
            "... LMCA significantly so (5 x 2 cv F test)",
            higher_by_f_test("accuracy", "LMCA", ("MoLMNN",), among=("Yale", "Ionosphere")),
        ),
        *(
            Claim(
                f"MoLMNN frequently performs better than {other} (here: on most sets)",
                higher("accuracy", "MoLMNN", other, needs="most", strictly=True),
            )
            for other in ("LMCA", "LMNN")
        ),
        Claim(
            "A few regions (at most 4 of up to 10) are enough on most sets",
            chosen("MoLMNN", "n_regions", lambda n: n <= 4),
            in_quick=False,
        ),
        Claim(
            "Neither gate is always superior, each has its use (here: each is chosen on some set)",
            several_chosen("MoLMNN", "gating"),
            in_quick=False,
        ),
        Claim(
            "MoLMNN uses more neighbours than LMCA and LMNN (a larger mean of the chosen k)",
            chosen_more("MoLMNN", "n_neighbors", ("LMCA", "LMNN")),
            in_quick=False,
        ),
    ),
    statistics=(five_by_two("accuracy", [("MoLMNN", "LMCA"), ("MoLMNN", "LMNN"), ("LMCA", "LMNN")]),),
    published_choices={
        (label, method): {"n_neighbors": k, **(mixture if method == "MoLMNN" else {})}
        for label, (own, regions, gate, *others) in zip(TABLE_2.rows, CHOSEN, strict=True)
        for mixture in [{"n_regions": regions, "gating": gate}]
        for method, k in zip(TABLE_2.methods, (own, *others), strict=True)
    },
    reasons={("accuracy", *cell): reason for cell, reason in REASONS.items()},
    facts=(
        "z-scores; a third held out for testing; 5 x 2 cross-validation on the rest chooses k, dimensions, "
        "regions and gate; the ten models are tested on the held-out third"
    ),
    deviations=(
        "The grid is the paper's: k of 3, 5, 7 and 9, dimensions that explain 90, 95 and 98 % of the "
        "variance, 1 to 10 regions and both gates. It is searched by successive halving: every setting on "
        "the first of the ten folds; the third with the best mean validation accuracy so far on the second "
        "one, and again a third of these on the next two, on the next two after these and on the last four; "
        "at least three settings are tried on all ten folds, and the best of these is reported.",
        "On fewer than 1,000 training rows MoLMNN takes only as many rounds as improve the classification "
        "of held-out halves of them; on more (Abalone, Optdigits, Pendigits and Splice) it goes on until "
        "the objective settles. "
        'It takes at most 30 rounds. The paper goes on until "the classification result does not improve any '
        'further" and does not say on which rows. MoLMNN renews targets once per half-round, the paper at '
        "every step.",
        "Only MoLMNN stops like that: LMCA and LMNN run until their objective settles, and part of a "
        "difference between the columns may be the stop (on five other thirds LMCA has 84.9 % on Musk after "
        "ten steps, 78.0 after convergence).",
        "LMNN is solved by L-BFGS over a factor of the matrix, as LMCA is, not by its authors' projected "
        "gradients. LMCA and LMNN keep their target neighbours but look for impostors at every step (the "
        "paper says that they fix both at the start). k is the number of targets as well as of neighbours "
        "that vote; the pull of targets has half of the weight; parts keep the shares of the classes; Ctg "
        "is told by its NSP classes.",
        "Numbers of dimensions come from the principal components of all rows (no labels are used).",
        "One third is held out once, as in the paper, so the ten test results share their test rows.",
        "On Pendigits all three methods are five and more printed standard deviations above print, which "
        "says that the paper's rows were others there, and nothing of the methods.",
    ),
    figures=(
        Figure(
            "Figures 1 and 2: maps in two dimensions",
            "Arabidopsis (1,000 dimensions, no longer available) by its principal components, by LMCA and by "
            "MoLMNN with two softmax regions, every row in the region whose gate is more open: PCA cannot "
            "capture the difference of the classes, and the two regions discriminate better.",
            _maps,
        ),
        Figure(
            "Figure 3: regions and dimensions",
            "accuracy (of the test set by the text, on validation data by the caption; the set is not "
            "named) over 1 to 10 regions for three shares of variance and both gates at k = 9: the number "
            "of regions matters more than that of dimensions, and the sigmoid gate fluctuates more.",
            validation_curves(
                MAPPED,
                "MoLMNN",
                over="n_regions",
                lines="n_components",
                panels="gating",
                where={"n_neighbors": 9},
            ),
        ),
    ),
    quick_deviations=(
        "At most 450 rows of each set; k of 3 and 9, dimensions that explain 95 % of the variance, 1 or 3 "
        "regions, and 8 rounds of training for MoLMNN.",
    ),
)
