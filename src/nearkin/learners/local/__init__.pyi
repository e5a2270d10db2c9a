# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.learners.local.glml import GLML as GLML
from nearkin.learners.local.lddm import LDDM as LDDM
from nearkin.learners.local.plml import PLML as PLML
