# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.learners.prototype.kernel_lmdl import KernelLMDL as KernelLMDL
from nearkin.learners.prototype.lmdl import LMDL as LMDL
from nearkin.learners.prototype.lpd import LPD as LPD
