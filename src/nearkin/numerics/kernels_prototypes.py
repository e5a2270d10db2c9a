"""Compiled epochs of the ratio objective: one Adadelta step per batch, without returning to Python.

Shapes as in `prototypes`: rows U (n x e), centres (P x e) and metrics, either weights (P x e) or factors
(P x r e, each as one row). Within a batch of m rows, distances are kept P x m, so that every loop over all
of them runs along the rows, whatever the size of r and e.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

import nearkin.numerics.compiling  # noqa: F401

# Sums may be reordered, but infinities must be respected, as a distance may overflow.
REORDERED = {"reassoc", "contract", "nsz", "arcp"}


@njit(cache=True, nogil=True, fastmath=REORDERED, error_model="numpy")
def factor_epoch(U, y, shares, order, bounds, labels, centres, metrics, running, clock, beta, tiny, solver):
    """Train centres and factors in place on the batches of one pass; returns the weighted mean error.

    Parameters
    ----------
    U, y, shares : n x e, n and n arrays
        Rows, their classes and their weights, which sum to 1.
    order, bounds : n and B + 1 arrays of int
        Batch b are the rows ``order[bounds[b]:bounds[b + 1]]``.
    labels, centres, metrics : P, P x e and P x r e arrays
    running : pair of P x (1 + r) e arrays
        Running means of squared gradients and of squared steps, those of the centre first.
    clock : array of P + 1 ints
        The step at which each prototype's running means were last updated, and the number of steps so far.
    beta, tiny : float
        Slope of the sigmoid, and a small number that is added to both distances.
    solver : pair of scalars of U's dtype
        Adadelta's decay and epsilon.
    """
    P, e = centres.shape
    r = metrics.shape[1] // e
    factors = metrics.reshape(P * r, e)
    largest = _largest_batch(bounds)
    # If a batch has fewer rows than the largest one, the last rows here are left over from before.
    batch = np.zeros((largest, e), U.dtype)
    Z = np.empty((P * r, largest), U.dtype)
    D = np.empty((P, largest), U.dtype)
    offsets = np.empty(P * r, U.dtype)
    gradient = np.empty(e + r * e, U.dtype)
    pulled = np.empty((2 * largest, r), U.dtype)
    differences = np.empty((2 * largest, e), U.dtype)
    hits = np.empty(2 * largest, np.int64)
    slopes = np.empty(2 * largest, U.dtype)
    starts = np.empty(P + 1, np.int64)
    for s in range(P):
        _project_centre(factors, centres, s, offsets)
    total = 0.0
    for b in range(bounds.size - 1):
        first, last = bounds[b], bounds[b + 1]
        for i in range(last - first):
            for j in range(e):
                batch[i, j] = U[order[first + i], j]
        np.dot(factors, batch.T, Z)
        _squared_lengths(Z, offsets, D)
        total += _find_hits(D, y, shares, order[first:last], labels, beta, tiny, hits, slopes, starts)
        clock[P] += 1
        for s in range(P):
            if starts[s] < starts[s + 1]:
                _differences(batch, centres, Z, offsets, s, hits, slopes, starts, differences, pulled)
                hit = slice(starts[s], starts[s + 1])
                _factor_gradient(pulled[hit], differences[hit], factors[s * r : s * r + r], gradient)
                _step(centres, metrics, gradient, running, clock, s, solver)
                _project_centre(factors, centres, s, offsets)
    return total


@njit(cache=True, nogil=True, fastmath=REORDERED, error_model="numpy")
def weight_epoch(U, y, shares, order, bounds, labels, centres, metrics, running, clock, beta, tiny, solver):
    """As `factor_epoch`, for a vector of weights per prototype (`metrics` is P x e)."""
    P, e = centres.shape
    largest = _largest_batch(bounds)
    batch = np.zeros((e, largest), U.dtype)
    D = np.empty((P, largest), U.dtype)
    gradient = np.empty(2 * e, U.dtype)
    hits = np.empty(2 * largest, np.int64)
    slopes = np.empty(2 * largest, U.dtype)
    starts = np.empty(P + 1, np.int64)
    total = 0.0
    for b in range(bounds.size - 1):
        first, last = bounds[b], bounds[b + 1]
        for i in range(last - first):
            for j in range(e):
                batch[j, i] = U[order[first + i], j]
        _weighted_distances(batch, centres, metrics, D)
        rows = order[first:last]
        total += _find_hits(D, y, shares, rows, labels, beta, tiny, hits, slopes, starts)
        clock[P] += 1
        for s in range(P):
            if starts[s] < starts[s + 1]:
                _weight_gradient(U, rows, hits, slopes, starts, s, centres, metrics, gradient)
                _step(centres, metrics, gradient, running, clock, s, solver)
    return total


@njit(cache=True, nogil=True)
def _largest_batch(bounds):
    largest = 0
    for b in range(bounds.size - 1):
        largest = max(largest, bounds[b + 1] - bounds[b])
    return largest


@njit(cache=True, nogil=True, fastmath=REORDERED)
def _project_centre(factors, centres, s, offsets):
    r = factors.shape[0] // centres.shape[0]
    for a in range(s * r, (s + 1) * r):
        total = factors.dtype.type(0)
        for j in range(centres.shape[1]):
            total += factors[a, j] * centres[s, j]
        offsets[a] = total


@njit(cache=True, nogil=True, fastmath=REORDERED)
def _squared_lengths(Z, offsets, D):
    """Row s of D: the squared lengths of the columns of the s-th block of Z minus its offset."""
    P, m = D.shape
    r = offsets.size // P
    for s in range(P):
        for i in range(m):
            D[s, i] = 0
        for a in range(s * r, (s + 1) * r):
            offset = offsets[a]
            for i in range(m):
                difference = Z[a, i] - offset
                D[s, i] += difference * difference


@njit(cache=True, nogil=True, fastmath=REORDERED)
def _weighted_distances(batch, centres, weights, D):
    for s in range(D.shape[0]):
        for i in range(D.shape[1]):
            D[s, i] = 0
        for j in range(batch.shape[0]):
            weight, centre = weights[s, j], centres[s, j]
            for i in range(D.shape[1]):
                difference = weight * (batch[j, i] - centre)
                D[s, i] += difference * difference


@njit(cache=True, nogil=True, error_model="numpy")
def _ratio_error(same, other, beta, tiny):
    """Smoothed error of the ratio same / other as in `prototypes`, and its slopes by either distance."""
    denominator = other + tiny
    ratio = (same + tiny) / denominator
    error = 0.5 + 0.5 * math.tanh(0.5 * beta * (ratio - 1))
    slope = beta * error * (1 - error) / denominator
    # Far from the boundary, 0 * inf must stay 0.
    return error, slope, -slope * ratio if slope > 0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _find_hits(D, y, shares, rows, labels, beta, tiny, hits, slopes, starts):
    """Find the rows of a batch that contribute to each prototype; returns the weighted sum of the errors.

    Those of prototype s are ``hits[starts[s]:starts[s + 1]]``, as places in the batch; `slopes` holds twice
    the derivative of the batch's mean error with respect to their distance to s.
    """
    P, m = D.shape[0], rows.size
    nearest = np.empty((2, m), np.int64)
    for i in range(m):
        same, other = -1, -1
        for s in range(P):
            # Comparisons with overflowed distances are false, which leaves no prototype.
            if y[rows[i]] == labels[s]:
                if D[s, i] < (D[same, i] if same >= 0 else np.inf):
                    same = s
            elif D[s, i] < (D[other, i] if other >= 0 else np.inf):
                other = s
        nearest[0, i], nearest[1, i] = same, other
    by_distance = np.empty((2, m))
    # With equal weights this makes the sum over the batch a mean.
    scale = y.size / m
    total = 0.0
    for s in range(P + 1):
        starts[s] = 0
    for i in range(m):
        share = float(shares[rows[i]])
        if nearest[0, i] < 0 or nearest[1, i] < 0:
            by_distance[0, i] = by_distance[1, i] = 0
            total += 0.5 * share
            continue
        near, far = float(D[nearest[0, i], i]), float(D[nearest[1, i], i])
        error, by_same, by_other = _ratio_error(near, far, beta, tiny)
        total += share * error
        by_distance[0, i], by_distance[1, i] = 2 * scale * share * by_same, 2 * scale * share * by_other
    _sort_hits(nearest, by_distance, hits, slopes, starts)
    return total


@njit(cache=True, nogil=True)
def _sort_hits(nearest, by_distance, hits, slopes, starts):
    """Counting sort of the (row, slope) pairs by prototype, without those of slope zero."""
    m = nearest.shape[1]
    P = starts.size - 1
    for side in range(2):
        for i in range(m):
            if by_distance[side, i] != 0:
                starts[nearest[side, i] + 1] += 1
    for s in range(P):
        starts[s + 1] += starts[s]
    # Filling advances each start to the next one; they are restored below.
    for side in range(2):
        for i in range(m):
            if by_distance[side, i] != 0:
                s = nearest[side, i]
                hits[starts[s]] = i
                slopes[starts[s]] = by_distance[side, i]
                starts[s] += 1
    for s in range(P, 0, -1):
        starts[s] = starts[s - 1]
    starts[0] = 0


@njit(cache=True, nogil=True, fastmath=REORDERED)
def _differences(batch, centres, Z, offsets, s, hits, slopes, starts, differences, pulled):
    """Differences of the hits of prototype s, and the gradients by their projections."""
    e, r = batch.shape[1], pulled.shape[1]
    for k in range(starts[s], starts[s + 1]):
        i, slope = hits[k], slopes[k]
        for j in range(e):
            differences[k, j] = batch[i, j] - centres[s, j]
        for a in range(r):
            pulled[k, a] = slope * (Z[s * r + a, i] - offsets[s * r + a])


@njit(cache=True, nogil=True, fastmath=REORDERED)
def _factor_gradient(pulled, differences, factor, gradient):
    """Gradient by one prototype's centre (the first e numbers) and factor from the rows that hit it."""
    r, e = factor.shape
    for j in range(gradient.size):
        gradient[j] = 0
    by_centre = gradient[:e]
    n_hits = pulled.shape[0]
    fours = n_hits // 4 * 4
    for a in range(r):
        by_factor = gradient[e + a * e : 2 * e + a * e]
        by_offset = gradient.dtype.type(0)
        # Four rows at a time, so that the sums are read and written a quarter as often.
        for k in range(0, fours, 4):
            p, q, t, u = pulled[k, a], pulled[k + 1, a], pulled[k + 2, a], pulled[k + 3, a]
            by_offset += p + q + t + u
            for j in range(e):
                near = p * differences[k, j] + q * differences[k + 1, j]
                far = t * differences[k + 2, j] + u * differences[k + 3, j]
                by_factor[j] += near + far
        for k in range(fours, n_hits):
            p = pulled[k, a]
            by_offset += p
            for j in range(e):
                by_factor[j] += p * differences[k, j]
        for j in range(e):
            by_centre[j] -= by_offset * factor[a, j]


@njit(cache=True, nogil=True, fastmath=REORDERED)
def _weight_gradient(U, rows, hits, slopes, starts, s, centres, weights, gradient):
    """Gradient by the centre (the first e numbers) and by the weights of prototype s from its hits."""
    e = U.shape[1]
    for j in range(gradient.size):
        gradient[j] = 0
    for k in range(starts[s], starts[s + 1]):
        row, slope = rows[hits[k]], slopes[k]
        for j in range(e):
            difference = U[row, j] - centres[s, j]
            gradient[j] -= slope * difference
            gradient[e + j] += slope * difference * difference
    for j in range(e):
        gradient[j] *= weights[s, j] * weights[s, j]
        gradient[e + j] *= weights[s, j]


@njit(cache=True, nogil=True, fastmath=REORDERED, error_model="numpy")
def _step(centres, metrics, gradient, running, clock, s, solver):
    """One Adadelta step of prototype s.

    Without a gradient Adadelta does not move, but its running means decay: that is done here for all steps
    since the last one.
    """
    now = clock[clock.size - 1]
    decay, epsilon = solver
    past = gradient.dtype.type(float(decay) ** (now - clock[s] - 1))
    clock[s] = now
    squared_gradients, squared_steps = running[0][s], running[1][s]
    e = centres.shape[1]
    _adadelta(centres[s], gradient[:e], squared_gradients[:e], squared_steps[:e], past, decay, epsilon)
    _adadelta(metrics[s], gradient[e:], squared_gradients[e:], squared_steps[e:], past, decay, epsilon)


@njit(cache=True, nogil=True, fastmath=REORDERED, error_model="numpy")
def _adadelta(theta, gradient, squared_gradients, squared_steps, past, decay, epsilon):
    fresh = theta.dtype.type(1) - decay
    for j in range(theta.size):
        g = gradient[j]
        seen = decay * past * squared_gradients[j] + fresh * g * g
        moved = past * squared_steps[j]
        step = np.sqrt((moved + epsilon) / (seen + epsilon)) * g
        squared_gradients[j] = seen
        squared_steps[j] = decay * moved + fresh * step * step
        theta[j] -= step
