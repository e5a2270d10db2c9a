"""Losses of an embedding: (Z, y) to a value and its gradient in Z, knowing neither map nor solver."""

from nearkin.losses.base import Loss
from nearkin.losses.drift import DriftLoss
from nearkin.losses.large_margin import LargeMarginLoss
from nearkin.losses.megm import MEGMLoss
from nearkin.losses.nca import NCALoss
from nearkin.losses.total import TotalLoss

__all__ = ["DriftLoss", "LargeMarginLoss", "Loss", "MEGMLoss", "NCALoss", "TotalLoss"]
