#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The elements in a Python that has other C++ in it, loaded before and after GStreamer: in an interpreter of its own each, a
pipeline is refused, by an exception through all of the plugin, and another plays. Prints TAP, one case for each module and order; a quick run
takes one in three.

usage: test-imports.py
"""
import itertools
import os
import subprocess

TIMEOUT = 60
GSTREAMER = "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"
MODULES = {
    "libstdc++": "import ctypes; ctypes.CDLL('libstdc++.so.6')",
    "pyopencl": "import pyopencl",
    "scipy": "import scipy.ndimage",
    "cv2": "import cv2",
}
PLAY = """
import sys
Gst.init(None)
for line in ("clthreshold device=nonesuch", "clthreshold"):
    pipeline = Gst.parse_launch(f"videotestsrc num-buffers=1 ! video/x-raw,format=GRAY8,width=32,height=32 ! {line} ! fakesink")
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(40 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    text = message.parse_error()[0].message if message.type == Gst.MessageType.ERROR else "ended"
    pipeline.set_state(Gst.State.NULL)
    if text.startswith("No OpenCL device was found"):
        sys.exit(77)
    if text != ("ended" if line == "clthreshold" else 'No OpenCL device matches "nonesuch".'):
        sys.exit(f"{line}: {text}")
"""


def run(python, *lines):
    """(exit status, output)"""
    done = subprocess.run([python, "-c", "\n".join(lines)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
    return done.returncode, done.stdout


def main():
    # the system's Python has the bindings, even if PATH has another Python first
    python = next((name for name in ("python3", "/usr/bin/python3") if run(name, GSTREAMER)[0] == 0), None)
    cases = list(itertools.product(MODULES, ("before", "after")))
    if not os.environ.get("GST_CL_TEST_FULL"):
        cases = cases[1::3]
    print(f"1..{len(cases)}")
    for number, (name, order) in enumerate(cases, 1):
        status, output = 77, ""
        if python and run(python, MODULES[name])[0] == 0:
            imports = [MODULES[name], GSTREAMER] if order == "before" else [GSTREAMER, MODULES[name]]
            status, output = run(python, *imports, PLAY)
        directive = f" # SKIP no OpenCL device, no gi or no {name}" if status == 77 else ""
        print(f"{'ok' if status in (0, 77) else 'not ok'} {number} - {name} {order} gi{directive}", flush=True)
        if not directive and status:
            print("\n".join(f"# {line}" for line in (f"exit status {status}", *output.splitlines()[-20:])), flush=True)


if __name__ == "__main__":
    main()
