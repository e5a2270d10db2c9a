"""Learners of a few prototypes per class, each with a metric of its own."""

from nearkin.learners.prototype.kernel_lmdl import KernelLMDL
from nearkin.learners.prototype.lmdl import LMDL
from nearkin.learners.prototype.lpd import LPD

__all__ = ["LMDL", "LPD", "KernelLMDL"]
