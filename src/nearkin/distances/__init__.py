"""What a learner produces: immutable squared dissimilarities from queries to references."""

from nearkin._discovery import lazy_names, subclasses
from nearkin.distances.base import Distance
from nearkin.distances.embedded import AffineMap as AffineMap
from nearkin.distances.embedded import FactoredMap as FactoredMap
from nearkin.distances.embeddings import AffineEmbedding as AffineEmbedding
from nearkin.distances.embeddings import Embedding as Embedding
from nearkin.distances.embeddings import FactoredEmbedding as FactoredEmbedding
from nearkin.distances.kernel_moved import CentredKernel as CentredKernel

__getattr__, __dir__ = lazy_names(__name__, lambda: subclasses(__name__, Distance))
