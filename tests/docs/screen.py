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

PATIENCE = 40


def why_skip(takes_input=True):
    """Why no pipeline can be shown here; empty if one can"""
    if takes_input and not (ctypes.util.find_library("X11") and ctypes.util.find_library("Xtst")):
        return "no libX11 or no libXtst"
    return headless.why_skip() or ("" if shutil.which("Xvfb") else "Xvfb is not installed")


@contextlib.contextmanager
def server(folder, size="800x600x24"):
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

    def press_key(self, symbol, down):
        code = self.x11.XKeysymToKeycode(self.handle, ctypes.c_ulong(symbol))
        self.xtest.XTestFakeKeyEvent(self.handle, ctypes.c_uint(code), int(down), ctypes.c_ulong(0))
        self.x11.XSync(self.handle, 0)

    def symbol(self, name):
        """Of a key's name, such as Up"""
        return self.x11.XStringToKeysym(name.encode())

    def close(self):
        self.x11.XCloseDisplay(self.handle)
