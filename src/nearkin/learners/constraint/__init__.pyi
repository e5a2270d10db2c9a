# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.learners.constraint.dml_eig import DMLEig as DMLEig
from nearkin.learners.constraint.dmlmtp import DMLMTP as DMLMTP
from nearkin.learners.constraint.itml import ITML as ITML
from nearkin.learners.constraint.lego import LEGO as LEGO
from nearkin.learners.constraint.lsml import LSML as LSML
from nearkin.learners.constraint.mmc import MMC as MMC
from nearkin.learners.constraint.scml import SCML as SCML
from nearkin.learners.constraint.sdml import SDML as SDML
