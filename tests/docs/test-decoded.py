#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Filters on what decoders give, as users have them: filesrc ! decodebin ! FILTER ! videoconvert, with no caps and no property that
is about formats. A photograph goes through encoders into files; each result is put beside that of the same stream as RGBA.
Prints TAP, one case a stream and filter; streams whose encoder or decoder is not installed are skipped. Without GST_CL_TEST_FULL
streams take the filters by turns.

usage: test-decoded.py ROOT PLAYER   with PLAYER the program play-lines
"""
import os
import pathlib
import sys

import tap
from pictures import BY_LUMA, CLOSE, FROM_ZERO, Pictures, complaint, difference

WIDTH, HEIGHT, FRAMES = 160, 96, 3
# name: caps between encoder and decoder, encoder and container, packages
STREAMS = {
    "H.264, 8 bits 4:2:0": ("I420", "x264enc ! h264parse ! matroskamux", ("x264enc", "avdec_h264")),
    "H.265, 10 bits 4:2:0": ("I420_10LE", "x265enc ! h265parse ! matroskamux", ("x265enc", "avdec_h265")),
    "MJPEG, 4:2:2": ("Y42B", "jpegenc ! matroskamux", ("jpegenc", "jpegdec")),
    "MPEG-2, interlaced": ("I420,interlace-mode=interleaved", "mpeg2enc format=3 interlace-mode=1 ! mpegvideoparse ! matroskamux",
                           ("mpeg2enc", "avdec_mpeg2video")),
    "H.264, interlaced": ("I420,interlace-mode=interleaved", "x264enc interlaced=true ! h264parse ! matroskamux",
                          ("x264enc", "avdec_h264")),
    "H.264, 4:4:4": ("Y444", "x264enc ! h264parse ! matroskamux", ("x264enc", "avdec_h264")),
    "ProRes, 10 bits 4:2:2": ("I422_10LE", "avenc_prores_ks ! qtmux", ("avenc_prores_ks", "avdec_prores")),
    "FFV1, 12 bits 4:4:4": ("Y444_12LE", "avenc_ffv1 ! matroskamux", ("avenc_ffv1", "avdec_ffv1")),
    "raw YUY2": ("YUY2", "avimux", ("avimux", "avidemux")),
}
# launch texts and the allowed differences
FILTERS = [
    ("clmedian", CLOSE), ("clsobel", FROM_ZERO), ("clconvolve preset=edge", FROM_ZERO), ("clmorphology operation=gradient", FROM_ZERO),
    ("cllevels gamma=2", BY_LUMA), ("clcolormatrix preset=sepia", CLOSE), ("clthreshold", BY_LUMA), ("clequalize", BY_LUMA),
    ("cladjust exposure=0.3 saturation=1.3", CLOSE), ("clflip video-direction=180", CLOSE), ("cldeinterlace", CLOSE),
    ("clstabilize smoothing=2", CLOSE), ("cllut3d location={root}/pipelines/luts/teal-and-orange.cube", CLOSE),
    ("clwarp matrix='0.9 0.1 5; -0.1 0.9 8; 0 0.0005 1'", CLOSE), ("clblend name=mix mode=average", CLOSE),
]
# what corresponds to the default in YUV
ON_RGBA = {"clsobel": "clsobel domain=intensity"}


class Streams(Pictures):
    """Encoded photographs"""

    def encode(self, caps, encoder):
        path = self.folder / "stream"
        self.play(f"{self.photograph} ! imagefreeze num-buffers={FRAMES} ! videoconvert ! "
                  f"video/x-raw,format={caps.split(',')[0]},width={WIDTH},height={HEIGHT},framerate=25/1 ! "
                  f"capssetter caps=video/x-raw,{caps.partition(',')[2] or 'framerate=25/1'} ! {encoder} ! filesink location={path}")
        return path

    def decoded(self, stream, line, before=""):
        frame = self.filtered(f"filesrc location={stream} ! decodebin{before}", line.format(root=self.root), 3)[:WIDTH * HEIGHT * 4]
        if len(frame) < WIDTH * HEIGHT * 4:
            raise RuntimeError("no frame came out")
        return frame


def filters_of(stream):
    """The filters to test on the stream of this number"""
    return FILTERS if os.environ.get("GST_CL_TEST_FULL") else FILTERS[stream % 3::3]


def check_stream(streams, filters, caps, encoder):
    """[(filter, error or "")]"""
    to_rgba = " ! videoconvert ! video/x-raw,format=RGBA"
    stream = streams.encode(caps, encoder)
    # GStreamer's JPEG decoder outputs 4:2:0 before 1.24
    as_encoded = "identity" if "jpegenc" in encoder else f"video/x-raw,format={caps}"
    base = difference(streams.decoded(stream, as_encoded), streams.decoded(stream, "identity", to_rgba))
    found = []
    for line, allowed in filters:
        try:
            on_rgba = streams.decoded(stream, ON_RGBA.get(line, line), to_rgba)
            wrong = complaint(streams.decoded(stream, line), on_rgba, base, allowed)
        except RuntimeError as error:
            wrong = str(error)
        found.append((line, wrong))
    return found


def cases():
    with tap.folder() as scratch:
        streams = Streams(*(pathlib.Path(path).resolve() for path in sys.argv[1:]), scratch)
        for stream, (name, (caps, encoder, needed)) in enumerate(STREAMS.items()):
            filters = filters_of(stream)
            missing = [each for each in needed if not tap.described(each)]
            try:
                found = [(line, "") for line, _ in filters] if missing else check_stream(streams, filters, caps, encoder)
            except RuntimeError as error:
                found = [(line, f"the stream could not be made: {error}") for line, _ in filters]
            for line, wrong in found:
                yield f"{name}, {line}", wrong, f"no {missing[0]}" if missing else ""
        streams.player.close()


tap.results(cases())
