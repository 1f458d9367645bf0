#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The filter of CONTRIBUTING.md, built word for word from a copy of the tree, inverts what it says. Prints TAP.

usage: test-contributing.py SOURCE
"""
import pathlib
import re
import shutil
import sys

import tap

PATIENCE = 1500
ELEMENT, NAME = "clsolarize", "solarize"
MOST_LINES, MOST_KERNEL_LINES = 60, 14


def files_of(page):
    """{path: text} of the blocks that follow a bold path"""
    return dict(re.findall(r"^\*\*([\w./]+)\*\*[^\n]*\n+```\w*\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE))


def build(tree, found):
    for path, text in found.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text, encoding="utf-8")
    meson = tree / "meson.build"
    text = meson.read_text(encoding="utf-8")
    meson.write_text(text.replace("  'stabilize',\n", f"  '{NAME}',\n  'stabilize',\n"), encoding="utf-8")
    options = [f"-D{option}=disabled" for option in ("tests", "examples", "studio")]
    for command in (["meson", "setup", str(tree / "build"), str(tree), *options],
                    ["ninja", "-C", str(tree / "build"), "plugin"]):
        status, output = tap.run(command, timeout=PATIENCE)
        if status:
            return output[-3000:]
    return ""


def filtered(tree, caps, scratch):
    """(input, result) of one frame with random samples"""
    names = [str(scratch / name) for name in ("input", "result")]
    status, output = tap.run(
        ["gst-launch-1.0", "-q", "videotestsrc", "pattern=snow", "num-buffers=1", "!", caps, "!", "tee", "name=t", "!", "queue", "!",
         "filesink", f"location={names[0]}", "t.", "!", "queue", "!", ELEMENT, "!", "filesink", f"location={names[1]}"],
        GST_PLUGIN_PATH_1_0=str(tree / "build" / "gst"), GST_REGISTRY_1_0=str(scratch / "registry"))
    if status:
        raise RuntimeError(output)
    return [pathlib.Path(name).read_bytes() for name in names]


def check_samples(tree, scratch):
    before, after = filtered(tree, "video/x-raw,format=GRAY8,width=64,height=48", scratch)
    limit = 128  # half of 255, rounded to even
    return "" if after == bytes(255 - v if v > limit else v for v in before) else "GRAY8 differs from the formula"


def cases(source):
    page = (pathlib.Path(source) / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = files_of(page)
    lines = {path: len(text.splitlines()) for path, text in found.items()}
    kernel = sum(n for path, n in lines.items() if path.endswith((".cl", ".clh")))
    small = found and sum(lines.values()) <= MOST_LINES and kernel <= MOST_KERNEL_LINES
    yield f"{sum(lines.values())} lines in all, {kernel} of the kernel", "" if small else "too many lines"
    with tap.folder() as scratch:
        tree = scratch / "tree"
        shutil.copytree(source, tree, ignore=shutil.ignore_patterns("build", "build-*", ".git", "gallery", "plots"))
        problem = build(tree, found)
        yield "it builds", problem
        compiler = tree / "build" / "common" / "gst-cl-compiler"
        yield "the compiler is built with the plugin", problem or ("" if compiler.is_file() else "there is none")
        yield "it inverts bright samples", problem or check_samples(tree, scratch)


tap.results(cases(sys.argv[1]))
