#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fades a blur in within two seconds: GstController sets the property `mix` for each frame.

usage: fade.py [SINK]        fade.py "videoconvert ! autovideosink"
"""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstController", "1.0")
from gi.repository import Gst, GstController  # noqa: E402


def ramp(element, name, points):
    """Moves a property linearly between (seconds, value)"""
    source = GstController.InterpolationControlSource()
    source.set_property("mode", GstController.InterpolationMode.LINEAR)
    for seconds, value in points:
        source.set(int(seconds * Gst.SECOND), value)
    element.add_control_binding(GstController.DirectControlBinding.new(element, name, source))


def main():
    Gst.init(None)
    sink = sys.argv[1] if len(sys.argv) > 1 else "fakesink"
    pipeline = Gst.parse_launch(f"videotestsrc num-buffers=90 ! video/x-raw,width=320,height=240 ! clblur name=blur sigma=8 ! {sink}")
    blur = pipeline.get_by_name("blur")
    ramp(blur, "mix", [(0, 0), (2, 1)])

    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    print(f"mix at the end: {blur.get_property('mix'):.2f}")
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(message.parse_error()[0].message)


if __name__ == "__main__":
    main()
