#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hides the faces of a video: OpenCV's detector finds them, clpixelate hides them, and the result is encoded.

usage: hide-faces.py [--check] [--blocks N] [FILE [OUTPUT.mkv]]

FILE      a video or a picture, or /dev/video0 or the like for a camera until Ctrl-C; a test picture by default
OUTPUT    Matroska, hidden.mkv by default; sound is not copied
--blocks  blocks along the smaller side of a region (3)
--check   looks for faces in the encoded result, too

  file -> decoder -> marker -> clpixelate roi-source=meta roi-expand=... roi-hold=... -> encoder -> file

Needs python3-opencv and opencv-data of Debian. The detector finds faces that look at the camera, and misses some of these: a
region stays for HELD frames after its face was found last, and moves on. What is never found stays visible, so look at the result.
"""
import argparse
import os
import pathlib
import re
import signal
import sys

try:
    import cv2
    import gi
    import numpy as np

    gi.require_version("Gst", "1.0")
    gi.require_version("GstVideo", "1.0")
    from gi.repository import GLib, Gst, GstVideo
except (ImportError, ValueError) as missing:  # gi raises ValueError for a library
    sys.exit(f"hide-faces.py: {missing}; install python3-opencv, opencv-data, python3-gst-1.0, and use the Python that has them")

HELD = 15  # frames
GROWTH = 0.6  # how much larger a region is than the detector's rectangle, which leaves out the chin and the hair
CASCADES = pathlib.Path("/usr/share/opencv4/haarcascades")
CAPS = "video/x-raw,format=I420"
HEEDED = Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.WARNING
COPIED = Gst.BufferCopyFlags.FLAGS | Gst.BufferCopyFlags.TIMESTAMPS | Gst.BufferCopyFlags.META | Gst.BufferCopyFlags.MEMORY


class Detector:
    """Finds faces in front view and in profile"""

    def __init__(self):
        self.cascades = [cv2.CascadeClassifier(str(CASCADES / f"haarcascade_{name}.xml"))
                         for name in ("frontalface_alt2", "frontalface_default", "profileface")]
        if any(cascade.empty() for cascade in self.cascades):
            sys.exit(f"no cascades in {CASCADES}: install opencv-data")

    def find(self, luma):
        """Returns rectangles; searches a wide picture at half its size"""
        factor = 2 if luma.shape[1] > 960 else 1
        small = cv2.resize(luma, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)
        return [tuple(int(factor * v) for v in face) for cascade in self.cascades
                for face in cascade.detectMultiScale(small, scaleFactor=1.1, minNeighbors=4, minSize=(24, 24))]


class Marker(Gst.Element):
    """Attaches a GstVideoRegionOfInterestMeta `face` to a frame for each face"""

    def __init__(self, detector):
        super().__init__()
        self.detector, self.info = detector, None
        self.frames = self.with_faces = 0
        # without a template, a pad keeps the size that the frames have before clflip turns them
        self.sink, self.src = (
            Gst.Pad.new_from_template(Gst.PadTemplate.new(name, direction, Gst.PadPresence.ALWAYS, Gst.Caps.from_string(CAPS)), name)
            for name, direction in (("sink", Gst.PadDirection.SINK), ("src", Gst.PadDirection.SRC)))
        self.sink.set_event_function_full(self.on_event)
        self.sink.set_chain_function_full(self.on_buffer)
        self.add_pad(self.sink)
        self.add_pad(self.src)

    def on_event(self, pad, _parent, event):
        if event.type == Gst.EventType.CAPS:
            self.info = GstVideo.VideoInfo.new_from_caps(event.parse_caps())
            return self.src.push_event(event)
        return pad.event_default(self, event)

    def on_buffer(self, _pad, _parent, buffer):
        try:
            return self.src.push(self.marked(buffer))
        except Exception as error:  # the stream ends: no frame may pass without a search
            self.message_full(Gst.MessageType.ERROR, Gst.stream_error_quark(), int(Gst.StreamError.FAILED), str(error), None,
                              __file__, "on_buffer", 0)
            return Gst.FlowReturn.ERROR

    def marked(self, buffer):
        faces = self.detector.find(luma_of(buffer, self.info))
        self.frames += 1
        self.with_faces += bool(faces)
        marked = buffer.copy_region(COPIED, 0, buffer.get_size())
        for face in faces:
            GstVideo.buffer_add_video_region_of_interest_meta(marked, "face", *face)
        return marked


def luma_of(buffer, info):
    """The first plane of a frame, as an array"""
    meta = GstVideo.buffer_get_video_meta(buffer)
    offset, stride = (meta.offset[0], meta.stride[0]) if meta else (info.offset[0], info.stride[0])
    rows = np.frombuffer(buffer.extract_dup(offset, stride * (info.height - 1) + info.width), np.uint8)
    return np.lib.stride_tricks.as_strided(rows, (info.height, info.width), (stride, 1))


def problem_of(message):
    """What ends the pipeline: a text, "" for the end of the stream, None for what does not end it"""
    if message.type == Gst.MessageType.WARNING:  # decodebin may have no pad for the rest of the pipeline
        lacks = message.parse_warning()[0].matches(Gst.parse_error_quark(), Gst.ParseError.DELAYED_LINK)
        return "there is no video in the file" if lacks else None
    return message.parse_error()[0].message if message.type == Gst.MessageType.ERROR else ""


def play(launch, detector):
    """Plays a pipeline to its end, or until Ctrl-C; its identity named `mark` becomes the marker, which is returned"""
    try:
        pipeline = Gst.parse_launch(launch)
    except GLib.Error as error:  # an element is missing
        sys.exit(error.message)
    marker, place = Marker(detector), pipeline.get_by_name("mark")
    before, behind = place.get_static_pad("sink").get_peer(), place.get_static_pad("src").get_peer()
    pipeline.remove(place)
    pipeline.add(marker)
    before.link(marker.sink)
    marker.src.link(behind)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: pipeline.send_event(Gst.Event.new_eos()))
    pipeline.set_state(Gst.State.PLAYING)
    problem = None
    while problem is None:
        message = pipeline.get_bus().timed_pop_filtered(Gst.SECOND // 10, HEEDED)
        if message:
            problem = problem_of(message)
    pipeline.set_state(Gst.State.NULL)
    if problem:
        sys.exit(problem)
    return marker


def location(path):
    """The property of an element, quoted as Gst.parse_launch reads it"""
    return 'location="' + re.sub(r'(["\\])', r"\\\1", path) + '"'


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("file", nargs="?")
    parser.add_argument("output", nargs="?", default="hidden.mkv")
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not 1 <= options.blocks <= 64:
        parser.error("--blocks takes 1 to 64")
    if options.file and not os.access(options.file, os.R_OK):
        sys.exit(f"cannot read {options.file}")
    if options.file and os.path.exists(options.output) and os.path.samefile(options.file, options.output):
        sys.exit(f"{options.output} is the input; name another file to write")
    Gst.init(None)
    detector = Detector()
    source = "videotestsrc num-buffers=10"
    if options.file:
        camera = options.file.startswith("/dev/")
        upright = f"filesrc {location(options.file)} ! decodebin ! clflip video-direction=auto"
        source = f'v4l2src device="{options.file}"' if camera else upright
    encoder = "x264enc tune=zerolatency" if Gst.ElementFactory.find("x264enc") else "jpegenc quality=95"
    hidden = play(f"{source} ! videoconvert ! {CAPS} ! identity name=mark ! "
                  f"clpixelate roi-source=meta roi-labels=face roi-expand={GROWTH} roi-hold={HELD} blocks={options.blocks} anchor=region ! "
                  f"{encoder} ! matroskamux ! filesink {location(options.output)}", detector)
    print(f"{hidden.frames} frames, {hidden.with_faces} with faces")
    if options.check:
        result = play(f"filesrc {location(options.output)} ! decodebin ! videoconvert ! {CAPS} ! identity name=mark ! fakesink", detector)
        print(f"in the result: {result.frames} frames, {result.with_faces} with faces")


if __name__ == "__main__":
    main()
