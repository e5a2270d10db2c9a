# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin import cli as cli
from nearkin import datasets as datasets
from nearkin import distances as distances
from nearkin import evaluation as evaluation
from nearkin import experiments as experiments
from nearkin import learners as learners
from nearkin import losses as losses
from nearkin import maps as maps
from nearkin import numerics as numerics
from nearkin import objective as objective
from nearkin import persistence as persistence
from nearkin import predictors as predictors
from nearkin import report as report
from nearkin import search as search
from nearkin import solvers as solvers
from nearkin import supervision as supervision
from nearkin.learners.closed_form.move import MoveLabeled as MoveLabeled
from nearkin.learners.closed_form.move import MoveQuery as MoveQuery
from nearkin.learners.closed_form.rca import RCA as RCA
from nearkin.learners.constraint.dmlmtp import DMLMTP as DMLMTP
from nearkin.learners.gradient.lmnn import LMCA as LMCA
from nearkin.learners.gradient.lmnn import LMNN as LMNN
from nearkin.learners.gradient.megm import MEGM as MEGM
from nearkin.learners.gradient.metric_learner import MetricLearner as MetricLearner
from nearkin.learners.gradient.molmnn import MoLMNN as MoLMNN
from nearkin.learners.gradient.nca import NCA as NCA
from nearkin.learners.prototype.kernel_lmdl import KernelLMDL as KernelLMDL
from nearkin.learners.prototype.lmdl import LMDL as LMDL
from nearkin.learners.prototype.lpd import LPD as LPD
from nearkin.persistence import load as load
from nearkin.persistence import save as save
from nearkin.predictors.classifier import KNNClassifier as KNNClassifier
from nearkin.predictors.regressor import KNNRegressor as KNNRegressor

__version__: str
