# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.study.hubness import hubness_by_folds as hubness_by_folds
from nearkin.study.models import make_model as make_model
from nearkin.study.study import Study as Study
from nearkin.study.study import compare as compare
