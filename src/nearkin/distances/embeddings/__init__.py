"""Every frozen embedding: immutable, made of plain arrays, from rows to rows."""

from nearkin.distances.embeddings.affine import (
    AffineEmbedding,
    CentredEmbedding,
    FactoredEmbedding,
    ScaledEmbedding,
)
from nearkin.distances.embeddings.appended import AppendedCoordinate
from nearkin.distances.embeddings.base import Embedding
from nearkin.distances.embeddings.blended import BlendedEmbedding
from nearkin.distances.embeddings.gated import GatedEmbedding
from nearkin.distances.embeddings.kernel import (
    ChainedEmbedding,
    KernelComponents,
    KernelEmbedding,
    KernelValues,
)
from nearkin.distances.embeddings.transformer import TransformerEmbedding
from nearkin.distances.embeddings.unit import UnitEmbedding

__all__ = [
    "AffineEmbedding",
    "AppendedCoordinate",
    "BlendedEmbedding",
    "CentredEmbedding",
    "ChainedEmbedding",
    "Embedding",
    "FactoredEmbedding",
    "GatedEmbedding",
    "KernelComponents",
    "KernelEmbedding",
    "KernelValues",
    "ScaledEmbedding",
    "TransformerEmbedding",
    "UnitEmbedding",
]
