# SPDX-License-Identifier: LGPL-2.1-or-later
"""A virtual X server with its pointer and keys"""
import contextlib
import ctypes
import ctypes.util
import os
import select
import shutil
import subprocess
import time

import headless
import tap

PATIENCE = 40


def why_skip(takes_input=True):
    """Why no pipeline can be shown here; empty if one can"""
    if takes_input and not (ctypes.util.find_library("X11") and ctypes.util.find_library("Xtst")):
        return "no libX11 or no libXtst"
    return headless.why_skip() or ("" if shutil.which("Xvfb") else "Xvfb is not installed")


def results(cases, size="800x600x24"):
    """Each case is a name and a function of a display and a folder, in which its screen is a file; it returns its complaint, and
    perhaps why it was skipped"""
    os.environ.pop("WAYLAND_DISPLAY", None)

    def played():
        for name, case in cases:
            with tap.folder() as scratch, server(scratch, size) as display:
                found = case(display, scratch) if display else ("", "Xvfb does not start")
                yield name, *(found if isinstance(found, tuple) else (found,))
    tap.results(played())


@contextlib.contextmanager
def server(folder, size):
    """The display of a server whose screen is a file of the folder; None if it does not start"""
    readable, writable = os.pipe()
    with open(folder / "xvfb.log", "wb") as log:
        process = subprocess.Popen(["Xvfb", "-displayfd", str(writable), "-screen", "0", size, "-fbdir", folder,
                                    "-noreset", "-nolisten", "tcp"],
                                   pass_fds=[writable], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    os.close(writable)
    with os.fdopen(readable, encoding="ascii") as pipe:
        number = pipe.readline().strip() if select.select([pipe], [], [], PATIENCE)[0] else ""
    if not number:
        process.kill()
    try:
        yield f":{number}" if number else None
    finally:
        process.terminate()
        process.wait()


class Hand:
    """Moves the pointer of a display and presses keys with the XTEST extension"""

    def __init__(self, display):
        self.x11 = ctypes.CDLL(ctypes.util.find_library("X11"))
        self.xtest = ctypes.CDLL(ctypes.util.find_library("Xtst"))
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.x11.XStringToKeysym.restype = ctypes.c_ulong
        self.x11.XKeysymToKeycode.restype = ctypes.c_ubyte
        self.x11.XKeycodeToKeysym.restype = ctypes.c_ulong
        self.handle = ctypes.c_void_p(self.x11.XOpenDisplay(display.encode()))
        if not self.handle:
            raise RuntimeError(f"no display {display}")

    def move(self, x, y):
        """Without a window manager, keys go to the window under the pointer"""
        self.xtest.XTestFakeMotionEvent(self.handle, -1, int(x), int(y), ctypes.c_ulong(0))
        self.x11.XSync(self.handle, 0)
        time.sleep(0.05)

    def press(self, down, button=1):
        self.xtest.XTestFakeButtonEvent(self.handle, ctypes.c_uint(button), int(down), ctypes.c_ulong(0))
        self.x11.XSync(self.handle, 0)
        time.sleep(0.05)

    def drag(self, start, end):
        self.move(*start)
        self.press(True)
        for step in range(1, 11):
            self.move(*(a + (b - a) * step / 10 for a, b in zip(start, end)))
        self.press(False)

    def click(self, place, button=1, times=1):
        if not place:  # the report explains why there is none
            return
        x, y, width, height = place
        self.move(x + width / 2, y + height / 2)
        for _ in range(times):
            self.press(True, button)
            self.press(False, button)
        time.sleep(0.3)

    def hold(self, name, down):
        """name: a character, or a key's name, such as Up"""
        symbol = ord(name) if len(name) == 1 else self.x11.XStringToKeysym(name.encode())
        code = self.x11.XKeysymToKeycode(self.handle, ctypes.c_ulong(symbol))
        self.xtest.XTestFakeKeyEvent(self.handle, ctypes.c_uint(code), int(down), ctypes.c_ulong(0))
        self.x11.XSync(self.handle, 0)

    def key(self, name, *held):
        for other in held:
            self.hold(other, True)
        self.hold(name, True)
        self.hold(name, False)
        for other in reversed(held):
            self.hold(other, False)
        time.sleep(0.1)

    def write(self, text):
        for letter in text:
            code = self.x11.XKeysymToKeycode(self.handle, ctypes.c_ulong(ord(letter)))
            shifted = self.x11.XKeycodeToKeysym(self.handle, ctypes.c_ubyte(code), 0) != ord(letter)
            self.key(letter, *(["Shift_L"] if shifted else []))

    def close(self):
        self.x11.XCloseDisplay(self.handle)
