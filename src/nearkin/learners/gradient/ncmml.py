"""Nearest class means: NCMML with one centre per class, NCMC with several."""

from __future__ import annotations

from nearkin._types import Auto, RandomState, Start
from nearkin.learners.gradient.base import GradientLearner
from nearkin.learners.gradient.grids import component_choices
from nearkin.losses.centre import CentreLoss
from nearkin.maps.kernel import KernelLike
from nearkin.solvers.base import SolverLike


class NCMML(GradientLearner):
    """Linear map under which rows lie nearest to the mean of their class (or to one of its centres).

    Minimises the cross-entropy of classes whose score falls with the squared distance to their mean. The
    learned distance suits nearest neighbours as well as nearest means, and the time of a fit is
    proportional to the number of samples.

    Parameters
    ----------
    n_components : int or None, default=None
        Dimensions of the learned space; None keeps all.
    n_centres : int, default=1
        Centres per class, found by k-means in the input space; more than one is NCMC, for multimodal
        classes.
    temperature : float or "auto", default="auto"
        Squared distances are divided by twice this. It matters only for the start, as the map can scale
        itself; "auto" is the mean variance within the classes at the start.
    leave_one_out : bool, default=True
        Leave each row out of its own centre, without which small groups overfit.
    init : {"auto", "identity", "pca", "lda", "random"} or array, default="auto"
        Where the optimisation starts, as for `NCA`.
    early_stopping : bool or "auto", default="auto"
        Take only as many steps as lower the loss of unseen rows, found by fitting halves of the samples
        first; "auto" does so below 1,000 samples, where cross-entropy soon overfits.
    kernel, solver, max_iter, tol, n_init, warm_start, verbose, random_state
        As for `NCA`.
    euclid_share : "auto" or float from 0 to 1, default="auto"
        Share of plain Euclid in the learned distance; "auto" as for `NCA`, 0 is the published method.

    Attributes
    ----------
    objective_ : float
        Final mean cross-entropy.
    components_, distance_, euclid_share_, history_, n_iter_, classes_
        As for `NCA`.

    Notes
    -----
    Each evaluation costs n e (d + P) multiply-adds for P centres in all: linear in n, while losses over
    pairs are quadratic. Memory is that of the rows and one block of rows x centres.

    References
    ----------
    T. Mensink, J. Verbeek, F. Perronnin, G. Csurka (2013). Distance-Based Image Classification:
    Generalizing to New Classes at Near-Zero Cost. PAMI 35(11).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> learner = NCMML(n_components=2, early_stopping=False).fit(scale(X), y)
    >>> learner.transform(scale(X)).shape, learner.objective_ < 0.01
    ((178, 2), True)
    """

    summary = "Linear map towards class means (NCMML) or several centres per class (NCMC); linear in n."
    cost = "n·e·(d + P) per step, P centres"

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_centres: int = 1,
        temperature: float | Auto = "auto",
        leave_one_out: bool = True,
        init: Start = "auto",
        kernel: KernelLike | None = None,
        solver: SolverLike = "lbfgs",
        max_iter: int = 100,
        tol: float = 1e-5,
        early_stopping: bool | Auto = "auto",
        n_init: int = 1,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: RandomState = None,
        euclid_share: float | Auto = "auto",
    ) -> None:
        super().__init__(solver, max_iter, tol, n_init, warm_start, verbose, random_state)
        self.n_components = n_components
        self.n_centres = n_centres
        self.temperature = temperature
        self.leave_one_out = leave_one_out
        self.init = init
        self.kernel = kernel
        self.early_stopping = early_stopping
        self.euclid_share = euclid_share

    @classmethod
    def tuning_grid(cls, n_samples: int, n_features: int, n_classes: int) -> dict[str, list]:
        return {"n_components": component_choices(n_samples, n_features), "n_centres": [1, 3]}

    def _loss(self):
        return CentreLoss(self.n_centres, self.temperature, self.leave_one_out)
