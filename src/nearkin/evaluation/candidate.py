"""What is compared: an estimator and the settings to choose among."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sklearn.base import BaseEstimator
from sklearn.model_selection import ParameterGrid

#: Folds of the cross-validation inside the training rows that chooses among a grid, unless a candidate says.
INNER_FOLDS = 3


@dataclass(frozen=True)
class Candidate:
    """One competitor: an unfitted estimator and the settings to choose among.

    Parameters
    ----------
    label : str
        Unique name, shown in results.
    estimator : scikit-learn estimator
        Typically a pipeline of a scaler and a nearest-neighbour predictor. Whatever it fits
        (scaling, PCA, metric) is fitted on training rows only.
    grid : dict of parameter name to list of values, or list of such dicts
        Settings to choose among inside the training part; empty for none.
    predict_time : tuple of str
        Parameters of the grid that can change after `fit` (such as the number of neighbours), so
        that tuning need not fit again for them.
    setting : dict
        Parameters fixed for this candidate, recorded with its results.
    reference : bool
        Marks a non-neighbour model shown for orientation; it is never picked as the winner.
    inner_folds : int
        Folds of the cross-validation inside the training rows that chooses among the grid.
    every_setting : bool
        Score each setting of the grid on the test rows instead of choosing one inside the training
        rows. The best of such scores is optimistic: it is for papers that print it.
    stand_in : Candidate, optional
        A candidate that is quick to fit, such as plain Euclid, and whose grid holds settings that this one
        has too, such as the number of neighbours. A candidate that is not tuned itself takes what was chosen
        for its stand-in inside the training rows, so that it does not fall behind for lack of tuning alone.
    """

    label: str
    estimator: BaseEstimator
    grid: Mapping | Sequence[Mapping] = field(default_factory=dict)
    predict_time: tuple[str, ...] = ()
    setting: Mapping = field(default_factory=dict)
    reference: bool = False
    inner_folds: int = INNER_FOLDS
    every_setting: bool = False
    stand_in: Candidate | None = None

    @property
    def n_settings(self) -> int:
        return len(ParameterGrid(self.grid)) if self.grid else 1

    @property
    def n_fits(self) -> int:
        """Settings that need a fit of their own."""
        grids = [self.grid] if isinstance(self.grid, Mapping) else list(self.grid)
        kept = [{name: grid[name] for name in grid if name not in self.predict_time} for grid in grids]
        return len(ParameterGrid(kept))

    def parts(self) -> dict:
        """Everything that can change its results; `fingerprints.describe` turns it into a signature."""
        parts = {
            "estimator": self.estimator,
            "grid": self.grid,
            "setting": self.setting,
            "predict_time": sorted(self.predict_time),
        }
        if self.stand_in is not None and not self.grid:
            parts["stand_in"] = self.stand_in.parts()
        if self.inner_folds != INNER_FOLDS:
            parts["inner_folds"] = self.inner_folds
        return parts | ({"every_setting": True} if self.every_setting else {})

    def untuned(self) -> Candidate:
        """The same candidate without its grid: nothing is tuned but what its stand-in chooses."""
        return replace(self, grid={}, predict_time=())

    def expand(self) -> Iterator[Candidate]:
        """One candidate per setting of the grid."""
        for setting in ParameterGrid(self.grid) if self.grid else [{}]:
            yield replace(self, grid={}, predict_time=(), setting={**self.setting, **setting})
