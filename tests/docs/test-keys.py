#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Presses keys in the window of cl-erode, on a virtual X server: each press has to move the threshold, as it
prints, and the picture has to follow. Prints TAP, one case for each video sink.

usage: test-keys.py CL_ERODE
"""
import functools
import importlib
import os
import subprocess
import sys
import threading

import screen
import tap

window = importlib.import_module("test-window")

SINKS = {"ximagesink": "videoconvert ! ximagesink", "glimagesink": "glupload ! glcolorconvert ! glimagesink"}
# pressed keys and the resulting thresholds; the green bar of the test picture is at 0.59
PRESSES = [("Up", 0.52), ("Down", 0.50), ("Up", 0.52), ("Up", 0.54), ("Up", 0.56), ("Up", 0.58), ("Up", 0.60)]
PATIENCE = 40


def next_threshold(process):
    """The next printed threshold; None if none comes"""
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    try:
        return next((float(line.split()[1]) for line in process.stdout if line.startswith("threshold ")), None)
    finally:
        timer.cancel()


def white_share(folder):
    """The white part of the screen's corner"""
    rgb = window.screenshot(folder)
    return sum(v > 250 for v in rgb[1::3]) / (len(rgb) // 3)


def complaint(process, hand, folder):
    """The error; empty if there is none"""
    if next_threshold(process) != 0.5:
        return "it does not print the threshold that it begins with"
    if not tap.wait_for(lambda: white_share(folder) > 0.5 or process.poll() is not None, PATIENCE):
        return "no picture in the window"
    before = white_share(folder)
    hand.move(100, 100)
    for key, expected in PRESSES:
        hand.key(key)
        found = next_threshold(process)
        if found != expected:
            return f"{key} leads to {found} instead of {expected}"
    if not tap.wait_for(lambda: white_share(folder) < before - 0.1, PATIENCE):
        return f"the picture does not follow: {before:.2f} of it was white, {white_share(folder):.2f} is"
    return ""


def check(sink, display, folder):
    hand = screen.Hand(display)
    with open(folder / "log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen([sys.argv[1], "--radius", "1", "--sink", sink], text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=log,
                                   env=os.environ | {"DISPLAY": display, "GST_GL_PLATFORM": "glx", "GST_GL_WINDOW": "x11"})
        try:
            found = complaint(process, hand, folder)
        finally:
            process.terminate()
            tap.end(process, PATIENCE)
            hand.close()
        log.seek(0)
        return [found, *log.read().splitlines()[-8:]] if found else ""


tap.skip_all(screen.why_skip())
screen.results((name, functools.partial(check, sink)) for name, sink in SINKS.items())
