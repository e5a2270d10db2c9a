# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.learners.gradient.ldml import LDML as LDML
from nearkin.learners.gradient.lmnn import LMCA as LMCA
from nearkin.learners.gradient.lmnn import LMNN as LMNN
from nearkin.learners.gradient.mcml import MCML as MCML
from nearkin.learners.gradient.megm import MEGM as MEGM
from nearkin.learners.gradient.metric_learner import MetricLearner as MetricLearner
from nearkin.learners.gradient.mlkr import MLKR as MLKR
from nearkin.learners.gradient.molmnn import MoLMNN as MoLMNN
from nearkin.learners.gradient.nca import NCA as NCA
from nearkin.learners.gradient.ncmml import NCMML as NCMML
