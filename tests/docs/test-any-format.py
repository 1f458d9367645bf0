#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decoded video looks right, whatever its format: each filter's result on a photograph in YUV, packed, planar, of 8, 10 and 12 bits, of
limited and of full range, is put beside the one on RGBA. Both are converted to RGB; what is left between them is what chroma
subsampling and the filter's own domain explain. Prints TAP, one case a line.

Without GST_CL_TEST_FULL: each filter as it is and with its presets, in I420. With it: every value of every enumeration, in all.

usage: test-any-format.py ROOT PLAYER [--sheet FILE]   with PLAYER the program play-lines; FILE: a PNG of all results
"""
import argparse
import os
import pathlib
import re
import subprocess
import tempfile

import tap
from pictures import BY_LUMA, CLOSE, COARSE, FROM_ZERO, RANDOM, SMALL_TILES, Pictures, complaint, difference

WIDTH, HEIGHT = 160, 88
# how formats are made, and whether a quick run includes them
FORMATS = {
    "I420": True, "YUY2": False, "NV12": False, "P010_10LE": False, "Y444_12LE": False, "GBR_10LE": False, "AYUV": False,
    "I420,colorimetry=1:4:5:1": False,
}
ROOT = pathlib.Path(__file__).resolve().parents[2]
# the default of edge detectors in YUV
INTENSITY = " domain=intensity"
# settings with which a filter changes the picture
LINES = {
    "cladjust contrast=1.3 hue=0.2": CLOSE, "cladjust shadows=0.5 temperature=0.3": CLOSE,
    f"cllut3d location={ROOT}/pipelines/luts/teal-and-orange.cube": CLOSE,
    "clbilateral sigma-range=0.2": CLOSE, "clblur sigma=2": CLOSE, "clcolormatrix preset=sepia": CLOSE, "clconvolve": COARSE,
    "cldeblock strength=0.5": CLOSE, "cldeinterlace mode=always fields=top": CLOSE, "cldilate radius=1": COARSE, "clemboss": FROM_ZERO, "clequalize": BY_LUMA,
    "clerode radius=1": COARSE, "clflip video-direction=90r": COARSE, "clframerate": CLOSE, "clhistogram display=overlay": COARSE, "cllevels gamma=1.5": BY_LUMA, "clmedian radius=1": CLOSE,
    "clmorphology radius=1": FROM_ZERO, "clmotion overlay=vectors": CLOSE, "clnlmeans": CLOSE, "clnoise strength=0.1": RANDOM,
    "clprewitt domain=intensity": FROM_ZERO, "clscharr domain=intensity": FROM_ZERO, "clsharpen": COARSE,
    "clsobel domain=intensity": FROM_ZERO, "clstabilize smoothing=2 post-messages=false": CLOSE, "cltemporal": CLOSE, "clthreshold": BY_LUMA, "clblend": FROM_ZERO,
    "clwarp matrix='0.9 0.1 5; -0.1 0.9 8; 0 0.0005 1'": COARSE,
    "clcompositor sink_1::alpha=0.5 sink_1::xpos=20": CLOSE,
}
# properties of all elements; their values give the same picture, or pictures that differ by format
COMMON = {"border", "gl-interop", "interop", "roi-source", "window-size"}
# components of YUV differ from those of RGB, and the full range gives another picture
SKIPPED = {"domain=per-component", "domain=auto", "range=full"}


def enumerations(element):
    """[(property, nick)] of an element's own enumerations"""
    found, current = [], None
    for line in tap.described(element).partition("Element Properties:")[2].splitlines():
        if match := re.match(r"  ([a-z][a-z0-9-]*) *: ", line):
            current = match[1]
        elif (match := re.match(r"\s+\(-?\d+\): (\S+)\s+- ", line)) and current not in COMMON:
            found.append((current, match[1]))
    return [each for each in found if "=".join(each) not in SKIPPED]


def lines(full):
    """[(launch line, allowed differences)]"""
    found = []
    for line, allowed in LINES.items():
        found.append((line, allowed))
        element = line.split()[0]
        for name, nick in enumerations(element):
            if (full or name == "preset") and f"{name}={nick}" not in line:
                found.append((f"{line} {name}={nick}", SMALL_TILES if nick == "clahe" else allowed))
    return found


class Formats(Pictures):
    """The photograph in a format"""

    def of(self, caps, line):
        mixed = " name=mix" if line.startswith(("clblend", "clcompositor")) else ""
        return self.filtered(f"{self.photograph} ! video/x-raw,format={caps},width={WIDTH},height={HEIGHT}", line + mixed, 4)


def write_sheet(path, rows):
    """rows of pictures of one size as a PNG"""
    columns, black = max(map(len, rows)), bytes(WIDTH * HEIGHT * 4)
    with tempfile.NamedTemporaryFile(suffix=".rgba") as raw:
        for row in rows:
            row = row + [black] * (columns - len(row))
            for y in range(HEIGHT):
                raw.write(b"".join(each[y * WIDTH * 4:(y + 1) * WIDTH * 4] for each in row))
        raw.flush()
        subprocess.run(["gst-launch-1.0", "-q", "filesrc", f"location={raw.name}", "blocksize=2000000000", "!", "rawvideoparse",
                        "format=rgba", f"width={columns * WIDTH}", f"height={len(rows) * HEIGHT}", "!", "videoconvert", "!",
                        "pngenc", "!", "filesink", f"location={path}"], check=True)


def compare(pictures, line, allowed, usual, row):
    """What is wrong with a line, for each format. usual: the differences of each format without a filter"""
    by_default = line.split()[0] in ("clprewitt", "clscharr", "clsobel")
    expected = pictures.of("RGBA", line)
    row.append(expected)
    found = []
    for caps, base in usual.items():
        try:
            got = pictures.of(caps, line if caps.startswith("GBR") or not by_default else line.replace(INTENSITY, ""))
        except RuntimeError as error:
            found.append(f"{caps}: {error}")
            continue
        row.append(got)
        wrong = complaint(got, expected, base, allowed)
        if wrong:
            found.append(f"{caps}: {wrong}")
    return found


parser = argparse.ArgumentParser()
parser.add_argument("root", type=pathlib.Path)
parser.add_argument("player")
parser.add_argument("--sheet")
given = parser.parse_args()
every = bool(os.environ.get("GST_CL_TEST_FULL") or given.sheet)
rows = []


def cases():
    with tap.folder() as scratch:
        pictures = Formats(given.root.resolve(), pathlib.Path(given.player).resolve(), scratch)
        plain = pictures.of("RGBA", "identity")
        usual = {caps: difference(pictures.of(caps, "identity"), plain) for caps, quick in FORMATS.items() if quick or every}
        for line, allowed in lines(every):
            rows.append([])
            yield tap.case(line, compare, pictures, line, allowed, usual, rows[-1])
        pictures.player.close()


tap.results(cases())
if given.sheet:
    write_sheet(given.sheet, rows)
