#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Presses keys in the window of cl-erode, on a virtual X server: each press has to move the threshold, as it
prints, and the picture has to follow. Prints TAP, one case for each video sink.

usage: test-keys.py GST_CL_ERODE
"""
import importlib
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time

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
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())

    def next_threshold(self, patience):
        """The next printed threshold; None if none comes"""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            try:
                line = self.lines.get(timeout=0.2)
            except queue.Empty:
                if self.process.poll() is not None:
                    return None
                continue
            if line.startswith("threshold "):
                return float(line.split()[1])
        return None

    def stop(self):
        self.process.terminate()
        tap.end(self.process, PATIENCE)


def white_share(folder):
    """The white part of the screen's corner"""
    rgb = window.screenshot(folder)
    return sum(v > 250 for v in rgb[1::3]) / (len(rgb) // 3)


def complaint(player, hand, folder):
    """The error; empty if there is none"""
    if player.next_threshold(PATIENCE) != 0.5:
        return "it does not print the threshold that it begins with"
    if not tap.wait_for(lambda: white_share(folder) > 0.5 or player.process.poll() is not None, PATIENCE):
        return "no picture in the window"
    before = white_share(folder)
    hand.move(100, 100)
    for key, expected in PRESSES:
        for down in (True, False):
            hand.press_key(hand.symbol(key), down)
        found = player.next_threshold(PATIENCE)
        if found != expected:
            return f"{key} leads to {found} instead of {expected}"
    if not tap.wait_for(lambda: white_share(folder) < before - 0.1, PATIENCE):
        return f"the picture does not follow: {before:.2f} of it was white, {white_share(folder):.2f} is"
    return ""


def main():
    os.environ.pop("WAYLAND_DISPLAY", None)
    tap.skip_all(screen.why_skip())
    print(f"1..{len(SINKS)}")
    for number, (name, sink) in enumerate(SINKS.items(), 1):
        with tempfile.TemporaryDirectory() as scratch, screen.server(pathlib.Path(scratch)) as display:
            if not display:
                tap.result(number, name, skip="Xvfb does not start")
                continue
            hand = screen.Hand(display)
            with open(pathlib.Path(scratch) / "log", "w+", encoding="utf-8") as log:
                player = Player(sys.argv[1], sink, display, log)
                try:
                    found = complaint(player, hand, pathlib.Path(scratch))
                finally:
                    player.stop()
                    hand.close()
                log.seek(0)
                tap.result(number, name, [found, *log.read().splitlines()[-8:]] if found else "")


if __name__ == "__main__":
    main()
