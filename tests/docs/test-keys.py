#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Presses keys in the window of cl-erode, on a virtual X server: each press has to move the threshold, as it
prints, and the picture has to follow. Prints TAP, one case for each video sink.

usage: test-keys.py GST_CL_ERODE
"""
import ctypes
import ctypes.util
import importlib
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import headless
import tap

window = importlib.import_module("test-window")

SINKS = {"ximagesink": "videoconvert ! ximagesink", "glimagesink": "glupload ! glcolorconvert ! glimagesink"}
# pressed keys and the resulting thresholds; the green bar of the test picture is at 0.59
PRESSES = [("Up", 0.52), ("Down", 0.50), ("Up", 0.52), ("Up", 0.54), ("Up", 0.56), ("Up", 0.58), ("Up", 0.60)]
PATIENCE = 40


class Keyboard:
    """Presses keys on a display with the XTEST extension"""

    def __init__(self, display):
        self.x11 = ctypes.CDLL(ctypes.util.find_library("X11"))
        self.xtest = ctypes.CDLL(ctypes.util.find_library("Xtst"))
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.x11.XStringToKeysym.restype = ctypes.c_ulong
        self.handle = ctypes.c_void_p(self.x11.XOpenDisplay(display.encode()))
        if not self.handle:
            raise RuntimeError(f"no display {display}")

    def point(self, x, y):
        """Without a window manager, keys go to the window under the pointer"""
        self.xtest.XTestFakeMotionEvent(self.handle, -1, x, y, ctypes.c_ulong(0))
        self.x11.XSync(self.handle, 0)

    def press(self, name):
        keysym = ctypes.c_ulong(self.x11.XStringToKeysym(name.encode()))
        code = self.x11.XKeysymToKeycode(self.handle, keysym) & 0xff
        for down in (1, 0):
            self.xtest.XTestFakeKeyEvent(self.handle, ctypes.c_uint(code), down, ctypes.c_ulong(0))
        self.x11.XSync(self.handle, 0)

    def close(self):
        self.x11.XCloseDisplay(self.handle)


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
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def white_share(folder):
    """The white part of the screen's corner"""
    rgb = window.screenshot(folder)
    return sum(v > 250 for v in rgb[1::3]) / (len(rgb) // 3)


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def complaint(player, keyboard, folder):
    """The error; empty if there is none"""
    if player.next_threshold(PATIENCE) != 0.5:
        return "it does not print the threshold that it begins with"
    if not wait_for(lambda: white_share(folder) > 0.5 or player.process.poll() is not None):
        return "no picture in the window"
    before = white_share(folder)
    keyboard.point(100, 100)
    for key, expected in PRESSES:
        keyboard.press(key)
        found = player.next_threshold(PATIENCE)
        if found != expected:
            return f"{key} leads to {found} instead of {expected}"
    if not wait_for(lambda: white_share(folder) < before - 0.1):
        return f"the picture does not follow: {before:.2f} of it was white, {white_share(folder):.2f} is"
    return ""


def why_skip():
    if not (ctypes.util.find_library("X11") and ctypes.util.find_library("Xtst")):
        return "no libX11 or no libXtst"
    return headless.why_skip() or ("" if shutil.which("Xvfb") else "Xvfb is not installed")


def main():
    os.environ.pop("WAYLAND_DISPLAY", None)
    tap.skip_all(why_skip())
    print(f"1..{len(SINKS)}")
    for number, (name, sink) in enumerate(SINKS.items(), 1):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            server, display = window.start_server(folder)
            if not display:
                print(f"ok {number} - {name} # SKIP Xvfb does not start", flush=True)
                continue
            keyboard = Keyboard(display)
            with open(folder / "log", "w+", encoding="utf-8") as log:
                player = Player(sys.argv[1], sink, display, log)
                try:
                    found = complaint(player, keyboard, folder)
                finally:
                    player.stop()
                    keyboard.close()
                    server.terminate()
                    server.wait()
                print(f"{'not ok' if found else 'ok'} {number} - {name}", flush=True)
                if found:
                    log.seek(0)
                    print("\n".join("# " + line for line in [found, *log.read().splitlines()[-8:]]), flush=True)


if __name__ == "__main__":
    main()
