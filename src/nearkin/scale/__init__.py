"""Data beyond memory and beyond one machine: fits from blocks of rows, on files or on Dask.

Closed-form learners need only sums over rows. Each block of rows gives its part of a sum, parts are added in
a fixed order, and the learner is solved from the total as usual: the result is an ordinary learner.
"""

from nearkin.scale.dask_source import dask_rows
from nearkin.scale.embedding_rows import move_rows, transform_rows
from nearkin.scale.fit import fit_blocks
from nearkin.scale.sample import fit_sample, sample_size

__all__ = ["dask_rows", "fit_blocks", "fit_sample", "move_rows", "sample_size", "transform_rows"]
