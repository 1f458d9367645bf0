#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The elements in a Python that has other C++ in it, loaded before and after GStreamer: in an interpreter of its own each, a
pipeline is refused, by an exception through all of the plugin, and another plays. Prints TAP, one case for each module and order; a quick run
takes one in three.

usage: test-imports.py
"""
import itertools
import os

import tap

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


def cases():
    python = tap.python_with("gi")
    chosen = list(itertools.product(MODULES, ("before", "after")))
    for name, order in chosen if os.environ.get("GST_CL_TEST_FULL") else chosen[1::3]:
        status, output = 77, ""
        if python and tap.run([python, "-c", MODULES[name]])[0] == 0:
            imports = [MODULES[name], GSTREAMER] if order == "before" else [GSTREAMER, MODULES[name]]
            status, output = tap.run([python, "-c", "\n".join([*imports, PLAY])])
        wrong = [f"exit status {status}", *output.splitlines()[-20:]] if status not in (0, 77) else []
        yield f"{name} {order} gi", wrong, f"no OpenCL device, no gi or no {name}" if status == 77 else ""


tap.results(cases())
