# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of filters on a photograph, as bytes of RGBA, and how much two of them may differ."""
import shlex

from player import Player

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


class Pictures:
    """Plays launch lines, and reads what they write"""

    def __init__(self, root, program, folder):
        self.root, self.player, self.folder = root, Player(program, folder), folder
        self.photograph = (f"filesrc location={root}/tests/docs/photograph.jpg ! jpegdec ! videocrop right=404 ! videoconvert ! "
                           "videoscale")

    def play(self, line):
        status, said = self.player.play(shlex.split(line))
        if status != 0:
            raise RuntimeError(said.strip() or "no end")

    def filtered(self, source, line, sigma):
        """The second input of a filter that is named mix is the picture, blurred"""
        result = self.folder / "result"
        result.unlink(missing_ok=True)
        end = f"videoconvert ! video/x-raw,format=RGBA ! filesink location={result}"
        if "name=mix" in line:
            self.play(f"{source} ! tee name=t ! queue ! {line} ! {end} t. ! queue ! clblur sigma={sigma} ! mix.")
        else:
            self.play(f"{source} ! {line} ! {end}")
        if not result.exists():
            raise RuntimeError("no result")
        return result.read_bytes()


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
