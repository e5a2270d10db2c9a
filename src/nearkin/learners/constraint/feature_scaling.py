"""The old place of an embedding, for model files of version 0.1."""

from nearkin.distances.embeddings import ScaledEmbedding as FeatureScaling

__all__ = ["FeatureScaling"]
