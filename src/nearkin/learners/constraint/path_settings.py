"""The values of DMLMTP's parameters to try: one, several, or the defaults of "auto"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

AUTO_N_NEIGHBORS = (2, 3, 4, 5, 6)
AUTO_NU = (1.0, 0.98, 0.95, 0.9, 0.8)
AUTO_SHRINKAGE = (0.0, 0.25, 0.5, 0.75, 1.0)
AUTO_EUCLID_SHARE = (0.0, 0.25, 0.5, 0.75)


class Setting(NamedTuple):
    """The settings of one metric; a shrinkage of 1 means a diagonal metric."""

    n_neighbors: int
    nu: float
    shrinkage: float
    euclid_share: float = 0.0


@dataclass(frozen=True)
class PathSettings:
    """Checked values to try; `shrinkages` is (1,) for a diagonal metric."""

    neighbourhoods: tuple[int, ...]
    nus: tuple[float, ...]
    shrinkages: tuple[float, ...]
    euclid_shares: tuple[float, ...] = (0.0,)

    @property
    def compares_metrics(self) -> bool:
        """Whether several neighbourhoods or values of nu compete (then Euclid competes too)."""
        return len(self.neighbourhoods) * len(self.nus) > 1

    @property
    def has_choice(self) -> bool:
        return self.compares_metrics or len(self.shrinkages) * len(self.euclid_shares) > 1

    @property
    def simplest(self) -> Setting:
        """The setting least likely to overfit: the largest nu, and the strongest shrinkage."""
        return Setting(min(self.neighbourhoods), max(self.nus), max(self.shrinkages), max(self.euclid_shares))

    def only(self, setting: Setting) -> PathSettings:
        """The same with nothing left to choose."""
        n_neighbors, nu, shrinkage, euclid_share = setting
        return PathSettings((n_neighbors,), (nu,), (shrinkage,), (euclid_share,))

    @property
    def least_euclid(self) -> PathSettings:
        """The same with the smallest share of Euclid only."""
        return replace(self, euclid_shares=self.euclid_shares[:1])

    def with_every_share(self, settings: Iterable[Setting]) -> list[Setting]:
        """The settings with each share of Euclid offered."""
        return [setting._replace(euclid_share=share) for setting in settings for share in self.euclid_shares]


def path_settings(
    n_neighbors, nu, metric, rank, shrinkage, n_rows: int, euclid_share: object = 0.0
) -> PathSettings:
    """Check the parameters; each error names the parameter and what it may be."""
    if metric not in ("diagonal", "full"):
        raise ValueError(f"metric={metric!r}: expected 'diagonal' or 'full'.")
    fitting = tuple(k for k in AUTO_N_NEIGHBORS if k < n_rows) or AUTO_N_NEIGHBORS[:1]
    neighbourhoods = _offered(
        "n_neighbors", n_neighbors, fitting, Integral, lambda k: k >= 2, "an integer of at least 2"
    )
    nus = _offered("nu", nu, AUTO_NU, Real, lambda v: 0 < v <= 1, "a share of the triplets in (0, 1]")
    shrinkages = _shrinkages(metric, rank, shrinkage)
    # If nothing else is compared, "auto" leaves the metric as it was learned.
    auto = AUTO_EUCLID_SHARE if rank is None and len(neighbourhoods) * len(nus) > 1 else (0.0,)
    shares = _offered("euclid_share", euclid_share, auto, Real, lambda s: 0 <= s < 1, "a number in [0, 1)")
    if rank is not None and max(shares) > 0:
        raise ValueError(
            f"euclid_share={euclid_share!r} with rank={rank}: Euclid in it leaves no low rank; use 0."
        )
    return PathSettings(neighbourhoods, nus, shrinkages, tuple(sorted(shares)))


def _shrinkages(metric: str, rank, shrinkage) -> tuple[float, ...]:
    if metric == "diagonal":
        if rank is not None:
            raise ValueError(f"rank={rank!r} restricts a full metric only: use metric='full' or rank=None.")
        return (1.0,)
    if rank is not None and not (_is(rank, Integral) and rank >= 1):
        raise ValueError(f"rank={rank!r}: expected an integer of at least 1, or None.")
    auto = AUTO_SHRINKAGE if rank is None else (0.0,)
    shrinkages = _offered("shrinkage", shrinkage, auto, Real, lambda s: 0 <= s <= 1, "a number in [0, 1]")
    if rank is not None and max(shrinkages) > 0:
        raise ValueError(f"shrinkage={shrinkage!r} with rank={rank}: a shrunk metric has no low rank; use 0.")
    return tuple(sorted(shrinkages))


def _is(value, kind) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def _offered(name: str, value, auto: tuple, kind, allowed, expected: str) -> tuple:
    if isinstance(value, str) and value == "auto":
        return auto
    values = [value] if isinstance(value, str) or np.ndim(value) == 0 else list(value)
    for one in values:
        if not (_is(one, kind) and allowed(one)):
            raise ValueError(f"{name}={one!r}: expected {expected}, several of them, or 'auto'.")
    if not values:
        raise ValueError(f"{name} is empty: expected {expected}, several of them, or 'auto'.")
    to_plain = int if kind is Integral else float
    return tuple(to_plain(one) for one in values)
