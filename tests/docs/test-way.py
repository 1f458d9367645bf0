#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A frame takes the way that docs/design.md shows, and no longer one: plays a line, and compares the list of calls there with the
stack at the last launch of a kernel, which the layer of tests/machinery/census writes down.

usage: test-way.py SOURCE_ROOT
"""
import bisect
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

LINE = "videotestsrc num-buffers=2 ! video/x-raw,format=RGBA,width=640,height=360 ! clmedian radius=2 ! fakesink"
MOST_CALLS, MOST_SHAPES, MOST_FRAMES = 8, 4, 12  # frames from GStreamer's chain function to the call that enqueues


@functools.cache
def functions(module):
    """The functions of a module, by address"""
    listed = subprocess.run(["nm", "-C", "-n", "--defined-only", module], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^([0-9a-f]+) [tTwW] (.*)$", listed, re.M)
    return [int(address, 16) for address, _ in found], [name for _, name in found]


def call_at(module, offset):
    """The function at an offset, without namespaces, and its arguments"""
    addresses, names = functions(module)
    name = re.sub(r"\(anonymous namespace\)::|gst::cl::", "", names[bisect.bisect(addresses, offset) - 1])
    return re.match(r"(?:[^(<]* )?([\w:]+)(.*)", name).groups()


def stack():
    """The callers of the last launch, outermost first: modules and offsets"""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["gst-launch-1.0", "-q", *LINE.split()], env=os.environ | {"CL_CENSUS_WAY": file.name}, check=True)
        last = pathlib.Path(file.name).read_text().strip().split("\n\n")[-1]
    return [(module, int(offset)) for module, offset in (line.rsplit(" ", 1) for line in reversed(last.splitlines()))]


def documented(root):
    """The calls that the page lists, and the shapes of data"""
    page = (root / "docs/design.md").read_text()
    calls, data = re.search(r"^The path of a frame[^\n]*\n\n```\n(.*?)^```.*?^Its data: (.*?)\. ", page, re.M | re.S).groups()
    return re.findall(r"^([\w:]+) ", calls, re.M), re.findall(r"(?:^|, )a `(\w+)`", data)


def cases(root):
    wanted, shapes = documented(root)
    frames = stack()
    outside = max(i for i, (module, _) in enumerate(frames) if "libgstreamer" in module)
    ours = [i for i, (module, _) in enumerate(frames) if pathlib.Path(module).name.startswith("libgstcl")]
    calls, arguments = zip(*(call_at(*frames[i]) for i in ours if i > outside))
    calls = calls[calls.index(wanted[0]):] if wanted[0] in calls else calls
    calls = [call for call in calls if not call.startswith("cl::")]  # Khronos' bindings
    # the operation's class is the element's own
    same = len(calls) == len(wanted) and all(
        call == each or each == "Filter::run" and call.endswith("::run") for call, each in zip(calls, wanted))
    yield "the calls are those of the page", "" if same else f"the page has {wanted}, the stack has {calls}"
    yield "they are few", "" if len(wanted) <= MOST_CALLS else f"{len(wanted)} calls"
    lost = [each for each in shapes if each != "GstBuffer" and not re.search(rf"\b{each}\b", " ".join(arguments))]
    yield "they take its few shapes of data", "" if not lost and len(shapes) <= MOST_SHAPES else f"{shapes}, not taken: {lost}"
    yield "the stack is low", "" if ours[-1] - outside <= MOST_FRAMES else f"{ours[-1] - outside} frames"


if __name__ == "__main__":
    tap.results(cases(pathlib.Path(sys.argv[1])))
