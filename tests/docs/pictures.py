# SPDX-License-Identifier: LGPL-2.1-or-later
"""How far two results as bytes of RGBA may be apart."""

# By how much results may differ on average, in the brightness of a channel and in a sample, beyond what the conversion alone does.
CLOSE = (4, 6)
# without colour; or edges of chroma in half as many samples
COARSE = (6, 14)
# results that count from 0 in luma, where black is 16: in RGB that is up to 16 * 255 / 219 darker
FROM_ZERO = (19, 19)
# luma alone is spread, where RGB changes all of its components
BY_LUMA = (24, 30)
# noise is another one in each format
RANDOM = (10, 45)
# tiles of 220 pixels, of which 1024 values may have one each where 256 may have three
SMALL_TILES = (30, 36)

def difference(one, other):
    """(greatest difference of a channel's mean, mean difference of a sample)"""
    shifts, total, n = [], 0, len(one) // 4
    for channel in range(3):
        a, b = one[channel::4], other[channel::4]
        shifts.append(abs(sum(a) - sum(b)) / n)
        total += sum(abs(x - y) for x, y in zip(a, b))
    return max(shifts), total / (3 * n)


def complaint(got, expected, base, allowed):
    """What is wrong with a result, or "". base: the differences without a filter; allowed: those beyond them"""
    shift, mean = difference(got, expected)
    if shift <= base[0] + allowed[0] and mean <= base[1] + allowed[1]:
        return ""
    return (f"a channel differs by {shift:.1f} of {base[0]:.1f} + {allowed[0]}, "
            f"a sample by {mean:.1f} of {base[1]:.1f} + {allowed[1]}")
