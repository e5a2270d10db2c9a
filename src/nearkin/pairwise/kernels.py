"""Compiled loops over near pairs: searching, listing and weighing them; loaded only when needed.

Rows ``first..stop`` mean ``range(first, stop)``: each worker has a stretch of its own. Loops that must be
vectorised write what they find whether or not it is kept, as a branch would cost more.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from nearkin.numerics.fast_exp import exp

#: Beyond any squared distance; finite, as fast-math loops may assume that nothing is infinite.
FAR = 1e37

# The product of a single bit with this de Bruijn number has a top of six bits that tells which bit it was.
_DE_BRUIJN = 0x03F79D71B4CB0A89
_BIT_PLACES = np.argsort([((_DE_BRUIJN << bit) & (2**64 - 1)) >> 58 for bit in range(64)])


# --- searching: tiles of inner products to near pairs ---


@njit(cache=True, nogil=True)
def _first_flag(word):
    """Place, from 0 to 7, of the first byte that is one in a word of eight flags."""
    return _BIT_PLACES[((word & (~word + np.uint64(1))) * np.uint64(_DE_BRUIJN)) >> np.uint64(58)] >> 3


@njit(cache=True, nogil=True)
def collect_near(G, row, column, halves, limits, firsts, written, rows_out, columns_out):
    """Add the near pairs of a tile: those with ``halves[i] + halves[j] - G <= max of their limits``.

    G holds the inner products of rows ``row...`` with rows ``column...``; only partners from
    ``firsts[i]`` on are listed. Returns how many pairs are written then, or -1 if the output is too short.
    """
    n_rows, n_columns = G.shape
    others, other_limits = halves[column : column + n_columns], limits[column : column + n_columns]
    # Comparisons into bytes are vectorised; eight at a time, most of them are then passed over (measured:
    # with a branch for each, whole fits take 1.2 to 1.8 times the CPU time).
    words = np.zeros((n_columns + 7) // 8, np.uint64)
    flags = words.view(np.uint8)
    for r in range(n_rows):
        i = row + r
        if written + n_columns > rows_out.size:
            return -1
        first, half, limit = firsts[i] - column, halves[i], limits[i]
        for c in range(n_columns):
            flags[c] = half + others[c] - G[r, c] <= max(limit, other_limits[c])
        for w in range(max(first, 0) // 8, words.size):
            word = words[w]
            while word != 0:
                c = 8 * w + _first_flag(word)
                word &= word - np.uint64(1)
                rows_out[written] = i
                columns_out[written] = column + c
                written += np.int64(c >= first)
    return written


@njit(cache=True, nogil=True)
def sort_by_row(rows, columns, row, counts, columns_out):
    """Bring pairs of rows ``row...`` into rising order of the rows, otherwise as they are, and count them."""
    for r in range(counts.size):
        counts[r] = 0
    for p in range(rows.size):
        counts[rows[p] - row] += 1
    places = np.empty(counts.size, np.int64)
    before = 0
    for r in range(counts.size):
        places[r] = before
        before += counts[r]
    for p in range(rows.size):
        r = rows[p] - row
        columns_out[places[r]] = columns[p]
        places[r] += 1


@njit(cache=True, nogil=True)
def nearest_others(G, row, column, halves, minima, nearest):
    """Update each row's nearest other rows, in rising order, from a tile of inner products.

    `halves` are half the squared norms; `minima` are half the distances, less that of the row.
    """
    last = minima.shape[1] - 1
    for r in range(G.shape[0]):
        i = row + r
        for c in range(G.shape[1]):
            distance = halves[column + c] - G[r, c]
            if distance < minima[i, last] and column + c != i:
                place = last
                while place > 0 and minima[i, place - 1] > distance:
                    minima[i, place] = minima[i, place - 1]
                    nearest[i, place] = nearest[i, place - 1]
                    place -= 1
                minima[i, place] = distance
                nearest[i, place] = column + c


@njit(cache=True, nogil=True, fastmath=True)
def keep_within(Z, indptr, others, limits, first, stop, counts, others_out, distances_out):
    """Keep the pairs listed in rows first..stop that are within the larger of their limits.

    They are written from where the first of the rows begins; `counts` are those kept of each row.
    """
    written = indptr[first]
    for i in range(first, stop):
        before = written
        for p in range(indptr[i], indptr[i + 1]):
            j = others[p]
            distance = _distance(Z, i, j)
            # Writing all and keeping some is faster than to branch on each.
            others_out[written] = j
            distances_out[written] = distance
            written += np.int64(distance <= max(limits[i], limits[j]))
        counts[i] = written - before


# --- lists: distances, and both partners' rows ---


@njit(cache=True, nogil=True, fastmath=True)
def _distance(Z, i, j):
    """Squared distance of two rows, from differences: nothing cancels."""
    total = Z.dtype.type(0)
    for c in range(Z.shape[1]):
        difference = Z[i, c] - Z[j, c]
        total += difference * difference
    return total


@njit(cache=True, nogil=True, fastmath=True)
def distances_from(Z, first, starts, partners, out):
    """Squared distances of rows first... to their partners; zero where the partner is -1, for none.

    Partners of row ``first + r`` are ``starts[r]`` to ``starts[r + 1]``. A row that is its own partner is far
    from itself.
    """
    for r in range(starts.size - 1):
        i = first + r
        for e in range(starts[r], starts[r + 1]):
            j = partners[e]
            if j == i:
                out[e] = FAR
            else:
                out[e] = _distance(Z, i, j) if j >= 0 else 0


@njit(cache=True, nogil=True, fastmath=True)
def pair_moves(indptr, others, distances, roots, excesses, half_margin, remember, first, stop, sums):
    """How the pairs listed in rows first..stop have moved since their excesses were remembered.

    An excess is the root of the distance minus the larger of the rows' roots. Adds up the moves
    inwards, their squares, the pairs without excess now, and those of them that had more than
    `half_margin`.
    """
    moved, squares = 0.0, 0.0
    inside, entered = 0, 0
    for i in range(first, stop):
        root = roots[i]
        for p in range(indptr[i], indptr[i + 1]):
            now, before = np.sqrt(distances[p]) - max(root, roots[others[p]]), excesses[p]
            move = before - now
            moved += move
            squares += move * move
            inside += np.int64(now < 0)
            entered += np.int64(now < 0 and before > half_margin)
            if remember:
                excesses[p] = now
    sums[0], sums[1], sums[2], sums[3] = moved, squares, inside, entered


@njit(cache=True, nogil=True)
def count_partners(indptr, others, first, stop, counts):
    """Count for each row the pairs, of those listed in rows first..stop, whose other it is."""
    for p in range(indptr[first], indptr[stop]):
        counts[others[p]] += 1


@njit(cache=True, nogil=True)
def fill_partners(indptr, others, middles, first, stop, places, partners, mirrors):
    """Write the pairs counted so to the rows of both partners."""
    for i in range(first, stop):
        shift = middles[i] - indptr[i]
        for p in range(indptr[i], indptr[i + 1]):
            j = others[p]
            there = places[j]
            places[j] = there + 1
            partners[shift + p] = j
            partners[there] = i
            mirrors[p] = there


@njit(cache=True, nogil=True)
def spread(indptr, middles, mirrors, values, first, stop, out):
    """Write the values of the pairs listed in rows first..stop to both their entries."""
    for i in range(first, stop):
        shift = middles[i] - indptr[i]
        for p in range(indptr[i], indptr[i + 1]):
            out[shift + p] = values[p]
            out[mirrors[p]] = values[p]


@njit(cache=True, nogil=True)
def join(indptr, middles, mirrors, first, stop, weights):
    """Replace both weights of the pairs listed in rows first..stop with their sum."""
    for i in range(first, stop):
        shift = middles[i] - indptr[i]
        for p in range(indptr[i], indptr[i + 1]):
            there = mirrors[p]
            total = weights[shift + p] + weights[there]
            weights[shift + p] = total
            weights[there] = total


@njit(cache=True, nogil=True, fastmath=True)
def gather_pairs(starts, partners, weights, first, stop, Z, dZ):
    """Gradient of the sum over all pairs of weight * distance, for rows first..stop."""
    width = Z.shape[1]
    own = np.empty(width, Z.dtype)
    longest = 0
    for i in range(first, stop):
        longest = max(longest, starts[i + 1] - starts[i])
    near, pulls = np.empty(longest + 1, np.int32), np.empty(longest + 1, Z.dtype)
    for i in range(first, stop):
        # Writing all and keeping some is faster than to branch on each.
        count = 0
        for e in range(starts[i], starts[i + 1]):
            near[count] = partners[e]
            pulls[count] = weights[e]
            count += np.int64(weights[e] != 0)
        own[:] = 0
        total = Z.dtype.type(0)
        p = 0
        # Several partners at a time: the sums are read and written once for all of them (measured: one at a
        # time, LMNN and MEGM on MNIST take 1.15 times the CPU time).
        while p + 3 < count:
            wa, wb, wc, wd = pulls[p], pulls[p + 1], pulls[p + 2], pulls[p + 3]
            a, b, c, d = Z[near[p]], Z[near[p + 1]], Z[near[p + 2]], Z[near[p + 3]]
            total += wa + wb + wc + wd
            for k in range(width):
                own[k] += wa * a[k] + wb * b[k] + wc * c[k] + wd * d[k]
            p += 4
        while p < count:
            wa, a = pulls[p], Z[near[p]]
            total += wa
            for k in range(width):
                own[k] += wa * a[k]
            p += 1
        for k in range(width):
            dZ[i, k] = 2 * (total * Z[i, k] - own[k])


@njit(cache=True, nogil=True, fastmath=True)
def scatter_pairs(Z, first, starts, partners, weights, dZ):
    """Add the gradient of the sum of weight * distance over rows first... and their partners, -1 for none."""
    for r in range(starts.size - 1):
        i = first + r
        for e in range(starts[r], starts[r + 1]):
            j = partners[e]
            weight = 2 * weights[e]
            if j >= 0 and weight != 0:
                for c in range(Z.shape[1]):
                    pull = weight * (Z[i, c] - Z[j, c])
                    dZ[i, c] += pull
                    dZ[j, c] -= pull


# --- hinges: reaches[i, t] is one margin beyond target t of row i; -1, for no target, is never violated ---


@njit(cache=True, nogil=True, fastmath=True)
def hinge_list(indptr, others, distances, reaches, weights, pushes, out):
    """Hinges of listed pairs, both ways; ``out`` receives the symmetric weight of each pair."""
    value = 0.0
    for i in range(indptr.size - 1):
        for p in range(indptr[i], indptr[i + 1]):
            j = others[p]
            distance = distances[p]
            weight = 0.0
            for t in range(reaches.shape[1]):
                hinge = reaches[i, t] - distance
                if hinge > 0:
                    value += weights[i] * hinge
                    weight -= weights[i]
                    pushes[i, t] += 1
                hinge = reaches[j, t] - distance
                if hinge > 0:
                    value += weights[j] * hinge
                    weight -= weights[j]
                    pushes[j, t] += 1
            out[p] = weight
    return value


# --- soft neighbours: p_ij = exp(-sharpness_i * D_ij) / (sum over j != i), of some rows' partners ---
# Partners of the r-th of these rows are ``starts[r]`` to ``starts[r + 1]``.


@njit(cache=True, nogil=True, fastmath=True)
def row_softmax(starts, partners, distances, sharpness, decay, nearest):
    """Overwrite distances with the softmax rows p; note the nearest.

    Exponents farther than `decay` below the row's largest give zero: what a longer list holds besides
    does not count, so that the values do not depend on the list at hand.
    """
    lowest = -distances.dtype.type(decay)
    zero = distances.dtype.type(0)
    for r in range(starts.size - 1):
        begin = starts[r]
        row = distances[begin : starts[r + 1]]
        if row.size == 0:
            continue
        low = row[0]
        for e in range(row.size):
            low = min(low, row[e])
        where = 0
        while row[where] > low:
            where += 1
        nearest[r] = partners[begin + where]
        sharp = sharpness[r]
        total = zero
        for e in range(row.size):
            exponent = sharp * (low - row[e])
            weight = exp(exponent) if exponent >= lowest else zero
            row[e] = weight
            total += weight
        inverse = 1 / total
        for e in range(row.size):
            row[e] *= inverse


@njit(cache=True, nogil=True, fastmath=True)
def row_target_sums(starts, partners, P, targets, out):
    """Sums of the partners' target rows, weighted with p."""
    for r in range(starts.size - 1):
        sums = out[r]
        for e in range(starts[r], starts[r + 1]):
            if P[e] != 0:
                j = partners[e]
                for t in range(targets.shape[1]):
                    sums[t] += P[e] * targets[j, t]


@njit(cache=True, nogil=True, fastmath=True)
def row_class_sums(starts, partners, P, codes, out):
    """The same for one-hot targets given as codes."""
    for r in range(starts.size - 1):
        for e in range(starts[r], starts[r + 1]):
            out[r, codes[partners[e]]] += P[e]


@njit(cache=True, nogil=True, fastmath=True)
def row_weigh_targets(starts, partners, P, targets, slopes, offsets):
    """Overwrite p_ij with p_ij * (slope of i . targets[j] + offset of i)."""
    for r in range(starts.size - 1):
        slope, offset = slopes[r], offsets[r]
        for e in range(starts[r], starts[r + 1]):
            if P[e] != 0:
                j = partners[e]
                factor = offset
                for t in range(targets.shape[1]):
                    factor += slope[t] * targets[j, t]
                P[e] *= factor


@njit(cache=True, nogil=True, fastmath=True)
def row_weigh_classes(starts, partners, P, codes, slopes, offsets):
    """The same for one-hot targets given as codes."""
    for r in range(starts.size - 1):
        slope, offset = slopes[r], offsets[r]
        for e in range(starts[r], starts[r + 1]):
            P[e] *= slope[codes[partners[e]]] + offset
