"""Comparisons of 64 neighbouring entries at once, answered by the bits of one integer.

Compilers do not make such code of loops: they are told the vector instructions here, in a form that
holds for every processor.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

#: Entries compared at once, and in one vector: wider than most processors have, which splits it.
LANES = 64
VECTOR = 16


def _vectors(context, builder, kind, array, start):
    """The entries ``array[start : start + LANES]`` as vectors."""
    element = context.get_data_type(kind.dtype)
    data = context.make_array(kind)(context, builder, array).data
    for shift in range(0, LANES, VECTOR):
        place = builder.add(start, ir.Constant(start.type, shift))
        pointer = builder.gep(data, [place])
        vector = builder.load(builder.bitcast(pointer, ir.VectorType(element, VECTOR).as_pointer()))
        vector.align = kind.dtype.bitwidth // 8
        yield vector


def _repeated(builder, value):
    """A vector of the same number throughout."""
    kind = ir.VectorType(value.type, VECTOR)
    first = ir.Constant(ir.IntType(32), 0)
    single = builder.insert_element(ir.Constant(kind, ir.Undefined), value, first)
    places = ir.Constant(ir.VectorType(ir.IntType(32), VECTOR), [0] * VECTOR)
    return builder.shuffle_vector(single, ir.Constant(kind, ir.Undefined), places)


def _bits(builder, comparisons):
    """The outcomes of vector comparisons, one bit each."""
    word = ir.IntType(64)
    total = ir.Constant(word, 0)
    for number, outcome in enumerate(comparisons):
        bits = builder.zext(builder.bitcast(outcome, ir.IntType(VECTOR)), word)
        total = builder.or_(total, builder.shl(bits, ir.Constant(word, number * VECTOR)))
    return total


@intrinsic
def first_bit(typing_context, mask):
    """Number of the lowest bit of a mask that is not zero."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return mask(mask), generate


@intrinsic
def _within(typing_context, products, others, limits, start, own, limit):
    signature = types.uint64(products, others, limits, types.intp, products.dtype, products.dtype)

    def generate(context, builder, signature, arguments):
        *arrays, start, own, limit = arguments
        own, limit = _repeated(builder, own), _repeated(builder, limit)
        loaded = [
            _vectors(context, builder, kind, array, start)
            for kind, array in zip(signature.args[:3], arrays, strict=True)
        ]
        comparisons = []
        for product, other, other_limit in zip(*loaded, strict=True):
            farther = builder.select(builder.fcmp_ordered(">", other_limit, limit), other_limit, limit)
            distance = builder.fsub(builder.fadd(own, other), product)
            comparisons.append(builder.fcmp_ordered("<=", distance, farther))
        return _bits(builder, comparisons)

    return signature, generate


@intrinsic
def _below(typing_context, products, others, start, bound):
    signature = types.uint64(products, others, types.intp, products.dtype)

    def generate(context, builder, signature, arguments):
        *arrays, start, bound = arguments
        bound = _repeated(builder, bound)
        loaded = [
            _vectors(context, builder, kind, array, start)
            for kind, array in zip(signature.args[:2], arrays, strict=True)
        ]
        return _bits(
            builder,
            [
                builder.fcmp_ordered("<", builder.fsub(other, product), bound)
                for product, other in zip(*loaded, strict=True)
            ],
        )

    return signature, generate


@njit(nogil=True)
def mask_within(products, others, limits, start, own, limit):
    """Bit b is set where ``own + others[c] - products[c] <= max(limit, limits[c])``, c = start + b."""
    n = products.size
    if start + LANES <= n:
        return _within(products, others, limits, start, own, limit)
    mask = np.uint64(0)
    for c in range(start, n):
        if own + others[c] - products[c] <= max(limit, limits[c]):
            mask |= np.uint64(1) << np.uint64(c - start)
    return mask


@njit(nogil=True)
def mask_below(products, others, start, bound):
    """Bit b is set where ``others[c] - products[c] < bound``, c = start + b."""
    n = products.size
    if start + LANES <= n:
        return _below(products, others, start, bound)
    mask = np.uint64(0)
    for c in range(start, n):
        if others[c] - products[c] < bound:
            mask |= np.uint64(1) << np.uint64(c - start)
    return mask
