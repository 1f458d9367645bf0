#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernels on processors whose driver is not PoCL, where there is one: each compiles within the player's time, vectors of one
element too, and what is exact everywhere gives PoCL's bytes. Prints TAP.

usage: test-other-cpus.py PLAYER CL_INFO   with PLAYER the program play-lines
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "docs"))
import tap  # pylint: disable=wrong-import-position
from player import Player  # pylint: disable=wrong-import-position

EXACT = ["clmedian", "clmedian radius=2", "clmedian radius=9", "clblur type=box", "clconvolve preset=edge", "clsobel", "cldilate radius=3",
         "clnoise", "clequalize", "clthreshold", "cldeinterlace mode=always", "clflip video-direction=180"]
CLOSE = ["clblur", "clbilateral", "clsharpen", "clnlmeans", "cltemporal", "clstabilize smoothing=1"]
# without padding; the second is narrower than a vector
SIZES = [("RGBA", 320, 240), ("GRAY8", 8, 7), ("I420_10LE", 32, 18)]


def devices(cl_info):
    report = json.loads(tap.run([cl_info, "--json"], errors=subprocess.DEVNULL)[1] or "{}")
    return [(each["device"], each["platform"]) for each in report.get("devices", []) if each["type"] == "CPU" and each["backend"] == "cpu"]


def complaint(line, size, players, folder):
    """Compares the results of all devices for a line; the first device is PoCL's"""
    results = []
    for device, player in players.items():
        place = folder / "frames"
        place.unlink(missing_ok=True)
        source = f"videotestsrc num-buffers=3 pattern=snow ! video/x-raw,format={size[0]},width={size[1]},height={size[2]}"
        status, said = player.play(shlex.split(f"{source} ! {line} device={device} ! filesink location={place}"))
        if status != 0:
            return f"on {device}: {said}" if status else f"on {device}: no end"
        results.append(place.read_bytes())
    return "" if line in CLOSE or len(set(results)) == 1 else "the devices' bytes differ"


def main():
    found = devices(sys.argv[2])
    others = [device for device, platform in found if platform != "Portable Computing Language"]
    pocl = [device for device, platform in found if platform == "Portable Computing Language"]
    tap.skip_all("" if others else "there is no processor with another driver than PoCL")
    cases = [(line, size) for line in EXACT + CLOSE for size in SIZES]
    print(f"1..{len(cases)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        env = os.environ | {"XDG_CACHE_HOME": name, "POCL_CACHE_DIR": name, "GST_CL_BUILD_OPTIONS": ""}
        players = {device: Player(Path(sys.argv[1]).resolve(), folder, env) for device in pocl[:1] + others}
        for number, (line, size) in enumerate(cases, 1):
            found = complaint(line, size, players, folder)
            tap.result(number, f"{line} {size[0]} {size[1]}x{size[2]}", found)
        for player in players.values():
            player.close()


if __name__ == "__main__":
    main()
