# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.learners.closed_form.move import MoveLabeled as MoveLabeled
from nearkin.learners.closed_form.move import MoveQuery as MoveQuery
from nearkin.learners.closed_form.rca import RCA as RCA
