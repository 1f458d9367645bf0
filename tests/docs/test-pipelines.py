#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Asks every script of pipelines/ for its help, and runs it for a few frames without a display. Without GST_CL_TEST_FULL it runs one in
three: each is a process or two that read PoCL's library. Plays a phone's video, and refuses to write over it. Prints TAP.

usage: test-pipelines.py ROOT
"""
import os
import pathlib
import re
import struct
import sys

import headless
import tap

FRAMES = 5
PLAYED = 1 if os.environ.get("GST_CL_TEST_FULL") else 3  # one in so many


def complaints(script, folder, played):
    """What is wrong with a script, in lines; empty where nothing is"""
    status, text = tap.run([script, "-h"], folder)
    if status or not text.startswith(f"usage: pipelines/{script.name}"):
        return ["-h does not print the usage", *text.splitlines()]
    for wrong in ("-x", "a -n", "a b c d"):
        status, text = tap.run([script, *wrong.split()], folder)
        if status != 2 or "usage: " not in text:
            return [f"{wrong} ends with status {status} instead of 2 and the usage"]
    if not played:
        return []
    status, text = tap.run([script, "-n", FRAMES], folder)
    if status or re.search(r"^ERROR|CRITICAL|WARNING \*\*|erroneous pipeline", text, re.M):
        return [f"exit status {status}", *text.splitlines()[-15:]]
    return []


def phone_video(folder):
    """A video that lies on its side, of a format that GL lacks, with more frames than a queue holds, and a name that a shell and
    gst-launch-1.0 take apart"""
    plain = folder / "plain.mov"
    headless.launch(f"videotestsrc num-buffers=300 ! video/x-raw,format=v210,width=64,height=48 ! qtmux ! filesink location={plain}")
    upright, turned = (struct.pack(">9i", *(part << 16 for part in parts), 1 << 30)
                       for parts in ((1, 0, 0, 0, 1, 0, 0, 0), (0, 1, 0, -1, 0, 0, 0, 0)))
    path = folder / "it's \"a\" \\video .mov"
    head, track = plain.read_bytes().split(b"tkhd")
    path.write_bytes(head + b"tkhd" + track.replace(upright, turned))
    return path


def writes(scripts, folder, video):
    """It has to be upright, and as long as asked for"""
    status, text = tap.run([scripts / "noiser.sh", "-n", FRAMES, "-s", "videoconvert ! y4menc ! filesink location=seen.y4m", video], folder)
    if status:
        return text
    seen = (folder / "seen.y4m").read_bytes()
    size, frames = seen[:seen.index(b"\n")], seen.count(b"FRAME\n")
    return "" if b" W48 H64 " in size and frames == FRAMES else f"{frames} frames of {size}"


def spares(scripts, folder):
    """noisy.avi is what noiser.sh writes by default"""
    before = (folder / "noisy.avi").read_bytes()
    (folder / "link").symlink_to("noisy.avi")
    for command in (["noiser.sh", "noisy.avi"], ["bilateral.sh", "-s", "filesink location=link", "noisy.avi"]):
        status, text = tap.run([scripts / command[0], *command[1:]], folder, timeout=20)
        if status != 1 or "is the input" not in text or (folder / "noisy.avi").read_bytes() != before:
            return text or "the input is written"
    return ""


def cases(scripts, folder):
    for number, path in enumerate((path for path in sorted(scripts.glob("*.sh")) if os.access(path, os.X_OK)), 1):
        yield path.name, complaints(path, folder, number % PLAYED == 0)
    video = phone_video(folder)
    yield "a phone's video is turned", writes(scripts, folder, video)
    yield "the input is not written", spares(scripts, folder)
    for script in (["key.sh", video, video], ["life.sh", video], ["erode.sh", video]):
        status, text = tap.run([scripts / script[0], "-n", FRAMES, *script[1:]], folder)
        yield f"a phone's video in {script[0]}", text if status else ""


for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(variable, None)
headless.choose()
tap.skip_all(headless.why_skip() or ("" if headless.has_gl() else "no GL"))
with tap.folder() as scratch:
    tap.results(cases(pathlib.Path(sys.argv[1]) / "pipelines", scratch))
