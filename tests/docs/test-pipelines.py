#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Asks every script of pipelines/ for its help, and runs it for a few frames without a display. Without GST_CL_TEST_FULL it runs one in
three: each is a process or two that read PoCL's library. Prints TAP.

usage: test-pipelines.py ROOT
"""
import os
import pathlib
import re
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


for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
    os.environ.pop(variable, None)
headless.choose()
tap.skip_all(headless.why_skip() or ("" if headless.has_gl() else "no GL"))
scripts = [path for path in sorted((pathlib.Path(sys.argv[1]) / "pipelines").glob("*.sh")) if os.access(path, os.X_OK)]
with tap.folder() as scratch:
    tap.results((path.name, complaints(path, scratch, number % PLAYED == 0)) for number, path in enumerate(scripts, 1))
