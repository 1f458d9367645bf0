#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Presses keys in the window of cl-erode, on a virtual X server: each press has to move the threshold, as it
prints, and the picture has to follow. Prints TAP, one case for each video sink.

usage: test-keys.py GST_CL_ERODE
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


class Player:
    """cl-erode and its output"""

    def __init__(self, program, sink, display, log):
        environment = dict(os.environ, DISPLAY=display, GST_GL_PLATFORM="glx", GST_GL_WINDOW="x11")
        self.process = subprocess.Popen([program, "--radius", "1", "--sink", sink], env=environment, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)

    def next_threshold(self):
        """The next printed threshold; None if none comes"""
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        try:
            for line in self.process.stdout:
                if line.startswith("threshold "):
                    return float(line.split()[1])
            return None
        finally:
            timer.cancel()

    def stop(self):
        self.process.terminate()
        tap.end(self.process, PATIENCE)


def white_share(folder):
    """The white part of the screen's corner"""
    rgb = window.screenshot(folder)
    return sum(v > 250 for v in rgb[1::3]) / (len(rgb) // 3)


def complaint(player, hand, folder):
    """The error; empty if there is none"""
    if player.next_threshold() != 0.5:
        return "it does not print the threshold that it begins with"
    if not tap.wait_for(lambda: white_share(folder) > 0.5 or player.process.poll() is not None, PATIENCE):
        return "no picture in the window"
    before = white_share(folder)
    hand.move(100, 100)
    for key, expected in PRESSES:
        hand.key(key)
        found = player.next_threshold()
        if found != expected:
            return f"{key} leads to {found} instead of {expected}"
    if not tap.wait_for(lambda: white_share(folder) < before - 0.1, PATIENCE):
        return f"the picture does not follow: {before:.2f} of it was white, {white_share(folder):.2f} is"
    return ""


def check(sink, display, folder):
    hand = screen.Hand(display)
    with open(folder / "log", "w+", encoding="utf-8") as log:
        player = Player(sys.argv[1], sink, display, log)
        try:
            found = complaint(player, hand, folder)
        finally:
            player.stop()
            hand.close()
        log.seek(0)
        return [found, *log.read().splitlines()[-8:]] if found else ""


tap.skip_all(screen.why_skip())
screen.results((name, functools.partial(check, sink)) for name, sink in SINKS.items())
