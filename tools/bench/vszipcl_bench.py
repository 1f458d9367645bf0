#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times vszipcl's bilateral and nlmeans, in lines of JSON as cvcuda_bench does.

  PYTHONPATH=WHEELS python3 vszipcl_bench.py [WIDTH HEIGHT [FRAMES.rgba or - [NAME]]] > vszipcl.jsonl

WHEELS is the folder that the wheels vapoursynth and vapoursynth_vszipcl (for Python 3.12) were unpacked to; NumPy is needed,
too. FRAMES is the file of cl-bench --save-frames. Frames are in the host's memory, before and after: a time is of a frame, over
many in a row, with both copies, so what compares to it is cl-bench's column "system memory". For each row the number of
vszipcl's streams is the quickest of STREAMS. Row `copies` has no filter, and shows what VapourSynth itself takes."""
import json
import statistics
import sys
import time

import numpy as np
import vapoursynth as vs

from cvcuda_bench import ROTATED, draw_frames

STREAMS, SAMPLES, SAMPLE_S, MOST_FRAMES = (1, 2, 4, 8), 5, 0.5, 4000


def make_clip(frames):
    """An endless clip of frames that VapourSynth keeps: height, width and one or three components."""

    def fill(n, f):
        copy = f.copy()
        for plane in range(frames[n].shape[2]):
            np.asarray(copy[plane])[:] = frames[n][..., plane]
        return copy

    height, width, planes = frames[0].shape
    blank = vs.core.std.BlankClip(width=width, height=height, format=vs.GRAY8 if planes == 1 else vs.RGB24, length=ROTATED)
    clip = blank.std.ModifyFrame(blank, fill)
    clip.std.SetVideoCache(mode=1, fixedsize=True, maxsize=2 * ROTATED)
    return clip.std.Loop(0)


def make_filter(source, function, streams, settings):
    clip = getattr(source.vszipcl, function)(num_streams=streams, **settings) if function else source
    clip.std.SetVideoCache(mode=0)  # otherwise results are kept, and are not computed again
    return clip


def run(clip, n):
    """The time of a frame in µs."""
    begin = time.perf_counter()
    for _ in clip[:n].frames(prefetch=2 * vs.core.num_threads, close=True, collect_garbage=False):
        pass
    return (time.perf_counter() - begin) / n * 1e6


def measure(clip):
    run(clip, 2 * ROTATED)
    n = max(ROTATED, min(MOST_FRAMES, int(SAMPLE_S * 1e6 / run(clip, ROTATED))))
    return sorted(run(clip, n) for _ in range(SAMPLES))


def rows(radii=(2, 4)):
    """Names and windows of cl-bench, functions and arguments that filter as its rows do. Theirs is a square window."""
    yield "copies", 1, None, {}
    for radius in radii:
        yield "bilateral-square", 2 * radius + 1, "Bilateral", {"sigma_spatial": radius / 2, "sigma_color": 0.1, "radius": radius}
    yield "nlmeans", 15, "NLMeans", {"d": 0, "a": 7, "s": 3, "h": 0.05 * 255}


def main(arguments):
    width, height = (int(arguments[0]), int(arguments[1])) if len(arguments) > 1 else (3840, 2160)
    path, wanted = arguments[2] if len(arguments) > 2 else "-", arguments[3] if len(arguments) > 3 else ""
    rgba = draw_frames(width, height) if path == "-" else list(
        np.fromfile(path, np.uint8, ROTATED * width * height * 4).reshape(ROTATED, height, width, 4))
    for form, parts in (("GRAY8", slice(1, 2)), ("RGB", slice(0, 3))):
        source = make_clip([frame[..., parts] for frame in rgba])
        for name, window, function, settings in rows():
            if wanted not in name:
                continue
            try:
                times = {streams: measure(make_filter(source, function, streams, settings))
                         for streams in (STREAMS if function else STREAMS[:1])}
            except Exception as error:  # one row must not end the others
                print(f"{name} {window}, {form}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
                continue
            streams, us = min(times.items(), key=lambda item: statistics.median(item[1]))
            print(json.dumps({
                "peer": "vszipcl", "filter": name + ("-gray" if form == "GRAY8" else ""), "size": window, "width": width,
                "height": height, "channels": 1 if form == "GRAY8" else 3, "format": form, "us": round(statistics.median(us), 1),
                "min_us": round(us[0], 1), "max_us": round(us[-1], 1), "function": function or "none", "streams": streams,
                "all_us": {n: round(statistics.median(each), 1) for n, each in times.items()}}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
