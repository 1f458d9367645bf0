#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes median selection networks as OpenCL C: networks.py OUTPUT_DIRECTORY, or with --names prints the names of the files.

A network finds the medians of the k x k windows of a tile of outputs that share most of their samples. The samples that every window
holds (the core) are sorted once; then the tile is halved again and again, and each half takes in the samples that its windows share,
while samples that can no longer be a median are forgotten. The last step selects from two sorted lists without merging them. Everything
is min and max without a branch; unused results are left out.

A file holds one macro, NETWORK (IN, OUT), that a kernel uses as a statement: IN (x, y) is the sample in column x and row y of the
tile's input, OUT (x, y, v) takes the median of output x, y, whose window begins at x, y. network_t, NETWORK_MINIMUM and NETWORK_MAXIMUM
are the type of a sample and its operations; tiles of more than one column take NETWORK_EXCHANGE (i, low, high, a, b) for both of two
values, where i counts.
"""

import itertools
import pathlib
import sys

# name: side of the window, outputs per tile in x and y. The cpu back end has tiles of one column, since its samples
# are lanes of vectors; taller tiles share more, but their values do not fit the registers.
NETWORKS = {f'network_{side}_{x}x{y}.clh': (side, x, y) for side, x, y in (
    (3, 1, 8), (5, 1, 4), (7, 1, 4), (9, 1, 8), (11, 1, 8), (13, 1, 8), (15, 1, 8), (17, 1, 8), (19, 1, 8),
    (3, 4, 4), (5, 4, 4), (7, 4, 2), (9, 4, 2), (11, 4, 2),
)}


class Network:
    """A list of min and max operations on values that are known by number."""

    def __init__(self):
        self.known = {}

    def value(self, *operation):
        return self.known.setdefault(operation, len(self.known))

    def min(self, a, b):
        return a if a == b else self.value('min', *sorted((a, b)))

    def max(self, a, b):
        return a if a == b else self.value('max', *sorted((a, b)))

    def merge(self, a, b):
        """Batcher's odd-even merge of two sorted lists of any lengths."""
        if not a or not b:
            return a + b
        if len(a) == 1 and len(b) == 1:
            return [self.min(a[0], b[0]), self.max(a[0], b[0])]
        even = self.merge(a[0::2], b[0::2])
        odd = self.merge(a[1::2], b[1::2])
        merged = [even[0]]
        for i in range(max(len(odd), len(even) - 1)):
            if i < len(odd) and i + 1 < len(even):
                merged += [self.min(odd[i], even[i + 1]), self.max(odd[i], even[i + 1])]
            else:
                merged.append(odd[i] if i < len(odd) else even[i + 1])
        return merged

    def sort(self, values):
        if len(values) < 2:
            return list(values)
        half = len(values) // 2
        return self.merge(self.sort(values[:half]), self.sort(values[half:]))

    def merge_all(self, lists):
        """Shortest lists first, so that long lists are merged rarely."""
        lists = sorted((l for l in lists if l), key=len)
        while len(lists) > 1:
            lists = sorted([self.merge(lists[0], lists[1])] + lists[2:], key=len)
        return lists[0] if lists else []

    def select(self, a, b, rank):
        """The value of this rank in the union of two sorted lists: the least greatest of rank + 1 that come first."""
        best = None
        for i in range(max(0, rank + 1 - len(b)), min(len(a), rank + 1) + 1):
            j = rank + 1 - i
            greatest = b[j - 1] if i == 0 else a[i - 1] if j == 0 else self.max(a[i - 1], b[j - 1])
            best = greatest if best is None else self.min(best, greatest)
        return best


class Tile:
    """The medians of outputs_x x outputs_y windows of side x side samples; the window of output x, y begins there."""

    def __init__(self, side, outputs_x, outputs_y):
        self.side, self.size, self.rank = side, side * side, side * side // 2
        self.network, self.lines, self.medians = Network(), {}, {}
        (self.three if side == 3 else self.core)(outputs_x, outputs_y)

    def line(self, across, at, ranges):
        """A row (across 'x') or column of samples, sorted. Of nested ranges other lines share the innermost."""
        first, last = ranges[-1]
        key = (across, at, first, last)
        if key not in self.lines:
            inner = ranges[-2] if len(ranges) > 1 else (first, first)
            parts = [self.line(across, at, ranges[:-1])] if len(ranges) > 1 else []
            for part in (range(first, inner[0]), range(inner[1], last)):
                places = ((i, at) if across == 'x' else (at, i) for i in part)
                parts.append(self.network.sort([self.network.value('in', x, y) for x, y in places]))
            self.lines[key] = self.network.merge_all(parts)
        return self.lines[key]

    def core(self, outputs_x, outputs_y):
        """The samples in all windows of the tile, sorted."""
        columns, rows = (outputs_x - 1, self.side), (outputs_y - 1, self.side)
        shared = self.network.merge_all([self.line('x', y, [columns]) for y in range(*rows)])
        values, dropped = self.forget(shared, len(shared), 0)
        self.halve((0, outputs_x), (0, outputs_y), [columns], [rows], values, len(shared), dropped)

    def forget(self, values, seen, dropped):
        """Keeps the samples of a sorted list that can still be the median; of `seen` samples `dropped` were too small."""
        first = max(0, self.rank - dropped - (self.size - seen))
        last = min(len(values), self.rank - dropped + 1)
        return values[first:last], dropped + first

    def halve(self, xs, ys, columns, rows, values, seen, dropped):
        """Outputs xs by ys share the samples in columns[-1] by rows[-1], of which `values` can still be a median."""
        across = 'x' if xs[1] - xs[0] >= ys[1] - ys[0] else 'y'
        outputs, common = (xs, columns) if across == 'x' else (ys, rows)
        middle = (outputs[0] + outputs[1]) // 2
        for half in ((outputs[0], middle), (middle, outputs[1])):
            now, before = (half[1] - 1, half[0] + self.side), common[-1]
            added = [*range(now[0], before[0]), *range(before[1], now[1])]
            if across == 'x':
                self.take_in([self.line('y', x, rows) for x in added], half, ys, columns + [now], rows, values, seen, dropped)
            else:
                self.take_in([self.line('x', y, columns) for y in added], xs, half, columns, rows + [now], values, seen, dropped)

    def take_in(self, strip, xs, ys, columns, rows, values, seen, dropped):
        """Adds lines of samples to `values`, and goes on with the outputs xs by ys, which now share those too."""
        strip = self.network.merge_all(strip)
        total = seen + len(strip)
        strip, below = self.forget(strip, total - len(values), dropped)
        if xs[1] - xs[0] == 1 and ys[1] - ys[0] == 1:
            self.medians[xs[0], ys[0]] = self.network.select(values, strip, self.rank - below)
            return
        merged, below = self.forget(self.network.merge(values, strip), total, below)
        self.halve(xs, ys, columns, rows, merged, total, below)

    def three(self, outputs_x, outputs_y):
        """3 x 3: of three sorted lines, the median of the greatest least, the median middle and the least greatest.
        Tiles of one column sort rows, others columns, so that neighbours share them."""
        net, columns = self.network, outputs_x > 1
        for y, x in itertools.product(range(outputs_y), range(outputs_x)):
            places = [[(i, j) if columns else (j, i) for j in shared_pair(y if columns else x)]
                      for i in shared_pair(x if columns else y)]
            low, mid, high = zip(*(self.triple(*(net.value('in', *place) for place in line)) for line in places))
            self.medians[x, y] = self.middle(net.max(net.max(low[0], low[1]), low[2]), self.middle(*mid),
                                             net.min(net.min(high[0], high[1]), high[2]))

    def triple(self, a, b, c):
        """Three samples, sorted."""
        low, high = self.network.min(a, b), self.network.max(a, b)
        rest = self.network.max(low, c)
        return self.network.min(low, c), self.network.min(high, rest), self.network.max(high, rest)

    def middle(self, a, b, c):
        net = self.network
        return net.max(net.min(a, b), net.min(net.max(a, b), c))


def shared_pair(first):
    """first .. first + 2, beginning with the two that an even number and the odd one after it have in common."""
    return (first + 1, first + 2, first) if first % 2 == 0 else (first, first + 1, first + 2)


def macro(side, outputs_x, outputs_y):
    tile = Tile(side, outputs_x, outputs_y)
    operations = list(tile.network.known)
    live, results = set(tile.medians.values()), {}
    for v in reversed(range(len(operations))):
        if v in live and operations[v][0] != 'in':
            live.update(operations[v][1:])
    for place, v in tile.medians.items():
        results.setdefault(v, []).append(place)
    text, done, sorts = [], set(), 0
    for v, (kind, a, b) in enumerate(operations):
        if v not in live or v in done:
            continue
        other = tile.network.known.get(('max' if kind == 'min' else 'min', a, b))
        made = [v]
        if kind == 'in':
            text.append(f'GIVEN ({v}, IN ({a}, {b}))')
        elif outputs_x > 1 and other in live:
            made.append(other)
            low, high = made if kind == 'min' else made[::-1]
            sorts += 1
            text.append(f'SORT ({sorts}, {low}, {high}, {a}, {b})')
        else:
            text.append(f'{"LESS" if kind == "min" else "MORE"} ({v}, {a}, {b})')
        done.update(made)
        text += [f'OUT ({x}, {y}, v{i});' for i in made for x, y in results.get(i, [])]
    return text


HEADER = """/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Written by networks.py: medians of {0} x {0} samples, {1} x {2} outputs. */
#define GIVEN(n, sample) const network_t v##n = sample;
#define LESS(n, a, b) const network_t v##n = NETWORK_MINIMUM (v##a, v##b);
#define MORE(n, a, b) const network_t v##n = NETWORK_MAXIMUM (v##a, v##b);
#define SORT(i, low, high, a, b) \\
  network_t v##low, v##high;  \\
  NETWORK_EXCHANGE (i, v##low, v##high, v##a, v##b)
#define NETWORK(IN, OUT) \\
  {3}
"""

if sys.argv[1] == '--names':
    print('\n'.join(NETWORKS))
else:
    for name, shape in NETWORKS.items():
        (pathlib.Path(sys.argv[1]) / name).write_text(HEADER.format(*shape, ' \\\n  '.join(macro(*shape))))
