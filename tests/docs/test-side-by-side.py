#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs cl-compare without a window: an untouched picture is 100 dB and 1, a blurred one less, in every second and as a
whole; a filter that does not exist is an error; a film with sound ends after --frames. Prints TAP.

usage: test-side-by-side.py PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import headless
import tap

FRAMES = 40
LINE = re.compile(r"^(second \d+|whole) .*PSNR +([\d.]+) dB +SSIM ([\d.]+)$", re.M)


def run(program, *arguments):
    return tap.run([program, "--frames", FRAMES, "--sink", "fakesink sync=false", *arguments])


def measured(program, *arguments):
    """(subject, PSNR, SSIM) of every line, or None if the program fails"""
    status, text = run(program, *arguments)
    if status:
        print("\n".join("# " + line for line in text.splitlines()))
        return []
    return [(name, float(psnr), float(ssim)) for name, psnr, ssim in LINE.findall(text)]


def pictures_of_a_film(program, frames):
    """How many pictures the sink gets from a film with sound, whose demuxer sends gaps after the last frame; a picture may repeat"""
    with tempfile.TemporaryDirectory() as folder:
        tap.run(f"gst-launch-1.0 -q qtmux name=mux ! filesink location={folder}/film.mov "
                "videotestsrc num-buffers=300 ! video/x-raw,width=64,height=48 ! jpegenc ! queue ! mux. "
                "audiotestsrc num-buffers=430 ! audio/x-raw,format=S16LE,rate=44100 ! queue ! mux.".split())
        tap.run([program, "--frames", frames, "--filter", "identity", "--sink",
                 f"pngenc ! multifilesink location={folder}/%d.png", f"{folder}/film.mov"])
        return len(list(pathlib.Path(folder).glob("*.png")))


headless.choose()
tap.skip_all(headless.why_skip())
NAMES = ["second 0", "second 1", "whole"]
same = measured(sys.argv[1], "--filter", "identity")
blurred = measured(sys.argv[1], "--filter", "clblur sigma=2")
ended, said = run(sys.argv[1], "--filter", "clnonesuch")
_, text, errors = tap.run([sys.argv[1], "--frames", "5", "--sink", "fakesink", "--filter", "identity", "--json"], errors=subprocess.PIPE)
document = json.loads(text or "{}")
cases = {
    "an untouched picture": same == [(name, 100.0, 1.0) for name in NAMES],
    "a blurred picture": [line[0] for line in blurred] == NAMES
                         and all(10 < psnr < 60 and 0.2 < ssim < 1 for _, psnr, ssim in blurred),
    "as JSON": document.get("whole", {}).get("all") == {"psnr": 100.0, "ssim": 1.0}
               and document["seconds"][0]["frames"] == 5 and "PSNR 100.00" in errors,
    "a film with sound ends after five frames": pictures_of_a_film(sys.argv[1], 5) in (5, 6),
    "no such filter": ended == 1 and "clnonesuch" in said,
}
tap.results((name, "" if good else "differs") for name, good in cases.items())
