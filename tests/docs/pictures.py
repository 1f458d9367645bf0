# SPDX-License-Identifier: LGPL-2.1-or-later
"""How much two results, as bytes of RGBA, may differ."""

# How much results may differ on average, in a channel's brightness and in a sample, beyond the conversion's own difference.
CLOSE = (4, 6)
# for results without colour, or with chroma edges at half resolution
COARSE = (6, 14)
# for luma results that start at 0, where black is 16: in RGB they are up to 16 * 255 / 219 darker
FROM_ZERO = (19, 19)
# for filters that stretch only luma, where in RGB all components change
BY_LUMA = (24, 30)
# for noise, which differs in each format
RANDOM = (10, 45)
# for tiles of 220 pixels, whose 1024 values may occur once each where 256 values occur up to three times
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
    """The error in a result, or "". base: the differences without a filter; allowed: further differences"""
    shift, mean = difference(got, expected)
    if shift <= base[0] + allowed[0] and mean <= base[1] + allowed[1]:
        return ""
    return (f"a channel differs by {shift:.1f} of {base[0]:.1f} + {allowed[0]}, "
            f"a sample by {mean:.1f} of {base[1]:.1f} + {allowed[1]}")
