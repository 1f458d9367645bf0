# SPDX-License-Identifier: LGPL-2.1-or-later
"""GL without a window, for tests of pipelines: GStreamer's variables, and whether GL works here."""
import os
import shutil

import tap


def choose():
    """Sets the variables of GL without a display, unless the caller has set some. The window test covers windows."""
    if "GST_GL_PLATFORM" not in os.environ and "GST_GL_WINDOW" not in os.environ:
        os.environ.update(GST_GL_PLATFORM="egl", GST_GL_WINDOW="egl-device")


def launch(line, timeout=60):
    """(exit status, output) of a gst-launch-1.0 -q line"""
    return tap.run(["sh", "-c", "gst-launch-1.0 -q " + line], timeout=timeout)


def has_gl():
    """Whether a GL context can be made, and the filters were built with GL"""
    return launch("gltestsrc num-buffers=1 ! clmedian ! fakesink")[0] == 0


def why_skip():
    """Why no pipeline can run here; empty if one can"""
    if not shutil.which("gst-launch-1.0"):
        return "gst-launch-1.0 is not installed"
    if "No OpenCL" in launch("videotestsrc num-buffers=1 ! clupload ! fakesink")[1]:
        return "no OpenCL device"
    return ""
