# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.losses.base import Loss as Loss
from nearkin.losses.centre import CentreLoss as CentreLoss
from nearkin.losses.drift import DriftLoss as DriftLoss
from nearkin.losses.large_margin import LargeMarginLoss as LargeMarginLoss
from nearkin.losses.log_nca import LogNCALoss as LogNCALoss
from nearkin.losses.mcml import MCMLLoss as MCMLLoss
from nearkin.losses.megm import MEGMLoss as MEGMLoss
from nearkin.losses.nca import NCALoss as NCALoss
from nearkin.losses.pair_logistic import PairLogisticLoss as PairLogisticLoss
from nearkin.losses.total import TotalLoss as TotalLoss
from nearkin.losses.triplet_hinge import TripletHingeLoss as TripletHingeLoss
