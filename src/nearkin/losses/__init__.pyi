# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.losses.base import Loss as Loss
from nearkin.losses.drift import DriftLoss as DriftLoss
from nearkin.losses.large_margin import LargeMarginLoss as LargeMarginLoss
from nearkin.losses.megm import MEGMLoss as MEGMLoss
from nearkin.losses.nca import NCALoss as NCALoss
from nearkin.losses.total import TotalLoss as TotalLoss
