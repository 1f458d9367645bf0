#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compiles and runs every complete C and C++ program in the documentation (a ```c or ```cpp block with a main function), and
runs every Python program (a ```python block that initialises GStreamer) on a small clip. One with a filesink has to write a file.
Prints TAP, one case a program. A program that ends with 77 found no OpenCL device and is skipped.

usage: test-example-programs.py ROOT BUILD_ROOT COMPILER...
"""
import pathlib
import re
import subprocess
import sys

import tap

BLOCK = re.compile(r"^```(c|cpp|python)\n(.*?)^```", re.M | re.S)
COMPLETE = {"c": r"^main \(", "cpp": r"^main \(", "python": r"^Gst\.init"}
CLIP = "videotestsrc num-buffers=3 ! video/x-raw,width=160,height=120 ! jpegenc ! avimux ! filesink location=in.avi"
MODULES = ["gstreamer-1.0", "gstreamer-video-1.0", "gstreamer-controller-1.0"]


def programs(root):
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            language, source = match.groups()
            if re.search(COMPLETE[language], source, re.M):
                yield f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}", language, source


def check_python(source):
    """(exit status, output) of the program"""
    python = tap.python_with("gi")
    if not python:
        return 77, ""
    with tap.folder() as folder:
        (folder / "example.py").write_text(source, encoding="utf-8")
        status, output = tap.run(["gst-launch-1.0", "-q", *CLIP.split()], folder)
        if status == 0:
            before = set(folder.iterdir())
            status, output = tap.run([python, "example.py", "in.avi"], folder)
            written = set(folder.iterdir()) - before
            if status == 0 and "filesink" in source and not any(path.stat().st_size > 1000 for path in written):
                return 1, f"nothing was written: {written}"
        return status, output


def check_compiled(language, source, root, build, compiler):
    """(exit status, output) of the compiler or, after it succeeds, of the program"""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", *MODULES], capture_output=True, text=True,
                           check=True).stdout.split()
    with tap.folder() as folder:
        text = folder / f"example.{language}"
        text.write_text(source, encoding="utf-8")
        standard = ["cc", "-std=c11"] if language == "c" else [*compiler, "-std=c++20"]
        status, output = tap.run([*standard, "-Wall", "-Werror", f"-I{root}/common/include", text,
                                  f"{build}/common/libgstcl-1.0.so", f"-Wl,-rpath,{build}/common", *flags, "-o", folder / "example"])
        return tap.run([folder / "example"]) if status == 0 else (1, output)


def cases(root, build, *compiler):
    for where, language, source in programs(pathlib.Path(root)):
        status, output = check_python(source) if language == "python" else check_compiled(language, source, root, build, compiler)
        wrong = output.splitlines()[-20:] or [f"exit status {status}"] if status not in (0, 77) else []
        yield where, wrong, "no OpenCL device, or no gi" if status == 77 else ""


tap.results(cases(*sys.argv[1:]))
