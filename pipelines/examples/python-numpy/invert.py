#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames in OpenCL memory as NumPy arrays, without a copy: PyOpenCL maps the buffer of the frame itself.

usage: invert.py
"""
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstCl", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstCl, GstVideo  # noqa: E402

# GStreamer is loaded first, because it may load another unwinder of C++ exceptions (libunwind), which C++ modules must not mix
# with theirs
Gst.init(None)
import numpy  # noqa: E402
import pyopencl  # noqa: E402

LINE = ("videotestsrc num-buffers=3 ! video/x-raw,format=GRAY8,width=320,height=240 ! clmedian ! "
        "appsink name=frames caps=video/x-raw(memory:OpenCLMemory)")


class Mapped:
    """A frame of one plane with one byte a pixel, as an array to read and write while the `with` block lasts.
    On a CPU the array is the frame's own memory, on a GPU the driver moves what it has to."""

    def __init__(self, sample):
        self.memory = sample.get_buffer().peek_memory(0)
        self.info = GstVideo.VideoInfo.new_from_caps(sample.get_caps())
        # the queue of the elements' kernels, and the frame's buffer; both are counted references
        self.queue = pyopencl.CommandQueue.from_int_ptr(GstCl.Memory.get_context(self.memory).get_queue())
        self.buffer = pyopencl.Buffer.from_int_ptr(GstCl.Memory.get_handle(self.memory))

    def __enter__(self):
        written = GstCl.Memory.get_event(self.memory)
        self.array, _ = pyopencl.enqueue_map_buffer(
            self.queue, self.buffer, pyopencl.map_flags.READ | pyopencl.map_flags.WRITE, self.info.offset[0],
            (self.info.height, self.info.width), numpy.uint8, strides=(self.info.stride[0], 1),
            wait_for=[pyopencl.Event.from_int_ptr(written, retain=False)] if written else None)
        return self.array

    def __exit__(self, *_):
        done = self.array.base.release(self.queue)
        # the next user of the frame waits for this event
        GstCl.Memory.set_event(self.memory, done.int_ptr)


def main():
    pipeline = Gst.parse_launch(LINE)
    frames = pipeline.get_by_name("frames")
    pipeline.set_state(Gst.State.PLAYING)
    count = 0
    while sample := frames.emit("pull-sample"):
        with Mapped(sample) as picture:
            before = picture.mean()
            numpy.subtract(255, picture, out=picture)
        with Mapped(sample) as picture:
            print(f"frame {count}: mean {before:.1f}, inverted {picture.mean():.1f}")
        count += 1
    failure = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if failure:
        sys.exit(failure.parse_error()[0].message)


if __name__ == "__main__":
    main()
