# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.learners.constraint.dmlmtp import DMLMTP as DMLMTP
