#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs cl-histogram on a terminal of its own, resizes it, and ends it with Ctrl-C; and once into a pipe.
Prints TAP.

usage: test-terminal-plot.py CL_HISTOGRAM
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import headless
import tap

PATIENCE = 40
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
HOME, HIDE, SHOW = "\x1b[H", "\x1b[?25l", "\x1b[?25h"


class Terminal:
    """The program on a pseudo terminal"""

    def __init__(self, command, columns, rows):
        self.side, other = pty.openpty()
        self.resize(columns, rows)
        self.process = subprocess.Popen(command, stdin=other, stdout=other, stderr=subprocess.PIPE, text=True,
                                        start_new_session=True)
        os.close(other)
        self.text = ""

    def resize(self, columns, rows):
        fcntl.ioctl(self.side, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def read(self, seconds):
        """Appends output to text; returns False at its end"""
        if not select.select([self.side], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.side, 65536)
        except OSError:
            return False
        self.text += data.decode(errors="replace")
        return bool(data)

    def pictures(self):
        """The complete pictures so far, each a list of lines without escapes"""
        parts = self.text.split(SHOW)[0].split(HOME)[1:]
        if SHOW not in self.text:
            parts = parts[:-1]
        return [ESCAPE.sub("", part).replace("\r", "").split("\n") for part in parts]

    def wait_for(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition(self):
            if time.monotonic() > end or not self.read(0.2):
                return condition(self)
        return True

    def finish(self):
        """The exit status"""
        self.wait_for(lambda _: False)
        return tap.end(self.process, 1)


def fits(picture, columns, rows, titles):
    """Whether a picture fills a terminal of this size with a curve and bars for each title"""
    bars = (rows - 1) // len(titles)
    if len(picture) != bars * len(titles) or not all(len(line) == columns for line in picture if "mean" not in line):
        return False
    begins = [picture[i * bars].startswith(title) for i, title in enumerate(titles)]
    return all(begins) and "\u2588" in picture[1]


def follows_terminal(program):
    """The error on a terminal; empty if there is none"""
    titles = ["red", "green", "blue"]
    terminal = Terminal([program], 60, 20)
    if not terminal.wait_for(lambda t: any(fits(p, 60, 20, titles) for p in t.pictures())):
        return f"no picture of 60 x 20: {terminal.text[-400:]!r}"
    terminal.resize(100, 31)
    terminal.process.send_signal(signal.SIGWINCH)
    if not terminal.wait_for(lambda t: t.pictures() and fits(t.pictures()[-1], 100, 31, titles)):
        return "it does not follow the new size"
    terminal.process.send_signal(signal.SIGINT)
    status = terminal.finish()
    if status:
        return f"Ctrl-C ends it with status {status}"
    if terminal.text.count(HIDE) != terminal.text.count(SHOW):
        return "the cursor is not shown again"
    return ""


def ends_with_stream(program):
    terminal = Terminal([program, "--luma", "--frames", "20"], 80, 10)
    status = terminal.finish()
    if status or not any(fits(p, 80, 10, ["luma"]) for p in terminal.pictures()):
        return f"status {status}, {len(terminal.pictures())} pictures"
    return "" if SHOW in terminal.text else "the cursor is not shown again"


def writes_plain_text(program):
    status, text = tap.run([program, "--frames", "5"], timeout=PATIENCE, errors=None)
    first = text.split("\n\n")[0].split("\n")
    return f"status {status}" if status or "\x1b" in text or not fits(first, 80, 24, ["red", "green", "blue"]) else ""


tap.skip_all(headless.why_skip())
tests = {"follows the terminal's size, ends with Ctrl-C": follows_terminal,
         "ends with the stream": ends_with_stream, "writes plain text into a pipe": writes_plain_text}
tap.results((name, test(sys.argv[1])) for name, test in tests.items())
