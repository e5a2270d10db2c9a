# Written by docs/build_stubs.py from what discovery finds; do not edit.
from nearkin.distances.base import Distance as Distance
from nearkin.distances.blended import BlendedDistance as BlendedDistance
from nearkin.distances.embedded import EmbeddedDistance as EmbeddedDistance
from nearkin.distances.embeddings.affine import AffineEmbedding as AffineEmbedding
from nearkin.distances.embeddings.affine import FactoredEmbedding as FactoredEmbedding
from nearkin.distances.embeddings.base import Embedding as Embedding
from nearkin.distances.hub_correction import MutualProximity as MutualProximity
from nearkin.distances.hub_correction import ScaledDistance as ScaledDistance
from nearkin.distances.hub_correction import ShiftedDistance as ShiftedDistance
from nearkin.distances.kernel_moved import CentredKernel as CentredKernel
from nearkin.distances.kernel_moved import KernelMovedDistance as KernelMovedDistance
from nearkin.distances.mixed import MixedDistance as MixedDistance
from nearkin.distances.named import NamedDistance as NamedDistance
from nearkin.distances.per_prototype import PerPrototypeDistance as PerPrototypeDistance
from nearkin.distances.per_query import PerQueryDistance as PerQueryDistance

AffineMap = AffineEmbedding
FactoredMap = FactoredEmbedding
