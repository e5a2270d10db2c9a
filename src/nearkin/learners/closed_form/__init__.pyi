# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.learners.closed_form.dmlmj import DMLMJ as DMLMJ
from nearkin.learners.closed_form.gmml import GMML as GMML
from nearkin.learners.closed_form.kda import KDA as KDA
from nearkin.learners.closed_form.lfda import LFDA as LFDA
from nearkin.learners.closed_form.mlev import ANMM as ANMM
from nearkin.learners.closed_form.mlev import MLEV as MLEV
from nearkin.learners.closed_form.move import MoveLabeled as MoveLabeled
from nearkin.learners.closed_form.move import MoveQuery as MoveQuery
from nearkin.learners.closed_form.rca import RCA as RCA
